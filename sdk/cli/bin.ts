// Entry point of the program in the npm package.

import { runTyped } from "./process";

await runTyped({ program: "skillgate", folder: process.cwd(), checkout: null });
