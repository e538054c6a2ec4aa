// Skills that a server of the gateway offers (SEP-2640): an admin reviews and approves them, and they are published from a snapshot.

import { GATEWAY_SCOPE, namespaceOfScope, PUBLIC_SCOPE, PUBLIC_USER } from "../../domain/access/access";
import { decodeBase64 } from "../../domain/base64";
import type { SkillSource } from "../../domain/catalog/source";
import { crc32 } from "../../domain/crc32";
import { GatewayError } from "../../domain/errors";
import { writeZip, type ZipItem } from "../../domain/package/canonical";
import { readFrontmatter } from "../../domain/package/frontmatter";
import { isName } from "../../domain/package/name";
import { foldName } from "../../domain/package/path";
import {
  entryDigest,
  fileProblem,
  isSameJson,
  localSkillName,
  OFFERED_LIMITS,
  type OfferedEntry,
  type OfferedFile,
  offeredFiles,
  offersSkills,
  readSkillsPage,
  resourceContents,
} from "../../domain/servers/offered-skills";
import { gatewayEntrySchema } from "../../domain/servers/owner";
import { utf8Text } from "../../domain/text";
import { readServer } from "../../storage/d1/mcp-servers";
import { findSkillNamed, type ServerSkillRow, skillsOfServer } from "../../storage/d1/registry/server-skills";
import { putServerSkillState, serverSkillStates } from "../../storage/d1/servers/checks";
import { readDeclaredVersion } from "../../storage/d1/versions";
import type { Upstream } from "../../upstream/client";
import { UpstreamFault } from "../../upstream/fault";
import { requireAdmin } from "../admin";
import type { Context } from "../context";
import { removeServer, serverNotFound } from "../servers/admin";
import { withServerConnection } from "../servers/test-server";
import { deleteSkill } from "./deletion";
import { publish } from "./publish";
import { activate, requireRight, unyank } from "./skills";

/**
 * `new`: not approved. `approved`: published as it is offered. `changed`: published, and the server offers other content. `withdrawn`:
 * published, and the server does not offer it any more. `unusable`: it cannot be published.
 */
export type OfferedState = "new" | "approved" | "changed" | "withdrawn" | "unusable";

/** A skill that a server offers, or did. */
export interface ServerSkill {
  uri: string;
  /** Its name in the catalog. */
  name: string;
  description: string;
  /** What an approval names; `null` if it is withdrawn. */
  digest: string | null;
  files: number;
  bytes: number;
  /** Its files as the server lists them; none if their paths cannot be used. */
  resources: { path: string; bytes: number; digest: string }[];
  state: OfferedState;
  problem: string | null;
  skill_id: string | null;
}

/** Runs later, after the response. */
type Later = (work: Promise<void>) => void;

/** Returns the skills that a server offers, and those that were approved. Reads no file of a skill. */
export async function listServerSkills(context: Context, server: string, later: Later): Promise<ServerSkill[]> {
  requireAdmin(context.caller.principal);
  const { entries } = await connected(context, server, later, readEntries);
  const [published, states] = await Promise.all([
    skillsOfServer(context.db, server),
    serverSkillStates(context.db, server),
  ]);
  const left = new Map(published.map((row) => [row.source.url, row]));
  const offered: ServerSkill[] = [];
  for (const entry of entries) {
    offered.push(await described(server, entry, left.get(entry.uri)));
    left.delete(entry.uri);
  }
  const isListed = new Set(
    [...entries, ...[...left.values()].map(({ source }) => ({ uri: source.url }))].map(({ uri }) => uri),
  );
  const yanked = states.filter(({ state, uri }) => state === "withdrawn" && !isListed.has(uri));
  return [
    ...offered,
    ...[...left.values()].map(({ id, name, description, source }) =>
      withdrawn({ id, name, description, uri: source.url }),
    ),
    ...yanked.map(({ skillId, name, uri }) => withdrawn({ id: skillId, name, description: "", uri })),
  ];
}

async function described(
  server: string,
  entry: OfferedEntry,
  known: Pick<ServerSkillRow, "id" | "name" | "source"> | undefined,
): Promise<ServerSkill> {
  const { uri, frontmatter, resources } = entry;
  const name = localSkillName(server, entry);
  const files = offeredFiles(entry);
  const digest = await entryDigest(entry);
  const problem = nameProblem(name) ?? ("problem" in files ? files.problem : null);
  const isApproved = known?.source.digest === digest;
  return {
    ...{ uri, name: known?.name ?? name ?? "", digest, problem, skill_id: known?.id ?? null },
    description: typeof frontmatter.description === "string" ? frontmatter.description.slice(0, 1_024) : "",
    files: resources.length,
    resources: "problem" in files ? [] : files.files.map(({ path, size, digest }) => ({ path, bytes: size, digest })),
    bytes: resources.reduce((sum, { size }) => sum + size, 0),
    state: problem !== null ? "unusable" : known === undefined ? "new" : isApproved ? "approved" : "changed",
  };
}

function nameProblem(name: string | null): string | null {
  if (name === null) return "its frontmatter has no name";
  return isName(name) ? null : "its name and that of the server do not form the name of a skill";
}

function withdrawn({ id, ...skill }: { id: string; name: string; description: string; uri: string }): ServerSkill {
  return { ...skill, digest: null, files: 0, bytes: 0, resources: [], problem: null, state: "withdrawn", skill_id: id };
}

/** Returns the digests of the skills that a server offers, by address. `isComplete`: the list was read to its end. */
export async function offeredDigests(
  upstream: Upstream,
): Promise<{ digests: ReadonlyMap<string, string>; isComplete: boolean }> {
  const { entries, isComplete } = await readEntries(upstream);
  const digests = await Promise.all(entries.map(async (entry) => [entry.uri, await entryDigest(entry)] as const));
  return { digests: new Map(digests), isComplete };
}

/**
 * Publishes an offered skill for everybody, exactly as it was reviewed. Its files are fetched once and compared with the entry; the first
 * file that differs ends the approval. Later calls of conversations never read the server.
 *
 * @param digest of the entry that was reviewed
 */
export async function approveServerSkill(
  context: Context,
  server: string,
  asked: { uri: string; digest: string },
  later: Later,
): Promise<ServerSkill> {
  const { principal } = context.caller;
  requireAdmin(principal);
  requireRight(principal, "publish", PUBLIC_SCOPE);
  const { entry, zip, name } = await connected(context, server, later, async (upstream) => {
    const found = (await readEntries(upstream)).entries.find(({ uri }) => uri === asked.uri);
    if (found === undefined) throw notOffered();
    if ((await entryDigest(found)) !== asked.digest) throw changedSince();
    return snapshot(upstream, server, found);
  });
  const there = await findSkillNamed(context.db, PUBLIC_SCOPE, foldName(name));
  const isOurs = there?.source?.type === "mcp" && there.source.server === server && there.source.url === entry.uri;
  if (there !== null && !isOurs)
    throw new GatewayError(
      "conflict",
      "NAME_TAKEN",
      `A public skill '${there.name}' from another origin already exists. Rename or delete it first.`,
    );
  const source: SkillSource = {
    ...{ type: "mcp", server, url: entry.uri, digest: asked.digest },
    taken_at: new Date(context.now()).toISOString(),
  };
  const target =
    there === null
      ? { scope: PUBLIC_SCOPE, namespace: namespaceOfScope(PUBLIC_SCOPE), userId: PUBLIC_USER, isNew: true as const }
      : { scope: PUBLIC_SCOPE, id: there.id, name: there.name };
  // A server can change content and keep its version, so the label is that of the content.
  const label = asked.digest.slice("sha256:".length, "sha256:".length + 12);
  // Approving a skill that was withdrawn returns it.
  const same = there === null ? null : await readDeclaredVersion(context.db, there.id, label);
  if (there !== null && same !== null) await unyank(context, there.id, same.versionId);
  const request = { upload: zip, fileName: undefined, name: undefined, target, label, idempotencyKey: null, source };
  const { status, skill } = await publish(context, request);
  if (status === 200 && there !== null && there.versionId !== skill.versionId)
    await activate(context, skill.id, skill.versionId);
  const found = { skillId: skill.id, server, uri: entry.uri, state: "approved", checkedAt: context.now() } as const;
  await putServerSkillState(context.db, found);
  return described(server, entry, { id: skill.id, name: skill.name, source });
}

/** Deletes a server, and the public skills that were approved from it. Conversations that use one receive a warning. */
export async function removeServerAndSkills(context: Context, server: string): Promise<void> {
  // The states stay in the database until their skills are deleted.
  const [standing, states] = await Promise.all([removeServer(context, server), serverSkillStates(context.db, server)]);
  const withdrawn = states.flatMap(({ state, skillId }) => (state === "withdrawn" ? [skillId] : []));
  for (const id of new Set([...standing, ...withdrawn])) await deleteSkill(context, id, true);
}

/** Connects to the server as the admin, and runs the work. */
async function connected<T>(
  context: Context,
  server: string,
  later: Later,
  work: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const row = await readServer(context.db, server);
  if (row === null) throw serverNotFound();
  const tried = { name: server, entry: gatewayEntrySchema.parse(row.entry), scope: GATEWAY_SCOPE };
  try {
    return await withServerConnection(context, tried, later, work);
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    const message = `The server cannot be used: ${error.message}. Fix the server and try again.`;
    throw new GatewayError("conflict", "MCP_SERVER_UNAVAILABLE", message);
  }
}

/** The entries of a list, and whether it was read to its end. */
interface OfferedList {
  entries: OfferedEntry[];
  isComplete: boolean;
}

async function readEntries(upstream: Upstream): Promise<OfferedList> {
  try {
    return await readPages(upstream);
  } catch (error) {
    // The method is unknown to servers without the extension.
    const isAnswer = error instanceof UpstreamFault && error.kind === "answer";
    if (!isAnswer || offersSkills(upstream.memory.server?.capabilities)) throw error;
    return { entries: [], isComplete: true };
  }
}

async function readPages(upstream: Upstream): Promise<OfferedList> {
  const entries = new Map<string, OfferedEntry>();
  let cursor: string | undefined;
  for (let page = 0; page < OFFERED_LIMITS.pages; page++) {
    const read = readSkillsPage(await upstream.ask("skills/list", cursor === undefined ? {} : { cursor }));
    if (read === null) throw new UpstreamFault("protocol", "its list of skills is not valid");
    for (const entry of read.entries) if (!entries.has(entry.uri)) entries.set(entry.uri, entry);
    cursor = read.next;
    if (cursor === undefined || entries.size >= OFFERED_LIMITS.skills) break;
  }
  const isComplete = cursor === undefined && entries.size <= OFFERED_LIMITS.skills;
  return { entries: [...entries.values()].slice(0, OFFERED_LIMITS.skills), isComplete };
}

/** Returns the package of an entry, after each of its files was compared with the entry. */
async function snapshot(upstream: Upstream, server: string, entry: OfferedEntry) {
  const found = offeredFiles(entry);
  const name = localSkillName(server, entry);
  if ("problem" in found) throw unverified(found.problem);
  const misnamed = nameProblem(name);
  if (name === null || misnamed !== null) throw unverified(misnamed ?? "");
  const items: ZipItem[] = [];
  for (const file of found.files) {
    const bytes = await readFile(upstream, file);
    const problem =
      (await fileProblem(file, bytes)) ?? (file.uri === entry.uri ? await frontmatterProblem(entry, bytes) : null);
    if (problem !== null) throw unverified(problem);
    const { path } = file;
    const size = bytes.byteLength;
    items.push({ path, name: `${name}/${path}`, stored: bytes, size, crc: crc32(bytes), mode: 0o644, method: 0 });
  }
  return { entry, name, zip: writeZip(items).zip };
}

async function readFile(upstream: Upstream, { uri, path }: OfferedFile): Promise<Uint8Array> {
  const [content] = resourceContents(await upstream.ask("resources/read", { uri }));
  if (content === undefined) throw unverified(`'${path}' has no content`);
  return "text" in content ? new TextEncoder().encode(content.text) : decodedBlob(content.blob, path);
}

function decodedBlob(blob: string, path: string): Uint8Array {
  try {
    return decodeBase64(blob);
  } catch {
    throw unverified(`'${path}' is not base64`);
  }
}

/** Returns why the frontmatter of a file is not that of the entry, which is what models and admins saw; `null` if it is. */
async function frontmatterProblem({ frontmatter }: OfferedEntry, bytes: Uint8Array): Promise<string | null> {
  const text = utf8Text(bytes);
  const read = text === null ? null : (await readFrontmatter(text)).frontmatter;
  if (read === null) return "the frontmatter of 'SKILL.md' cannot be read";
  return isSameJson(read.fields, frontmatter) ? null : "the frontmatter of 'SKILL.md' differs from the list";
}

function notOffered(): GatewayError {
  const message = "The server does not offer this skill. List its skills again.";
  return new GatewayError("not_found", "SERVER_SKILL_NOT_FOUND", message);
}

function changedSince(): GatewayError {
  const message = "The skill has changed since it was listed. Review it again.";
  return new GatewayError("conflict", "SERVER_SKILL_CHANGED", message);
}

function unverified(problem: string): GatewayError {
  const message = `The skill cannot be approved: ${problem}. Ask the operator of the server to fix it.`;
  return new GatewayError("conflict", "SERVER_SKILL_INVALID", message);
}
