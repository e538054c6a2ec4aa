// An upload becomes a skill package, or the list of everything that is wrong with it.

import { sha256Hex } from "../digest";
import type { Issue } from "../errors";
import { isJsonObject, type JsonObject } from "../json";
import { unwrapServers } from "../servers/entry";
import { exactText } from "../text";
import { type ArchiveEntry, type ArchiveReading, readArchive } from "./archive";
import { byPath, writeCanonical } from "./canonical";
import { readExamples } from "./examples";
import { type Frontmatter, readFrontmatter } from "./frontmatter";
import { chooseName, findLayout, type Layout, type Naming } from "./layout";
import { readManifest } from "./manifest";
import { checkPath } from "./path";
import { type Manifest, type PackageFile, SKILL_FILE, type SkillPackage } from "./skill";

export type { Naming } from "./layout";

/** A read upload; `package` is `null` exactly when there are issues. */
export interface PackageOutcome {
  package: SkillPackage | null;
  issues: Issue[];
  warnings: Issue[];
}

/** The issue codes that mean "too large" (413) rather than "wrong" (422). */
export const SIZE_ISSUES: ReadonlySet<string> = new Set([
  "ZIP_TOO_LARGE",
  "UNPACKED_TOO_LARGE",
  "FILE_TOO_LARGE",
  "TOO_MANY_FILES",
  "FRONTMATTER_TOO_LARGE",
  "INSTRUCTIONS_TOO_LARGE",
]);

/** What SKILL.md says. */
interface SkillText {
  frontmatter: Frontmatter;
  manifest: Manifest;
}

/**
 * Reads an uploaded ZIP. Never throws because of its content; equal content gives an equal package, whatever made the
 * ZIP. Issues and warnings: those of `archive.ts`, `layout.ts`, `frontmatter.ts`, `manifest.ts` and `examples.ts`,
 * and `SKILL_FILE_NOT_UTF8`.
 *
 * @param servers MCP servers that come beside the package: they count like its own, which go before them, and are no part of its files
 */
export async function readPackage(
  upload: Uint8Array,
  naming: Naming,
  servers: JsonObject = {},
): Promise<PackageOutcome> {
  const archive = readArchive(upload);
  const issues = [...archive.issues];
  const warnings = [...archive.warnings];

  const found = findLayout(archive.entries);
  issues.push(...found.issues.filter(({ code }) => code !== "SKILL_FILE_MISSING" || !mayBeUnread(archive)));
  warnings.push(...found.warnings);
  if (found.layout === null) return { package: null, issues, warnings: unique(warnings) };

  const text = await readSkillText(found.layout, servers, issues, warnings);
  const named = chooseName(found.layout.folder, text?.manifest.name, naming);
  // The frontmatter's name may be the one that counts, so without it nothing is missing yet.
  issues.push(...named.issues.filter(({ code }) => text !== null || code !== "NAME_MISSING"));
  warnings.push(...named.warnings);
  // Paths may be shorter than in the folder that we wrap them in.
  if (found.layout.folder !== named.name && named.issues.length === 0) {
    issues.push(...found.layout.files.flatMap(({ path }) => checkPath(`${named.name}/${path}`).issues));
  }
  if (text === null || issues.length > 0) return { package: null, issues, warnings: unique(warnings) };
  const { examples, warnings: unread } = readExamples(found.layout.files);
  if (examples.length > 0) text.manifest.examples = examples;
  const built = await build(named.name, text, found.layout.files, unique([...warnings, ...unread]));
  return { package: built, issues, warnings: built.warnings };
}

/** Whether SKILL.md may be in the archive without being among its entries. */
function mayBeUnread({ entries, issues }: ArchiveReading): boolean {
  return issues.length > 0 && (entries.length === 0 || issues.some(({ path }) => /skill\.md$/i.test(path ?? "")));
}

async function readSkillText(
  layout: Layout,
  servers: JsonObject,
  issues: Issue[],
  warnings: Issue[],
): Promise<SkillText | null> {
  const source = exactText(layout.skillFile.bytes);
  if (source === null) {
    issues.push({ code: "SKILL_FILE_NOT_UTF8", message: "The file is not UTF-8 text.", path: SKILL_FILE });
    return null;
  }
  const { frontmatter, ...read } = await readFrontmatter(source);
  issues.push(...read.issues);
  warnings.push(...read.warnings);
  if (frontmatter === null) return null;
  const paths = layout.files.map(({ path }) => path);
  const { manifest, ...checked } = readManifest(withServers(frontmatter, servers), paths);
  issues.push(...checked.issues);
  warnings.push(...checked.warnings);
  return manifest === null ? null : { frontmatter, manifest };
}

/** What SKILL.md says as if it named these servers, too. */
function withServers(frontmatter: Frontmatter, servers: JsonObject): Frontmatter {
  if (Object.keys(servers).length === 0) return frontmatter;
  const { mcpServers = {} } = frontmatter.fields;
  const own = isJsonObject(mcpServers) ? unwrapServers(mcpServers).servers : {};
  return { ...frontmatter, fields: { ...frontmatter.fields, mcpServers: { ...servers, ...own } } };
}

async function build(
  name: string,
  { frontmatter, manifest }: SkillText,
  entries: readonly ArchiveEntry[],
  warnings: Issue[],
): Promise<SkillPackage> {
  const { zip, offsets } = writeCanonical(name, entries);
  const files = await Promise.all(
    entries.toSorted(byPath).map(async ({ path, bytes, mode }): Promise<PackageFile> => {
      return { path, size: bytes.length, sha256: await sha256Hex(bytes), mode, offset: offsets.get(path) ?? 0 };
    }),
  );
  const lines = files.map(({ path, mode, size, sha256 }) => `${path}\0${mode.toString(8)}\0${size}\0${sha256}\n`);
  return {
    name,
    manifest,
    frontmatter: frontmatter.fields,
    instructions: frontmatter.body,
    files,
    zip,
    zipSha256: await sha256Hex(zip),
    digest: await sha256Hex(lines.join("")),
    warnings,
  };
}

function unique(warnings: readonly Issue[]): Issue[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}
