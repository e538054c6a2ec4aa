import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readWranglerConfig } from "../../scripts/kit/wrangler-config.mjs";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "wrangler-config-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(text: string): Promise<Record<string, unknown>> {
  const file = path.join(folder, "wrangler.toml");
  await writeFile(file, text);
  return readWranglerConfig(file);
}

describe("the reader of wrangler.toml", () => {
  it("returns the file's values, keeps unknown names, and adds nothing", async () => {
    const text = `name = 'a' # not "b"\nstrange = [\n  1,\n  2, # two\n]\n[[r2_buckets]]\nbinding = "B"\n[[r2_buckets]]\n`;
    expect(await read(text)).toEqual({ name: "a", strange: [1, 2], r2_buckets: [{ binding: "B" }, {}] });
  });

  it("names the line that is no TOML", async () => {
    await expect(read('name = "a"\n[assets\n')).rejects.toThrow(/^wrangler\.toml:2: .*\[assets/);
  });
});
