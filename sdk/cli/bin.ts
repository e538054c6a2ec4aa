// Entry point of the program in the npm package.

import { main } from "./main";

process.exitCode = await main({
  args: process.argv.slice(2),
  program: "skillgate",
  folder: process.cwd(),
  env: process.env,
  checkout: null,
});
