// `npm run backup`: copies all data in D1 and R2 into a folder. The local gateway must be stopped; a deployed one can serve meanwhile.

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { writeBackup } from "./backup/archive.mjs";
import { openLocal } from "./backup/local.mjs";
import { openDeployed } from "./backup/remote.mjs";
import { buildGateway } from "./build/worker.mjs";
import { root } from "./kit/files.mjs";
import { readOptions, STATE } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { stateOf, stopOnSignals, takeState } from "./local/launcher.mjs";

const USAGE = `Use: npm run backup -- [--out <folder>] [--remote | --state <folder>]
  --out      where it is written; else backups/<now> where you stand
  --remote   of the deployed gateway, while it serves; needs the login of npm run deploy
  --state    of this machine's gateway, which must be stopped; else .wrangler/state
The keys of .dev.vars and the Worker's secrets are not in it. Without SECRETS_KEY nobody can read the stored secrets again. Conversations
live in their own objects, which nothing can read from outside: they are not in it either.`;

async function main() {
  const { values } = readOptions(USAGE, { ...STATE, out: { type: "string" }, remote: { type: "boolean" } });
  if (values.remote && values.state !== undefined)
    throw new Refusal(`--remote and --state exclude each other.\n${USAGE}`);
  const now = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const folder = path.resolve(process.env.INIT_CWD ?? ".", values.out ?? path.join("backups", now));
  process.umask(0o077);
  const store = values.remote ? await openDeployed() : await openStopped(stateOf(values));
  stopOnSignals(() => store.stop());
  try {
    const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
    const { tables, packages } = await writeBackup(store, folder, version);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    say(`${rows} rows of ${tables.length} tables and ${packages} packages (without conversations and SECRETS_KEY)`);
    console.log(`backup ${folder}`);
  } finally {
    await store.stop();
  }
}

/** Opens the state of the local gateway under its lock. */
async function openStopped(state) {
  if ((await stat(path.join(state, "v3")).catch(() => null)) === null)
    throw new Refusal(`${state} has no data. Start the gateway there first.`);
  const { modules } = await buildGateway();
  const { lock, port } = await takeState({ state, port: 0 });
  return openLocal({ modules, state, port, onRuntime: lock.setRuntime });
}

main().then(() => process.exit(), fail);
