// Stores a backup as a folder: `backup.json`, one file of rows for each table, and the packages; of a gateway on this machine also the other
// objects in R2 and the Durable Objects. The folder is written under a temporary name and renamed when it is complete. `backup.json`
// contains the size and the digest of each part.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { readOrNull } from "../kit/files.mjs";
import { Refusal } from "../kit/refusal.mjs";
import { COUNTERS, readMark, readMigrations, readRows, readTables } from "./rows.mjs";

const FORMAT = 2;
/** Format 1 has no Durable Objects and no objects in R2 except packages. */
const SUPPORTED = [1, FORMAT];
/** Lists beside the tables. */
const OBJECTS = "objects";
const DURABLE = "durable-objects";
/** The paths of Durable Objects: the folder of their class and the file, as workerd names them. */
const DURABLE_FILE = /^[\w-]+\/[\w.-]+\.sqlite$/;
/** The number of times the rows are read if skills are published meanwhile. */
const ROUNDS = 5;
/** The number of packages that are read or written at the same time. */
const LANES = 6;

/**
 * The source of a backup and the target of a restore.
 * @typedef {{ query: import("./rows.mjs").Query, readPackage: (key: string) => Promise<Uint8Array | null>, writePackage: (key: string,
 * bytes: Uint8Array) => Promise<void>, run: (statements: AsyncIterable<string>) => Promise<void>, }} Store
 */

/**
 * What a store on this machine has beyond that.
 * @typedef {{ otherObjects: () => AsyncIterable<{ key: string, bytes: Uint8Array, contentType: string | null }>, copyObjects: (folder:
 * string) => Promise<string[]> }} Whole
 */

/** @typedef {{ name: string, rows: number, sha256: string }} ListOf a file of lines of JSON */
/** @typedef {ListOf & { columns: string[], key: string[] }} TableOf */
/**
 * @typedef {{ format: number, gateway: string, made_at: string, migrations: string[], tables: TableOf[], packages: number, lists?: ListOf[] }}
 * Manifest
 */

/** An object of a row is missing, because its skill was deleted meanwhile or because it is lost. */
export class PackageMissing extends Refusal {}

/**
 * Writes a backup of a store into a folder that does not exist yet.
 * @param {Store & Partial<Whole>} store
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
        throw new PackageMissing(`Package ${key} not found. If its skill was just deleted, run the backup again.`);
      if (digest(bytes) !== sha256) throw new Refusal(`Package ${key} is damaged: its SHA-256 does not match its row.`);
      await writeFile(path.join(draft, key), bytes, { mode: 0o600 });
      packages++;
    });
    const lists = store.copyObjects === undefined ? [] : await writeObjects(store, draft);
    const manifest = {
      format: FORMAT,
      gateway,
      made_at: new Date().toISOString(),
      migrations,
      tables,
      packages,
      lists,
    };
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
  return { ...table, ...(await writeLines(folder, table.name, readRows(store.query, table))) };
}

/** @returns {Promise<ListOf>} */
async function writeLines(folder, name, lines) {
  const file = await open(path.join(folder, `${name}.jsonl`), "w", 0o600);
  try {
    const hash = createHash("sha256");
    let rows = 0;
    for await (const line of lines) {
      const text = `${line}\n`;
      await file.write(text);
      hash.update(text);
      rows++;
    }
    return { name, rows, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

/** Writes what only a store on this machine has. */
async function writeObjects(store, folder) {
  await mkdir(path.join(folder, OBJECTS), { mode: 0o700 });
  async function* objects() {
    for await (const { key, bytes, contentType } of store.otherObjects()) {
      const sha256 = digest(bytes);
      await writeFile(path.join(folder, OBJECTS, sha256), bytes, { mode: 0o600 });
      yield JSON.stringify({ key, content_type: contentType, sha256 });
    }
  }
  async function* durable() {
    for (const file of await store.copyObjects(path.join(folder, DURABLE)))
      yield JSON.stringify({ file, sha256: await digestOf(path.join(folder, DURABLE, file)) });
  }
  return [await writeLines(folder, OBJECTS, objects()), await writeLines(folder, DURABLE, durable())];
}

/** Reads and checks the whole backup before it is used. */
export async function checkBackup(folder) {
  const text = await readOrNull(path.join(folder, "backup.json"));
  if (text === null) throw new Refusal(`${folder} is not a backup: backup.json not found.`);
  const manifest = JSON.parse(text);
  if (!SUPPORTED.includes(manifest.format))
    throw new Refusal(
      `The format of the backup is not supported (found ${manifest.format}, supported ${SUPPORTED.join(", ")}).`,
    );
  const problems = [];
  const lists = manifest.lists ?? [];
  for (const { name, rows, sha256 } of [...manifest.tables, ...lists]) {
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
    await inLanes(filesIn(folder, lists), async ({ file, sha256 }) => {
      const found = await digestOf(path.join(folder, file)).catch(() => null);
      if (found === null) problems.push(`${file} is missing`);
      else if (found !== sha256) problems.push(`${file} does not match its digest`);
    });
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

/** Sends every other object of R2 to a store. */
export async function sendObjects(store, folder, manifest) {
  if (!hasList(manifest, OBJECTS)) return;
  await inLanes(rowsOf(folder, OBJECTS), async ({ key, content_type, sha256 }) =>
    store.writePackage(key, await readFile(path.join(folder, OBJECTS, sha256)), content_type),
  );
}

/**
 * Copies the Durable Objects to where workerd reads them.
 * @returns {Promise<boolean>} whether the backup has them
 */
export async function copyDurableObjects(folder, manifest, target) {
  if (!hasList(manifest, DURABLE)) return false;
  await rm(target, { recursive: true, force: true });
  for await (const { file } of rowsOf(folder, DURABLE)) {
    await mkdir(path.dirname(path.join(target, file)), { recursive: true });
    await copyFile(path.join(folder, DURABLE, file), path.join(target, file));
  }
  return true;
}

const hasList = ({ lists = [] }, name) => lists.some((list) => list.name === name);

/** Yields the files of the lists, with their digests. */
async function* filesIn(folder, lists) {
  for (const { name } of lists) {
    for await (const { file, sha256 } of rowsOf(folder, name)) {
      if (file !== undefined && !DURABLE_FILE.test(file)) throw new Refusal(`${folder} has an invalid path: ${file}.`);
      yield { file: path.join(name, file ?? sha256), sha256 };
    }
  }
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

async function digestOf(file) {
  return digest(await readFile(file));
}
