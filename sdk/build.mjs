// Builds the package: one JavaScript and one type file per library module, as the compiler writes them, and the command line as one file.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { buildCli } from "../scripts/build/cli.mjs";
import { listFiles, root } from "../scripts/kit/files.mjs";

const folder = import.meta.dirname;
const compiler = path.join(
  path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin",
  "tsc",
);
const dist = path.join(folder, "dist");

// Files are replaced one by one and never missing, because another process can be reading them.
await mkdir(path.join(root, "dist"), { recursive: true });
await mkdir(dist, { recursive: true });
const made = await mkdtemp(path.join(root, "dist", "sdk-"));
try {
  execFileSync(process.execPath, [compiler, "-p", folder, "--outDir", made], { stdio: "inherit" });
  const files = await listFiles(made);
  for (const file of files) {
    await mkdir(path.dirname(path.join(dist, file)), { recursive: true });
    await rename(path.join(made, file), path.join(dist, file));
  }
  for (const file of await listFiles(dist)) if (!files.includes(file)) await rm(path.join(dist, file), { force: true });
} finally {
  await rm(made, { recursive: true, force: true });
}
await buildCli();
