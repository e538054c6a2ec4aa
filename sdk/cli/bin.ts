// The program as the package has it.

import { main } from "./main";

process.exitCode = await main({
  args: process.argv.slice(2),
  program: "skillgate",
  folder: process.cwd(),
  env: process.env,
  checkout: null,
});
