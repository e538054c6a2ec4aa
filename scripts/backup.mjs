// `npm run backup`: copies all data into a folder, also while the gateway serves. Of a deployed gateway it copies D1 and R2.

import path from "node:path";
import { writeBackup } from "./backup/archive.mjs";
import { openDeployed } from "./backup/remote.mjs";
import { backUpState, describeBackup, gatewayVersion } from "./backup/state.mjs";
import { readOptions, STATE } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { stateOf } from "./local/launcher.mjs";

const USAGE = `Use: npm run backup -- [--out <folder>] [--remote | --state <folder>]
  --out      where it is written; else backups/<now> where you stand
  --remote   of the deployed gateway; needs the login of npm run deploy
  --state    of this machine's gateway; else .wrangler/state
The gateway can serve meanwhile. The keys of gateway.env or .dev.vars and the Worker's secrets are not in the backup: without SECRETS_KEY
nobody can read the stored secrets again. With --remote, conversations are not in it, because nothing can read them from outside.`;

async function main() {
  const { values } = readOptions(USAGE, { ...STATE, out: { type: "string" }, remote: { type: "boolean" } });
  if (values.remote && values.state !== undefined)
    throw new Refusal(`--remote and --state exclude each other.\n${USAGE}`);
  const now = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const folder = path.resolve(process.env.INIT_CWD ?? ".", values.out ?? path.join("backups", now));
  process.umask(0o077);
  const manifest = values.remote ? await backUpDeployed(folder) : await backUpState(stateOf(values), folder);
  if (manifest === null) throw new Refusal(`${stateOf(values)} has no data. Start the gateway there first.`);
  say(`${describeBackup(manifest)} (without ${values.remote ? "conversations and " : ""}SECRETS_KEY)`);
  console.log(`backup ${folder}`);
}

async function backUpDeployed(folder) {
  return writeBackup(await openDeployed(), folder, await gatewayVersion());
}

main().then(() => process.exit(), fail);
