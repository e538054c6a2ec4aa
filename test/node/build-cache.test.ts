import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { kept } from "../../scripts/build/cache.mjs";
import { root } from "../../scripts/kit/files.mjs";

let folder: string;
beforeAll(async () => {
  await mkdir(path.join(root, "dist"), { recursive: true });
  folder = await mkdtemp(path.join(root, "dist", "kept-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(path.join(root, "dist", "kept", `${path.basename(folder)}.json`), { force: true });
});

it("is made again when something that went into it has changed, was just saved or is gone, and not otherwise", async () => {
  const source = path.join(folder, "source.ts");
  const input = path.relative(root, source);
  let made = 0;
  const build = () =>
    kept(path.basename(folder), async () => {
      const inputs = { [input]: {}, "a plugin:zod": {} } as never;
      return { result: `build ${++made}`, metafile: { inputs, outputs: {} } };
    });
  const save = async (text: string, age: number) => {
    await writeFile(source, text);
    const when = new Date(Date.now() - age);
    await utimes(source, when, when);
  };
  await save("one", 60_000);
  expect([await build(), await build()]).toEqual(["build 1", "build 1"]);
  await save("two", 60_000);
  expect([await build(), await build()]).toEqual(["build 2", "build 2"]);
  // The file seems to have been saved during the build, so it is unclear which content the build read.
  await save("three", -60_000);
  expect([await build(), await build()]).toEqual(["build 3", "build 4"]);
  await save("four", 60_000);
  expect([await build(), await build()]).toEqual(["build 5", "build 5"]);
  await rm(source);
  await expect(build()).rejects.toThrow("ENOENT");
  expect(made).toBe(6);
});
