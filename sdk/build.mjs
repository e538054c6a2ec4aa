// Builds the package: one JavaScript and one type file per library module, as the compiler writes them, and the command line as one file.

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { buildCli } from "../scripts/build/cli.mjs";

const folder = import.meta.dirname;
const compiler = path.join(
  path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin",
  "tsc",
);
rmSync(path.join(folder, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [compiler, "-p", folder], { stdio: "inherit" });
await buildCli();
