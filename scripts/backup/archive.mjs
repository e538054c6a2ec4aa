// Stores a backup as a folder: `backup.json`, one file of rows for each table, and the packages. The folder is written under a temporary
// name and renamed when it is complete. `backup.json` contains the size and the digest of each part.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { readOrNull } from "../kit/files.mjs";
import { Refusal } from "../kit/refusal.mjs";
import { COUNTERS, readMark, readMigrations, readRows, readTables } from "./rows.mjs";

const FORMAT = 1;
/** The number of times the rows are read if skills are published meanwhile. */
const ROUNDS = 5;
/** Packages that are read or written at once. */
const LANES = 6;

/**
 * The source of a backup and the target of a restore.
 * @typedef {{ query: import("./rows.mjs").Query, readPackage: (key: string) => Promise<Uint8Array | null>, writePackage: (key: string,
 * bytes: Uint8Array) => Promise<void>, run: (statements: AsyncIterable<string>) => Promise<void>, }} Store
 */

/** @typedef {{ name: string, columns: string[], key: string[], rows: number, sha256: string }} TableOf */
/** @typedef {{ format: number, gateway: string, made_at: string, migrations: string[], tables: TableOf[], packages: number }} Manifest */

/**
 * Writes a backup of a store into a folder that does not exist yet.
 * @param {Store} store
 * @param {string} folder
 * @param {string} gateway the version of the gateway that writes it
 * @returns {Promise<Manifest>}
 */
export async function writeBackup(store, folder, gateway) {
  if ((await stat(folder).catch(() => null)) !== null) throw new Refusal(`${folder} exists. Choose another folder.`);
  const draft = `${folder}.unfinished`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(path.join(draft, "packages"), { recursive: true, mode: 0o700 });
  try {
    const migrations = await readMigrations(store.query);
    const tables = await writeTables(store, draft);
    let packages = 0;
    await inLanes(packagesIn(draft), async ({ key, sha256 }) => {
      const bytes = await store.readPackage(key);
      if (bytes === null)
        throw new Refusal(`Package ${key} not found. If its skill was just deleted, run the backup again.`);
      if (digest(bytes) !== sha256) throw new Refusal(`Package ${key} is damaged: its SHA-256 does not match its row.`);
      await writeFile(path.join(draft, key), bytes, { mode: 0o600 });
      packages++;
    });
    const manifest = { format: FORMAT, gateway, made_at: new Date().toISOString(), migrations, tables, packages };
    await writeFile(path.join(draft, "backup.json"), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, folder);
    return manifest;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Reads all rows of one state of the registry. If rows change meanwhile, they are read again. */
async function writeTables(store, folder) {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await readMark(store.query);
    const tables = [];
    for (const table of await readTables(store.query)) tables.push(await writeTable(store, folder, table));
    if ((await readMark(store.query)) === before) return tables;
  }
  throw new Refusal(
    "The data changed during every attempt to read it. Run the backup again when there are fewer writes.",
  );
}

async function writeTable(store, folder, table) {
  const file = await open(path.join(folder, `${table.name}.jsonl`), "w", 0o600);
  try {
    const hash = createHash("sha256");
    let rows = 0;
    for await (const line of readRows(store.query, table)) {
      const text = `${line}\n`;
      await file.write(text);
      hash.update(text);
      rows++;
    }
    return { ...table, rows, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

/** Reads and checks the whole backup before it is used. */
export async function checkBackup(folder) {
  const text = await readOrNull(path.join(folder, "backup.json"));
  if (text === null) throw new Refusal(`${folder} is not a backup: backup.json not found.`);
  const manifest = JSON.parse(text);
  if (manifest.format !== FORMAT)
    throw new Refusal(`The format of the backup is not supported (found ${manifest.format}, supported ${FORMAT}).`);
  const problems = [];
  for (const { name, rows, sha256 } of manifest.tables) {
    const hash = createHash("sha256");
    let count = 0;
    for await (const line of linesOf(folder, name)) {
      hash.update(`${line}\n`);
      count++;
    }
    if (count !== rows || hash.digest("hex") !== sha256) problems.push(`${name}.jsonl does not match backup.json`);
  }
  let packages = 0;
  if (problems.length === 0) {
    await inLanes(packagesIn(folder), async ({ key, sha256 }) => {
      packages++;
      const bytes = await readFile(path.join(folder, key)).catch(() => null);
      if (bytes === null) problems.push(`${key} is missing`);
      else if (digest(bytes) !== sha256) problems.push(`${key} does not match its row`);
    });
    if (packages !== manifest.packages) problems.push(`${packages} packages found, expected ${manifest.packages}`);
  }
  if (problems.length > 0)
    throw new Refusal(
      `${folder} is damaged:\n${problems
        .slice(0, 20)
        .map((problem) => `  ${problem}`)
        .join("\n")}`,
    );
  return manifest;
}

/** Sends every package of a backup to a store. */
export async function sendPackages(store, folder) {
  await inLanes(packagesIn(folder), async ({ key }) => store.writePackage(key, await readFile(path.join(folder, key))));
}

/** The rows of a table of the backup. */
export async function* rowsOf(folder, name) {
  for await (const line of linesOf(folder, name)) yield JSON.parse(line);
}

/**
 * Reads everything back from the store and compares it with the backup.
 * @param {Store} store
 * @param {Manifest} manifest
 */
export async function verify(store, folder, manifest) {
  const problems = [];
  // Raises the counters, so that conversations read the catalog again.
  const tables = new Map((await readTables(store.query)).map((table) => [table.name, table]));
  for (const table of manifest.tables.filter(({ name }) => name !== COUNTERS)) {
    const { name, columns, key, rows, sha256 } = table;
    const order = tables.get(name)?.order;
    const hash = createHash("sha256");
    let count = 0;
    for await (const line of readRows(store.query, { name, columns, key, order })) {
      hash.update(`${line}\n`);
      count++;
    }
    if (count !== rows) problems.push(`${name} has ${count} rows, expected ${rows}`);
    // In a backup that is older than the table's loss of its rowid, the rows are in write order. That order cannot be reproduced, so the
    // digest is not compared.
    else if (String(order) === String(table.order) && hash.digest("hex") !== sha256)
      problems.push(`rows of ${name} differ`);
  }
  await inLanes(packagesIn(folder), async ({ key, sha256 }) => {
    const bytes = await store.readPackage(key);
    if (bytes === null || digest(bytes) !== sha256) problems.push(`${key} differs`);
  });
  if (problems.length > 0)
    throw new Refusal(`The restored data differs from the backup:\n  ${problems.slice(0, 20).join("\n  ")}`);
}

/**
 * Yields the packages that the rows refer to, with their digests. Compiled code is left out: the gateway compiles it again when it is
 * missing.
 */
async function* packagesIn(folder) {
  for await (const { id, zip_sha256 } of rowsOf(folder, "versions"))
    yield { key: `packages/${id}.zip`, sha256: zip_sha256 };
}

/** Does not use `readline`, which also splits at characters that occur inside values. */
async function* linesOf(folder, name) {
  let rest = "";
  for await (const chunk of createReadStream(path.join(folder, `${name}.jsonl`), "utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/**
 * Runs `act` for each item, a few at a time. After a failure no further item starts, and the running ones end before this function does.
 */
async function inLanes(each, act) {
  const iterator = each[Symbol.asyncIterator]();
  let hasFailed = false;
  const lane = async () => {
    for (let next = await iterator.next(); !next.done && !hasFailed; next = await iterator.next()) {
      await act(next.value).catch((error) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
  for (const { reason } of lanes.filter(({ status }) => status === "rejected")) throw reason;
}

function digest(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
