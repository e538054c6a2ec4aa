// Imports from a Git host's archive. The archive is stored for the run, so that every slice reads the same one.

import { sha256Hex } from "../../../domain/digest";
import type { ImportSource } from "../../../domain/imports/import";
import { unplannableReason, withoutDuplicates } from "../../../domain/imports/index-document";
import { IMPORT_LIMITS } from "../../../domain/imports/limits";
import type { Planned } from "../../../domain/imports/plan";
import {
  escapesArchive,
  hasTooManyRoots,
  nameOfRoot,
  pathWithin,
  rootFinder,
  rootsOf,
} from "../../../domain/imports/roots";
import { PACKAGE_LIMITS, SKILL_TOO_LARGE } from "../../../domain/limits";
import { dropImportArchives, importArchiveKey, storeImportArchive } from "../../../storage/r2/import-archives";
import { ImportStop } from "../stop";
import { type ArchiveStore, type Member, membersOf } from "./archive-members";
import { linked } from "./index-source";
import type { SourceAsker } from "./source-client";

/** Downloads the archive and finds its skills. */
export async function planArchive(
  place: ArchiveStore,
  asker: SourceAsker,
  source: ImportSource,
  run: { id: string; run: number },
): Promise<Planned[]> {
  const { packages, timings } = place;
  const answer = await asker.get(source.url, IMPORT_LIMITS.archiveBytes);
  if (answer?.body == null) throw failed("SOURCE_ABSENT", "Archive not found at the source. Check the URL.");
  await dropImportArchives(packages, timings, run.id);
  await storeImportArchive(packages, timings, importArchiveKey(run.id, run.run), answer.body);
  const found = new Map<string, Member & { sha256: string }>();
  let top = "";
  for await (const member of membersOf(place, importArchiveKey(run.id, run.run), () => true)) {
    if (escapesArchive(member.path))
      throw failed("SOURCE_INVALID", "The archive contains a path outside of itself. Remove that entry.");
    top ||= topName(member.path, source);
    const within = pathWithin(member.path, source.path ?? "");
    if (within === null || within === "" || member.type === "folder") continue;
    const sha256 = member.bytes === null ? "" : await sha256Hex(member.bytes());
    found.set(within, { ...member, bytes: null, item: null, sha256 });
  }
  return planned(found, top);
}

/** Returns the skills of a listing, each with a digest of all its files. */
async function planned(found: ReadonlyMap<string, Member & { sha256: string }>, top: string): Promise<Planned[]> {
  const roots = rootsOf(found.keys());
  if (hasTooManyRoots(roots))
    throw failed(
      "SOURCE_TOO_LARGE",
      `Too many skills in the archive (limit ${IMPORT_LIMITS.skills}). Set \`path\` to a folder of it.`,
    );
  if (roots.length === 0)
    throw failed("SOURCE_ABSENT", "No folder with a SKILL.md found in the archive. Check `path`.");
  const rootOf = rootFinder(roots);
  const inside = Map.groupBy(found, ([path]) => rootOf(path));
  const seen = new Set<string>();
  const all: Planned[] = [];
  for (const root of roots) {
    const name = root === "" ? top : nameOfRoot(root);
    const members = inside.get(root) ?? [];
    const link = members.find(([, { type }]) => type === "link");
    const bytes = members.reduce((sum, [, { size }]) => sum + size, 0);
    const lines = members.map(([path, { sha256, isExecutable }]) => `${path}\0${isExecutable}\0${sha256}\n`).sort();
    const isTooLarge =
      bytes > PACKAGE_LIMITS.unpackedBytes ||
      members.length > PACKAGE_LIMITS.files ||
      members.some(([, { size }]) => size > PACKAGE_LIMITS.fileBytes);
    const one: Planned =
      link !== undefined
        ? unplannableReason(name, "ARCHIVE_LINK", linked(link[0]).problem.message)
        : isTooLarge
          ? unplannableReason(name, "PACKAGE_TOO_LARGE", SKILL_TOO_LARGE)
          : { name, digest: `sha256:${await sha256Hex(lines.join(""))}`, get: { how: "archive", root, bytes } };
    all.push(withoutDuplicates(seen, one));
  }
  return all;
}

/** Returns the files of some skills, by folder and path. The caller bounds the memory. */
export async function filesOfRoots(
  place: ArchiveStore,
  key: string,
  below: string,
  roots: ReadonlySet<string>,
): Promise<Map<string, (Member & { path: string })[]>> {
  const rootOf = rootFinder(roots);
  const taken = new Map([...roots].map((root): [string, (Member & { path: string })[]] => [root, []]));
  const wanted = (path: string) => {
    const within = pathWithin(path, below);
    return within === null || within === "" ? null : rootOf(within);
  };
  for await (const member of membersOf(place, key, (path) => wanted(path) !== null)) {
    const root = wanted(member.path);
    if (root === null || member.type !== "file") continue;
    const within = pathWithin(member.path, below) ?? "";
    const path = root === "" ? within : within.slice(root.length + 1);
    taken.get(root)?.push({ ...member, path });
  }
  return taken;
}

/** Returns the name of a skill at the root: the archive or folder name without the branch or commit that a host appends. */
function topName(first: string, { path = "" }: ImportSource): string {
  const folder = path === "" ? (first.split("/", 1)[0] ?? "") : nameOfRoot(path);
  return path === "" ? folder.replace(/-(?:main|master|HEAD|[0-9a-f]{7,40}|v?\d[\w.]*)$/, "") : folder;
}

function failed(code: string, message: string): ImportStop {
  return new ImportStop("failed", { code, message });
}
