// `npm run reindex`: rebuilds the full-text index of skills from the rows, through the API of the running gateway.

import { GATEWAY, readOptions } from "./kit/options.mjs";
import { fail, say } from "./kit/refusal.mjs";
import { chosenGateway } from "./local/chosen-gateway.mjs";
import { reindexAt } from "./local/reindexing.mjs";

const USAGE = `Use: npm run reindex -- [--url <gateway>] [--key <key of an admin>] [--port 8787]
  The gateway goes on serving. Without --url it is the one in GATEWAY_URL, or the one on this machine; the key may also stand in
  GATEWAY_KEY, and for the gateway on this machine it is that of .dev.vars.`;

async function main() {
  const { values } = readOptions(USAGE, GATEWAY);
  const { url, key } = await chosenGateway(values, USAGE);
  say(`${await reindexAt(url, key)} skills are in the search index of ${url}`);
}

main().catch(fail);
