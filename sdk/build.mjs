// Builds the package: JavaScript and types, file for file, as the compiler writes them. Nothing is bundled, so that nothing is kept in twice.

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const folder = import.meta.dirname;
const compiler = path.join(
  path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin",
  "tsc",
);
rmSync(path.join(folder, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [compiler, "-p", folder], { stdio: "inherit" });
