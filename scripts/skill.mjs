// `npm run skill`: the command line of sdk/cli in a checkout, with the bench and the key of the local gateway.

import { importCli } from "./build/cli.mjs";
import { fail } from "./kit/refusal.mjs";
import { localKeyFor, localUrl } from "./local/key.mjs";

async function main() {
  const cli = await importCli();
  await cli.runTyped({
    program: "npm run skill --",
    // npm runs its scripts in the folder of package.json.
    folder: process.env.INIT_CWD ?? process.cwd(),
    checkout: {
      openBench: async () => (await import("./local/bench.mjs")).openBench(),
      localUrl,
      localKeyFor: (url) => localKeyFor(url, "GATEWAY_KEY or --key"),
    },
  });
}

main().catch(fail);
