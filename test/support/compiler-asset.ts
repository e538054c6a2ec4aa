// Runs before the tests in the pool: the compiler of skill code, which the Worker reads as a static file, as its sources are now.

import path from "node:path";
import { prepareCompiler } from "../../scripts/build/compiler.mjs";
import { root } from "../../scripts/kit/files.mjs";

export async function setup(): Promise<void> {
  await prepareCompiler(path.join(root, "public"));
}
