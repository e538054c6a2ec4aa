// Builds the static files that the Worker reads, before the tests run: the compiler of skill code and the files around scripts.

import path from "node:path";
import { prepareCompiler } from "../../scripts/build/compiler.mjs";
import { prepareGuest } from "../../scripts/build/guest.mjs";
import { prepareShell } from "../../scripts/build/shell.mjs";
import { root } from "../../scripts/kit/files.mjs";

export async function setup(): Promise<void> {
  const folder = path.join(root, "public");
  await Promise.all([prepareCompiler(folder), prepareGuest(folder), prepareShell(folder)]);
}
