// Reads skills from a site with a well-known index: version 0.2 (one artifact with digest per skill) and 0.1 (a list of files).

import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import * as z from "zod";
import type { ClaimedSource } from "../../../src/domain/catalog/source";
import { checkName } from "../../../src/domain/package/name";
import { keysIn, verified } from "../attestation";
import { note, type Work } from "../context";
import { filesOf, type PackedFile, readSkill } from "../folder";
import { acceptedKeys } from "../known-keys";
import { EXIT, Problem } from "../problem";
import { bytesOf, fetchFrom, jsonFrom } from "./fetched";
import { BOUNDS, type FoundSkill } from "./found";
import { readTar } from "./tar";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const PLACES = [".well-known/agent-skills/index.json", ".well-known/skills/index.json"];

const artifactSchema = z.looseObject({
  name: z.string(),
  type: z.string(),
  url: z.string(),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** The signed statement about the skill, if the site is a gateway that signs. */
  attestation: z.string().optional(),
});
const listedSchema = z.looseObject({ name: z.string(), files: z.array(z.string()).max(2_000) });
const indexSchema = z.looseObject({ $schema: z.string().optional(), skills: z.array(z.unknown()).max(10_000) });

/** A skill in an index, not downloaded yet. */
export interface Offer {
  name: string;
  /** Digest of its artifact, if the index has one. */
  digest: string | null;
  fetch(): Promise<FoundSkill>;
}

/** Returns the skills of a site, from the index below the address or else at the site's root. */
export async function offersOf(work: Work, address: string): Promise<Offer[]> {
  const base = new URL(address);
  const bases = /index\.json$/.test(base.pathname)
    ? [base]
    : [...new Set([`${base.pathname.replace(/\/+$/, "")}/`, "/"])].flatMap((path) =>
        PLACES.map((place) => new URL(path + place, base.origin)),
      );
  for (const url of bases) {
    const response = await fetchFrom(work, url);
    if (response === null) continue;
    const text = Buffer.from(await bytesOf(response, BOUNDS.artifact)).toString("utf8");
    const index = readIndex(text, url);
    if (index.$schema !== undefined && index.$schema !== SCHEMA)
      throw new Problem(EXIT.refused, `${url} is an unsupported index (${index.$schema}). Update this program.`);
    return index.skills.flatMap(
      (entry) => offerOf(work, new URL(response.url || url), url.href, index.$schema !== undefined, entry) ?? [],
    );
  }
  throw new Problem(EXIT.absent, `${base.origin} has no index of skills (${PLACES.join(", ")}). Check the URL.`);
}

type Fetched = Omit<FoundSkill, "source">;

function readIndex(text: string, url: URL): z.infer<typeof indexSchema> {
  try {
    return indexSchema.parse(JSON.parse(text));
  } catch {
    throw new Problem(EXIT.refused, `${url} is not an index of skills. Check the URL.`);
  }
}

/** @param asked the requested address, which may have redirected to `index` */
function offerOf(work: Work, index: URL, asked: string, isArtifact: boolean, entry: unknown): Offer | null {
  const read = (isArtifact ? artifactSchema : listedSchema).safeParse(entry);
  const name = read.success ? read.data.name : "";
  if (!read.success || checkName(name, "index").issues.length > 0) {
    note(work, `An entry of ${index} was skipped: its format or its skill name is not valid.`);
    return null;
  }
  const artifact = artifactSchema.safeParse(entry);
  if (isArtifact && artifact.success) {
    if (!["skill-md", "archive"].includes(artifact.data.type)) return null;
    const { digest } = artifact.data;
    const source: ClaimedSource = { type: "index", url: asked, digest };
    return { name, digest, fetch: async () => ({ ...(await fetchArtifact(work, index, artifact.data)), source }) };
  }
  const listed = listedSchema.parse(entry);
  const source: ClaimedSource = { type: "index", url: asked };
  return { name, digest: null, fetch: async () => ({ ...(await fetchListed(work, index, listed)), source }) };
}

async function fetchArtifact(
  work: Work,
  index: URL,
  { name, type, url, digest, attestation }: z.infer<typeof artifactSchema>,
): Promise<Fetched> {
  const from = new URL(url, index);
  const response = await fetchFrom(work, from);
  if (response === null) throw new Problem(EXIT.absent, `${from} not found.`);
  const bytes = await bytesOf(response, BOUNDS.artifact);
  if (`sha256:${createHash("sha256").update(bytes).digest("hex")}` !== digest)
    throw new Problem(EXIT.refused, `The digest of ${name} does not match the index. Nothing was added.`);
  if (type === "skill-md") return { name, origin: from.href, files: new Map([["SKILL.md", plain(bytes)]]) };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { name, origin: from.href, files: await unpackedTar(name, bytes) };
  const { package: found, issues } = await readSkill(bytes, `${name}.zip`);
  if (found === null)
    throw new Problem(EXIT.refused, `${name} is not a valid skill: ${issues.map(({ message }) => message).join("; ")}`);
  if (attestation !== undefined) {
    const [keySet, envelope] = await Promise.all([
      jsonFrom(work, new URL("/.well-known/jwks.json", index)),
      jsonFrom(work, new URL(attestation, index)),
    ]);
    const keys = await acceptedKeys(work, index.origin, keysIn(keySet));
    await verified(envelope, keys, { zipSha256: found.zipSha256, name });
  }
  return { name, origin: from.href, files: new Map([...filesOf(found)].map(([path, file]) => [path, plain(file)])) };
}

async function unpackedTar(name: string, bytes: Uint8Array): Promise<Map<string, PackedFile>> {
  const files = new Map<string, PackedFile>();
  const unpacked = pipeline(Readable.from([bytes]), createGunzip(), () => {});
  const refused = (path: string) => {
    throw new Problem(EXIT.refused, `${name} contains a link (${path}). Links are not supported.`);
  };
  try {
    for await (const { path, ...file } of readTar(unpacked, BOUNDS, { wants: () => true, refused, comment: () => {} }))
      files.set(path.replace(/^\.\//, ""), file);
  } catch (error) {
    throw error instanceof Problem
      ? error
      : new Problem(EXIT.refused, `${name} cannot be unpacked: it is not a tar.gz.`);
  }
  if (files.has("SKILL.md")) return files;
  const folders = new Set([...files.keys()].map((path) => path.split("/", 1)[0] ?? ""));
  const [only = ""] = folders;
  if (folders.size !== 1) return files;
  return new Map([...files].map(([path, file]) => [path.slice(only.length + 1), file]));
}

async function fetchListed(work: Work, index: URL, { name, files }: z.infer<typeof listedSchema>): Promise<Fetched> {
  const found = new Map<string, PackedFile>();
  for (const file of files) {
    const from = new URL(`${encodeURIComponent(name)}/${file.split("/").map(encodeURIComponent).join("/")}`, index);
    const response = await fetchFrom(work, from);
    if (response === null) throw new Problem(EXIT.absent, `${from} not found, although the index lists it.`);
    found.set(file, plain(await bytesOf(response, BOUNDS.artifact)));
  }
  return { name, origin: new URL(".", index).href, files: found };
}

function plain(bytes: Uint8Array): PackedFile {
  return { bytes, isExecutable: false };
}
