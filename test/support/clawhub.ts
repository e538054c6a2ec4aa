// Requests of the `clawhub` client 0.23.3, taken from its package.

import { createHash } from "node:crypto";
import { unzipSync } from "fflate";
import { call } from "./call";

export const API = "/api/v1";
export const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

/** Sends a request with or without a key. */
export const ask = (path: string, key: string | null = null) => call("GET", `${API}${path}`, { key });

export interface Release {
  slug: string;
  files: Record<string, string>;
  version?: string;
  owner?: string;
  more?: object;
}

export interface Sent {
  path: string;
  size: number;
  storageId: string;
  sha256: string;
  contentType: string;
  uploadTicket: string;
}

/** Requests an upload ticket and uploads a file. Throws the response if it is not 200. */
export async function upload(key: string, path: string, text: string): Promise<Sent> {
  const bytes = new TextEncoder().encode(text);
  const said = { path, size: bytes.length, sha256: sha256(bytes), contentType: "text/plain" };
  const asked = await call("POST", `${API}/skills/-/upload-url`, { key, json: said });
  if (asked.status !== 200) throw asked;
  const { uploadUrl, uploadTicket } = await asked.json<{ uploadUrl: string; uploadTicket: string }>();
  const stored = await call("POST", new URL(uploadUrl).pathname, {
    ...{ key, body: bytes, headers: { "content-type": said.contentType } },
  });
  if (stored.status !== 200) throw stored;
  const { storageId } = await stored.json<{ storageId: string }>();
  return { ...said, storageId, uploadTicket };
}

/** Sends the last request of `clawhub skill publish`. */
export async function publishSlug(key: string, { slug, files, version = "1.0.0", owner, more }: Release) {
  const { user } = await (await ask("/whoami", key)).json<{ user: { handle: string } }>();
  const sent: Sent[] = [];
  for (const [path, text] of Object.entries(files)) sent.push(await upload(key, path, text));
  return release(key, { slug, version, ownerHandle: owner ?? user.handle, files: sent, ...more });
}

export const release = (key: string | null, json: object) =>
  call("POST", `${API}/skills`, {
    ...{ key, json: { displayName: "X", changelog: "", acceptLicenseTerms: true, tags: ["latest"], ...json } },
  });

/** Returns the client's digest of a folder, which it uses to look up the installed version. */
export function fingerprint(files: Record<string, string>): string {
  const lines = Object.entries(files)
    .map(([path, text]) => ({ path, digest: sha256(text) }))
    .sort((a, b) => a.path.localeCompare(b.path))
    .map(({ path, digest }) => `${path}:${digest}`);
  return sha256(lines.join("\n"));
}

export interface Detail {
  skill: { slug: string; displayName: string; summary: string; tags: Record<string, string> };
  latestVersion: { version: string; createdAt: number; changelog: string; license: null };
  owner: { handle: string };
  moderation: { isSuspicious: boolean; isMalwareBlocked: boolean; verdict: string; reasonCodes: string[] };
}

/** Runs `clawhub install` and returns the unpacked files, or the first error response. */
export async function install(slug: string, key: string | null, owner?: string, version?: string) {
  const scoped = owner === undefined ? "" : `?ownerHandle=${encodeURIComponent(owner)}`;
  const answer = await ask(`/skills/${slug}${scoped}`, key);
  if (answer.status !== 200) return { stopped: answer.status, told: await answer.text() };
  const detail = await answer.json<Detail>();
  const query = new URLSearchParams({
    ...{ slug, ownerHandle: owner ?? detail.owner.handle, version: version ?? detail.latestVersion.version },
  });
  const archive = await ask(`/download?${query}`, key);
  if (archive.status !== 200) return { stopped: archive.status, told: await archive.text() };
  const files = unzipSync(new Uint8Array(await archive.arrayBuffer()));
  const texts = Object.entries(files).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]);
  return { detail, files: Object.fromEntries(texts) as Record<string, string> };
}

export const skillText = (name: string, body = "Do it.", description = "Draws ships.") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
