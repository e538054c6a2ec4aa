// Runs before the tests in the pool: the compiler of skill code and what stands around scripts, which the Worker reads as static
// files, as their sources are now.

import path from "node:path";
import { prepareCompiler } from "../../scripts/build/compiler.mjs";
import { prepareGuest } from "../../scripts/build/guest.mjs";
import { prepareShell } from "../../scripts/build/shell.mjs";
import { root } from "../../scripts/kit/files.mjs";

export async function setup(): Promise<void> {
  const folder = path.join(root, "public");
  await Promise.all([prepareCompiler(folder), prepareGuest(folder), prepareShell(folder)]);
}
