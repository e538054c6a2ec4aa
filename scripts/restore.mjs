// `npm run restore`: restores a backup of `npm run backup` completely or not at all, and preserves the previous data.

import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { checkBackup, copyDurableObjects, sendObjects, sendPackages, verify, writeBackup } from "./backup/archive.mjs";
import { openLocal } from "./backup/local.mjs";
import { openDeployed } from "./backup/remote.mjs";
import { restoreRows } from "./backup/restoring.mjs";
import { holdsData, readMigrations } from "./backup/rows.mjs";
import { buildGateway } from "./build/worker.mjs";
import { confirm } from "./kit/account.mjs";
import { readOptions, STATE, YES } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { stateOf, stopOnSignals, takeState } from "./local/launcher.mjs";
import { applyMigrations } from "./local/migrate.mjs";
import { reindexAt } from "./local/reindexing.mjs";

const USAGE = `Use: npm run restore -- <folder of a backup> [--yes] [--remote | --state <folder>]
  --yes      do not ask, also where there is data already: that is kept, and this says where
  --remote   into the deployed gateway, whose migrations must be those of the backup
  --state    into this machine's gateway, which must be stopped; else .wrangler/state`;

async function main() {
  const { values, positionals } = readOptions(
    USAGE,
    { ...STATE, ...YES, remote: { type: "boolean" } },
    { positionals: 1 },
  );
  if (values.remote && values.state !== undefined)
    throw new Refusal(`--remote and --state exclude each other.\n${USAGE}`);
  if (positionals[0] === undefined) throw new Refusal(USAGE);
  const folder = path.resolve(process.env.INIT_CWD ?? ".", positionals[0]);
  process.umask(0o077);
  say("reading the backup");
  const manifest = await checkBackup(folder);
  await (values.remote ? restoreDeployed : restoreHere)(folder, manifest, values);
  say("The secrets in the backup need the SECRETS_KEY with which they were stored.");
}

/** Creates a new state next to the existing one, compares it with the backup, and replaces the existing one. */
async function restoreHere(folder, manifest, values) {
  const state = stateOf(values);
  const { modules } = await buildGateway();
  const { lock, port } = await takeState({ state, port: 0 });
  const place = path.join(state, "v3");
  const isTaken = (await stat(place).catch(() => null)) !== null;
  if (isTaken) await agreed(`${state} has data. Replace it? The current data is moved to another folder.`, values.yes);

  const building = path.join(state, "restoring");
  await rm(building, { recursive: true, force: true });
  await mkdir(building);
  const store = await openLocal({ modules, state: building, owned: state, port, onRuntime: lock.setRuntime });
  stopOnSignals(() => store.stop());
  let indexed;
  try {
    await applyMigrations(store.db, { upTo: manifest.migrations });
    const made = await readMigrations(store.query);
    const unknown = manifest.migrations.filter((name) => !made.includes(name));
    if (unknown.length > 0)
      throw new Refusal(
        `The backup is newer than this version (unknown migrations: ${unknown.join(", ")}). Update the gateway first.`,
      );
    await sendPackages(store, folder);
    await sendObjects(store, folder, manifest);
    await restoreRows(store, folder, manifest);
    await verify(store, folder, manifest);
    await applyMigrations(store.db);
    indexed = await reindexAt(store.url, store.key);
  } finally {
    await store.stop();
  }
  const hasConversations = await copyDurableObjects(folder, manifest, path.join(building, "v3", "do"));
  if (isTaken) {
    const replaced = path.join(state, `v3.before-${Date.now()}`);
    await rename(place, replaced);
    say(`the previous data and conversations are in ${replaced}`);
  }
  await rename(path.join(building, "v3"), place);
  await rm(building, { recursive: true, force: true });
  say(
    `${indexed} skills are in the search index; ${hasConversations ? "conversations are restored" : "the backup has no conversations"}`,
  );
  console.log(`restored ${state}`);
}

/** Uploads the packages, which are invisible without rows, and then all rows in one import. D1 applies all of it or none. */
async function restoreDeployed(folder, manifest, values) {
  const store = await openDeployed();
  const there = await readMigrations(store.query);
  if (there.join() !== [...manifest.migrations].sort().join())
    throw new Refusal(
      `The backup has other migrations than the deployed gateway. Deploy the version of the backup (${manifest.gateway}, ` +
        `last migration ${manifest.migrations.at(-1)}), restore, and then deploy the newer one.`,
    );
  await agreed(`Replace all data of ${store.name}?`, values.yes);
  if (await holdsData(store.query)) {
    const before = `${folder}.before-${Date.now()}`;
    await writeBackup(store, before, manifest.gateway);
    say(`the current data is saved as a backup in ${before}`);
  }
  await sendPackages(store, folder);
  await restoreRows(store, folder, manifest);
  await verify(store, folder, manifest);
  if ((manifest.lists ?? []).length > 0)
    say(
      "Conversations, running imports and files of scripts are not restored. Nothing can write them into a deployment.",
    );
  say("Rebuild the search index: npm run reindex -- --url <gateway> --key <admin key>");
  console.log(`restored ${store.name}`);
}

async function agreed(question, isAgreed) {
  if (isAgreed) return;
  if (!process.stdin.isTTY) throw new Refusal(`${question} The terminal is not interactive. Pass --yes to confirm.`);
  if (!(await confirm(question))) throw new Refusal("Nothing was changed.");
}

main().then(() => process.exit(), fail);
