// Reads contents of versions from the nearest source: the isolate's memory, the nearest replica, D1.

import type { Described } from "../../domain/conversation/offered";
import { readVersionContents, type VersionContent } from "../../storage/d1/catalog";
import type { Database } from "../../storage/d1/database";
import type { Context } from "../context";

/** Versions are immutable, so cached contents stay valid. The oldest are removed first. */
const seen = new Map<string, { content: VersionContent; weight: number }>();
const SEEN_CHARS = 8 * 1024 * 1024;
/** Approximate characters per file entry. */
const FILE_CHARS = 200;
let seenChars = 0;

/** Returns contents of versions by id. The caller has checked visibility. Deleted versions are absent; ids are never reused. */
export async function contentsOf(
  context: Context,
  versionIds: readonly string[],
): Promise<Map<string, VersionContent>> {
  const known = new Map(versionIds.flatMap((id) => withId(id, seen.get(id)?.content)));
  const missing = versionIds.filter((id) => !known.has(id));
  const read = await readVersionFacts(context, missing, readVersionContents);
  cacheContents(read);
  return new Map([...known, ...read]);
}

/** Reads immutable facts of versions from the nearest replica, and what it does not have from one that is as recent as the caller. */
export async function readVersionFacts<T>(
  context: Context,
  versionIds: readonly string[],
  read: (db: Database, versionIds: readonly string[]) => Promise<Map<string, T>>,
): Promise<Map<string, T>> {
  if (versionIds.length === 0) return new Map();
  const found = await read(context.nearest, versionIds);
  const missing = versionIds.filter((id) => !found.has(id));
  return missing.length === 0 ? found : new Map([...found, ...(await read(context.db, missing))]);
}

/** Whether this isolate has a version's content. */
export function isCached(versionId: string): boolean {
  return seen.has(versionId);
}

/** Caches contents of versions. */
export function cacheContents(read: ReadonlyMap<string, VersionContent>): void {
  for (const [id, content] of read) {
    if (seen.has(id)) continue;
    const weight = weightOf(content);
    seen.set(id, { content, weight });
    seenChars += weight;
  }
  for (const [oldest, { weight }] of seen) {
    if (seenChars <= SEEN_CHARS) break;
    seen.delete(oldest);
    seenChars -= weight;
  }
}

/** Adds the provider's tool descriptions to a cached version. */
export function noteDescribed(versionId: string, described: Described): void {
  const known = seen.get(versionId);
  if (known !== undefined) seen.set(versionId, { ...known, content: { ...known.content, described } });
}

function withId(id: string, content: VersionContent | undefined): [string, VersionContent][] {
  return content === undefined ? [] : [[id, content]];
}

function weightOf(content: VersionContent): number {
  const { instructions, description, files, config, tools, provider, servers, described } = content;
  const declared = JSON.stringify([config, tools, provider, servers, described]).length;
  return instructions.length + description.length + declared + files.length * FILE_CHARS;
}
