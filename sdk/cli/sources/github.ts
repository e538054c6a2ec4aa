// Reads skills of a repository from its host's archive. This needs no git and is not subject to API rate limits.

import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { ClaimedSource } from "../../../src/domain/catalog/source";
import type { Work } from "../context";
import type { PackedFile } from "../folder";
import { EXIT, misused, Problem } from "../problem";
import { fetchFrom, piecesOf } from "./fetched";
import { BOUNDS, type FoundSkill } from "./found";
import { readTar } from "./tar";

const HOST = "https://codeload.github.com";
const PAGES = "https://github.com";

export interface Repository {
  owner: string;
  repo: string;
  path: string;
  ref: string;
}

/** Parses `github:owner/repo[/path][@ref]` or the browser URL of a folder. Returns `null` for anything else. */
export function parseRepository(text: string): Repository | null {
  const page = /^https:\/\/github\.com\/([^/]+)\/([^/]+?)(?:\.git)?(?:\/tree\/([^/]+)(?:\/(.+?))?)?\/?$/.exec(text);
  if (page !== null) return checked({ owner: page[1], repo: page[2], ref: page[3], path: page[4] }, text);
  if (!text.startsWith("github:")) return null;
  const [place = "", ref] = splitLast(text.slice("github:".length), "@");
  const [owner, repo, ...path] = place.split("/").filter((part) => part !== "");
  return checked({ owner, repo, ref, path: path.join("/") }, text);
}

function checked(parts: { [part in keyof Repository]: string | undefined }, text: string): Repository {
  const { owner = "", repo = "", path = "", ref = "HEAD" } = parts;
  const isName = (name: string) => /^[A-Za-z0-9._-]+$/.test(name) && !/^\.+$/.test(name);
  const isPath = path.split("/").every((part) => part !== ".." && part !== ".");
  if (!isName(owner) || !isName(repo) || !isPath || !/^[A-Za-z0-9._/+-]+$/.test(ref) || ref.includes(".."))
    throw misused(`${text} is not a repository. Write github:owner/repo/path@ref.`);
  return { owner, repo, path: path.replace(/\/+$/, ""), ref };
}

function splitLast(text: string, at: string): [string, string | undefined] {
  const place = text.lastIndexOf(at);
  return place < 0 ? [text, undefined] : [text.slice(0, place), text.slice(place + 1)];
}

/** Returns the repository of a source, and its host if it is not GitHub. `null` if the source is not a repository. */
export function repositoryOf({
  url,
  path = "",
  ref = "HEAD",
}: ClaimedSource): { repository: Repository; host?: string } | null {
  const parts = /^(https?:\/\/[^/]+(?:\/.+)?)\/([A-Za-z0-9._-]+)\/([A-Za-z0-9._-]+)\/?$/.exec(url);
  const [, host = "", owner = "", repo = ""] = parts ?? [];
  if (parts === null || [owner, repo].some((name) => /^\.+$/.test(name))) return null;
  const repository = { owner, repo, path, ref };
  return host === PAGES ? { repository } : { repository, host };
}

/** How to request an archive. */
export interface ArchiveAsk {
  /** A host that serves archives in the same way as GitHub. */
  host?: string | undefined;
  /** Token for GitHub. It is not sent to other hosts. */
  token: string | undefined;
  /** A commit whose content is already stored. If the archive has this commit, reading stops. */
  known?: string | undefined;
}

/** Returns the skills below a path of a repository, by name. */
export async function skillsOfRepository(
  work: Work,
  { owner, repo, path, ref }: Repository,
  { host = HOST, token, known }: ArchiveAsk,
): Promise<{ skills: FoundSkill[]; isKnown: boolean }> {
  const url = new URL(`${host.replace(/\/+$/, "")}/${owner}/${repo}/tar.gz/${ref}`);
  // The token is sent only to GitHub, also with `--source`.
  const headers: Record<string, string> = token && url.origin === HOST ? { authorization: `Bearer ${token}` } : {};
  const response = await fetchFrom(work, url, headers);
  if (response === null)
    throw new Problem(
      EXIT.absent,
      `${owner}/${repo} not found at ${ref}. Check the name, or set GITHUB_TOKEN if it is private.`,
    );
  const files = new Map<string, PackedFile>();
  const links: string[] = [];
  let commit: string | null = null;
  const inside = (entry: string) => {
    // The archive has one top folder, named after the repository and commit.
    const within = entry.split("/").slice(1).join("/");
    return within === path || path === "" || within.startsWith(`${path}/`) ? within : null;
  };
  const gunzip = createGunzip();
  const unpacked = pipeline(Readable.from(piecesOf(response)), gunzip, () => {});
  try {
    const hooks = {
      wants: (entry: string) => inside(entry) !== null,
      refused: (entry: string) => void (inside(entry) !== null && links.push(inside(entry) ?? "")),
      comment: (text: string) => {
        commit = /^[0-9a-f]{40,64}$/.test(text) ? text : null;
      },
    };
    for await (const { path: entry, ...file } of readTar(unpacked, BOUNDS, hooks)) {
      // The commit comes before all files in the archive.
      if (known !== undefined && commit === known) return { skills: [], isKnown: true };
      files.set(inside(entry) ?? "", file);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(EXIT.unreachable, "The archive cannot be unpacked: it is incomplete or not a tar.gz. Try again.");
  } finally {
    unpacked.destroy();
  }
  const at = `github:${owner}/${repo}@${commit ?? ref}`;
  const source: ClaimedSource = {
    type: "git",
    url: `${host === HOST ? PAGES : host.replace(/\/+$/, "")}/${owner}/${repo}`,
    ...(ref === "HEAD" ? {} : { ref }),
    ...(commit === null ? {} : { commit }),
  };
  return { skills: skillsIn(files, { path, repo, links, at, source }), isKnown: false };
}

/** Every folder with a SKILL.md is a skill, except folders inside another skill. */
function skillsIn(
  files: ReadonlyMap<string, PackedFile>,
  {
    path,
    repo,
    links,
    at,
    source,
  }: { path: string; repo: string; links: readonly string[]; at: string; source: ClaimedSource },
): FoundSkill[] {
  const roots = [...files.keys()]
    .filter((file) => /(^|\/)SKILL\.md$/.test(file))
    .map((file) => file.replace(/\/?SKILL\.md$/, ""))
    .sort((a, b) => a.length - b.length);
  const outer = roots.filter(
    (root, at_) => !roots.slice(0, at_).some((other) => other === "" || root.startsWith(`${other}/`)),
  );
  return outer.map((root) => {
    const prefix = root === "" ? "" : `${root}/`;
    const name = (root === "" ? path || repo : root).split("/").at(-1) ?? repo;
    const link = links.find((entry) => entry.startsWith(prefix));
    if (link !== undefined)
      throw new Problem(EXIT.refused, `${name} contains a link (${link}). Links are not supported.`);
    const own = [...files]
      .filter(([file]) => file.startsWith(prefix))
      .map(([file, packed]) => [file.slice(prefix.length), packed] as const);
    return {
      name,
      files: new Map(own),
      origin: `${at}${root === "" ? "" : `:${root}`}`,
      source: root === "" ? source : { ...source, path: root },
    };
  });
}
