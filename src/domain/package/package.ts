// Reads an upload into a skill package, or into a list of all its issues.

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

/** The result of reading an upload. `package` is `null` if and only if there are issues. */
export interface PackageOutcome {
  package: SkillPackage | null;
  issues: Issue[];
  warnings: Issue[];
}

/** Issue codes that mean "too large" (413) rather than "invalid" (422). */
export const SIZE_ISSUES: ReadonlySet<string> = new Set([
  "ZIP_TOO_LARGE",
  "UNPACKED_TOO_LARGE",
  "FILE_TOO_LARGE",
  "TOO_MANY_FILES",
  "FRONTMATTER_TOO_LARGE",
  "INSTRUCTIONS_TOO_LARGE",
]);

/** The parsed SKILL.md. */
interface SkillText {
  frontmatter: Frontmatter;
  manifest: Manifest;
}

/**
 * Reads an uploaded ZIP. Never throws because of its content. Equal content gives an equal package, regardless of the tool that created the
 * ZIP. Issues and warnings: those of `archive.ts`, `layout.ts`, `frontmatter.ts`, `manifest.ts` and `examples.ts`, and
 * `SKILL_FILE_NOT_UTF8`.
 *
 * @param servers MCP servers sent with the package. They are treated like the package's own, which take precedence. They are not part of
 * its files.
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
  // Without a readable SKILL.md, its frontmatter could still contain the name, so `NAME_MISSING` is not reported.
  issues.push(...named.issues.filter(({ code }) => text !== null || code !== "NAME_MISSING"));
  warnings.push(...named.warnings);
  // The stored paths can be longer than the checked ones, because the files are wrapped in a folder with the skill's name.
  if (found.layout.folder !== named.name && named.issues.length === 0) {
    issues.push(...found.layout.files.flatMap(({ path }) => checkPath(`${named.name}/${path}`).issues));
  }
  if (text === null || issues.length > 0) return { package: null, issues, warnings: unique(warnings) };
  const { examples, warnings: unread } = readExamples(found.layout.files);
  if (examples.length > 0) text.manifest.examples = examples;
  const built = await build(named.name, text, found.layout.files, unique([...warnings, ...unread]));
  return { package: built, issues, warnings: built.warnings };
}

/** Whether the archive may contain a SKILL.md that is not among its entries. */
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
    issues.push({
      code: "SKILL_FILE_NOT_UTF8",
      message: "The file is not UTF-8 text. Save it as UTF-8.",
      path: SKILL_FILE,
    });
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

/** Returns the frontmatter as if it also declared these servers. */
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
