// Stores the signing keys of each gateway at first use, and refuses others later.

import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { endorsedKeys } from "../../src/domain/attestation/endorsement";
import type { PublicSigningKey } from "../../src/domain/attestation/statement";
import { isLoopback } from "../../src/domain/loopback";
import { note, type Work } from "./context";
import { EXIT, Problem } from "./problem";
import { configFile } from "./sign-in";

/** Ids of keys, which are their thumbprints, by gateway. */
const storedSchema = z.record(z.string(), z.array(z.string()));
type StoredKeys = z.infer<typeof storedSchema>;

const fileOf = (work: Work) => configFile(work, "keys.json");

/**
 * Returns those of the published keys that this machine accepts for a gateway: all at the first use, and later those that are stored or that
 * a stored key endorses. Throws a `Problem` if the gateway has stored keys and publishes none that is accepted. Keys of gateways on this
 * machine are not stored, because each checkout has its own.
 *
 * @param url the base URL of the gateway, or the origin of a site
 */
export async function acceptedKeys(
  work: Work,
  url: string,
  published: readonly PublicSigningKey[],
): Promise<PublicSigningKey[]> {
  if (isLoopback(new URL(url).hostname)) return [...published];
  const all = await readStored(work);
  const stored = all[url] ?? [];
  if (stored.length === 0) {
    await store(work, all, url, published);
    return [...published];
  }
  const accepted = await endorsedKeys(stored, published);
  if (accepted.length === 0)
    throw new Problem(
      EXIT.refused,
      `${url} no longer publishes the keys that it signed with before (${stored.join(", ")}). It publishes ${
        published.length === 0 ? "none" : idsOf(published)
      }. Compare these ids with the operator's, then run \`${work.program} trust ${url}\`.`,
    );
  await store(work, all, url, accepted);
  return accepted;
}

/** Stores the keys that a gateway publishes now in place of others. */
export async function trustKeys(work: Work, url: string, published: readonly PublicSigningKey[]): Promise<void> {
  await store(work, await readStored(work), url, published, true);
}

export const idsOf = (keys: readonly Pick<PublicSigningKey, "kid">[]) => keys.map(({ kid }) => kid).join(", ");

async function readStored(work: Work): Promise<StoredKeys> {
  const file = fileOf(work);
  const text = await readFile(file, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "{}";
    throw new Problem(EXIT.refused, `${file} cannot be read (${error.code}). Check its permissions.`);
  });
  try {
    return storedSchema.parse(JSON.parse(text));
  } catch {
    throw new Problem(EXIT.refused, `${file} is damaged. Restore it, or delete it to store the keys of gateways anew.`);
  }
}

async function store(
  work: Work,
  all: StoredKeys,
  url: string,
  keys: readonly PublicSigningKey[],
  isRequired = false,
): Promise<void> {
  const next = keys.map(({ kid }) => kid);
  if (JSON.stringify(next) === JSON.stringify(all[url] ?? [])) return;
  const file = fileOf(work);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, JSON.stringify({ ...all, [url]: next }, null, 2), { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (isRequired) throw new Problem(EXIT.refused, `The keys of ${url} could not be stored (${reason}).`);
    note(work, `The keys of ${url} could not be stored (${reason}). A change of its keys will not be noticed.`);
  }
}
