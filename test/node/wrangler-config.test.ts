import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
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
  return readWranglerConfig(file, folder);
}

describe("the reader of wrangler.toml", () => {
  it("says what stands there, keeps names that nobody knows, and adds nothing", async () => {
    const text = `name = 'a' # not "b"\nstrange = [\n  1,\n  2, # two\n]\n[[r2_buckets]]\nbinding = "B"\n[[r2_buckets]]\n`;
    expect(await read(text)).toEqual({ name: "a", strange: [1, 2], r2_buckets: [{ binding: "B" }, {}] });
  });

  it("keeps what it has read until the file changes", async () => {
    await read('name = "first"\n');
    const copy = path.join(folder, "config.json");
    // Nobody but a reader of the copy can know this.
    await writeFile(copy, (await readFile(copy, "utf8")).replace("first", "kept"));
    expect(await read('name = "first"\n')).toEqual({ name: "kept" });
    expect(await read('name = "second"\n')).toEqual({ name: "second" });
  });

  it("names the line that is no TOML", async () => {
    await expect(read('name = "a"\n[assets\n')).rejects.toThrow(/^wrangler\.toml:2: .*\[assets/);
  });
});
