// Skills of a repository, from its host's archive: no git, no limit of an API, and no more of it is kept than was asked for.

import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { PackedFile } from "../folder";
import { EXIT, misused, Problem } from "../problem";
import type { Work } from "../work";
import { fetchFrom, piecesOf } from "./fetched";
import { BOUNDS, type FoundSkill } from "./found";
import { readTar } from "./tar";

const HOST = "https://codeload.github.com";

export interface Repository {
  owner: string;
  repo: string;
  path: string;
  ref: string;
}

/** `github:owner/repo[/path][@ref]`, or the address of a folder in a browser; `null` for anything else. */
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
    throw misused(`${text} is not of the form github:owner/repo/path@ref.`);
  return { owner, repo, path: path.replace(/\/+$/, ""), ref };
}

function splitLast(text: string, at: string): [string, string | undefined] {
  const place = text.lastIndexOf(at);
  return place < 0 ? [text, undefined] : [text.slice(0, place), text.slice(place + 1)];
}

/** The skills below a path of a repository, by name. `source`: a host that serves archives as GitHub does. */
export async function skillsOfRepository(
  work: Work,
  { owner, repo, path, ref }: Repository,
  source: string = HOST,
): Promise<{ skills: FoundSkill[]; commit: string | null }> {
  const url = new URL(`${source.replace(/\/+$/, "")}/${owner}/${repo}/tar.gz/${ref}`);
  const token = work.env.GITHUB_TOKEN;
  // Theirs and nobody else's, whatever --source says.
  const headers: Record<string, string> = token && url.origin === HOST ? { authorization: `Bearer ${token}` } : {};
  const response = await fetchFrom(work, url, headers);
  if (response === null)
    throw new Problem(EXIT.absent, `There is no ${owner}/${repo} at ${ref}, or it is not public (set GITHUB_TOKEN).`);
  const files = new Map<string, PackedFile>();
  const links: string[] = [];
  let commit: string | null = null;
  const inside = (entry: string) => {
    // The archive's one folder is the repository's name and commit.
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
    for await (const { path: entry, ...file } of readTar(unpacked, BOUNDS, hooks)) files.set(inside(entry) ?? "", file);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(EXIT.unreachable, "The archive cannot be unpacked: the download broke off, or it is no tar.gz.");
  } finally {
    unpacked.destroy();
  }
  const at = `github:${owner}/${repo}@${commit ?? ref}`;
  return { skills: skillsIn(files, { path, repo, links, at }), commit };
}

/** Every folder with a SKILL.md is a skill, but those inside another skill. */
function skillsIn(
  files: ReadonlyMap<string, PackedFile>,
  { path, repo, links, at }: { path: string; repo: string; links: readonly string[]; at: string },
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
      throw new Problem(EXIT.refused, `${name} has a link, ${link}: what it points at is not taken.`);
    const own = [...files]
      .filter(([file]) => file.startsWith(prefix))
      .map(([file, packed]) => [file.slice(prefix.length), packed] as const);
    return { name, files: new Map(own), origin: `${at}${root === "" ? "" : `:${root}`}` };
  });
}
