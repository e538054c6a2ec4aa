// The Dockerfiles, without Docker: a linter, and whether they name what exists. `npm run try:image` follows their steps.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { programOf, readDockerfile, readIgnored } from "../../scripts/kit/dockerfile.mjs";
import { root } from "../../scripts/kit/files.mjs";

describe.each(["Dockerfile", "executor/Dockerfile"])("%s", (name) => {
  it("has no finding of the linter and can be tried", async () => {
    const stages = await readDockerfile(name);
    expect(stages.at(-1)?.steps.findLast(({ name }) => name === "USER")?.args).toBe("node");
  });

  it("copies files that exist and that Docker receives", async () => {
    const isIgnored = await readIgnored();
    for (const { steps } of await readDockerfile(name)) {
      for (const { args } of steps.filter(({ name, from }) => name === "COPY" && from === undefined)) {
        const [source = ""] = args.split(" ");
        await expect(stat(path.join(root, source))).resolves.toBeDefined();
        expect(isIgnored(path.normalize(source))).toBe(false);
      }
    }
  });

  it("starts a program that receives signals", async () => {
    const { ENTRYPOINT, CMD } = (await readDockerfile(name)).at(-1)?.settings ?? {};
    const [node, script = ""] = programOf(ENTRYPOINT ?? CMD);
    expect(node).toBe("node");
    await expect(stat(path.join(root, script))).resolves.toBeDefined();
  });
});

it("the executor ends itself on SIGTERM, because the first process of a container is not ended by default", async () => {
  const child = spawn(process.execPath, [path.join(root, "executor/main.mjs")], {
    // It does not run as root.
    ...(process.getuid?.() === 0 && { uid: 65_534, gid: 65_534 }),
    env: { EXECUTOR_KEY: "key-of-the-test-0123456789", EXECUTOR_PROBE: "later", PORT: "0" },
    cwd: "/",
  });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended]);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

it("compose.yaml and the image name the same volume", async () => {
  const { gateway } = parse(await readFile(path.join(root, "compose.yaml"), "utf8")).services;
  expect(gateway.volumes).toEqual([`state:${(await readDockerfile("Dockerfile")).at(-1)?.settings.VOLUME}`]);
});

it("Docker receives every file of the repository except tests and benchmarks", async () => {
  const isIgnored = await readIgnored();
  const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  expect(files.filter((name) => isIgnored(name) && !/^(?:test\/|bench\/|\.dev\.vars\.example$)/.test(name))).toEqual(
    [],
  );
  expect(["node_modules/x", ".dev.vars", "public/python/core.wasm", ".git"].filter((name) => !isIgnored(name))).toEqual(
    [],
  );
});
