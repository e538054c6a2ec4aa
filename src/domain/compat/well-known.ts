// The index of skills that clients look for below /.well-known: version 0.2 and 0.1 of its format in one document.

import type { Issue } from "../errors";

/** What says that an index is of version 0.2; clients of 0.1 do not look at it. */
export const INDEX_SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/** Below this folder of an index lie the archives. No skill can be called so. */
export const ARCHIVES = "-";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const NAME_CHARS = 64;
const DESCRIPTION_CHARS = 1_024;
const FILES = 1_000;

/** Whether every client takes this name: a-z, 0-9 and single hyphens. */
export function isStrictName(name: string): boolean {
  return NAME.test(name) && name.length <= NAME_CHARS;
}

/** What decides whether clients of an index can take a skill. */
export interface Candidate {
  name: string;
  /** The name in SKILL.md; `null` where it has none. */
  writtenName: string | null;
  isRepaired: boolean;
  fileCount: number;
  /** Whether an admin has blocked its version. */
  isBlocked: boolean;
}

/** Why clients of the index could not take a skill, so that it is left out; empty: it is offered. */
export function exclusionsForIndex({ name, writtenName, isRepaired, fileCount, isBlocked }: Candidate): Issue[] {
  const issues: Issue[] = [];
  const because = (code: string, message: string) => issues.push({ code, message });
  if (isBlocked) because("VERSION_BLOCKED", "An admin blocked the current version. Publish another version.");
  if (!isStrictName(name))
    because(
      "NAME_NOT_STRICT",
      "Clients of this index accept only names of a-z, 0-9 and single hyphens. Publish the skill under such a name.",
    );
  if (writtenName === null)
    because("NAME_NOT_WRITTEN", "Clients of this index require the name in SKILL.md. Add `name:` to the frontmatter.");
  if (isRepaired)
    because(
      "FRONTMATTER_REPAIRED",
      "Clients of this index parse YAML strictly, and SKILL.md was repaired before it was read. Fix its warnings.",
    );
  if (fileCount > FILES)
    because("TOO_MANY_FILES", `Too many files for clients of this index (limit ${FILES}). Remove files.`);
  return issues;
}

/** A skill as an index tells it. */
export interface Indexed {
  name: string;
  description: string;
  versionId: string;
  paths: readonly string[];
  /** Of its archive. */
  sha256: string;
}

/** Said in an index that has no room for all; its clients pass over it, and whoever misses a skill finds it. */
const CUT = "The index is full, so some skills are missing. Add a single skill by its own address: <base URL>/<skill>.";

/** The index. Its addresses are relative to where it lies. */
export function wellKnownIndex(skills: readonly Indexed[], isCut: boolean) {
  return {
    $schema: INDEX_SCHEMA,
    ...(isCut ? { cut: { shown: skills.length, about: CUT } } : {}),
    skills: skills.map(({ name, description, versionId, paths, sha256 }) => ({
      name,
      type: "archive",
      description: cutDescription(description),
      url: `${ARCHIVES}/${name}/${sha256}.zip`,
      digest: `sha256:${sha256}`,
      // What clients of 0.1 read: a version that changed has them fetch the files again.
      version: versionId,
      files: paths,
    })),
  };
}

/** As much of a description as an index takes: whole sentences, or words where the first sentence is longer. */
export function cutDescription(text: string): string {
  if (text.length <= DESCRIPTION_CHARS) return text;
  const room = text.slice(0, DESCRIPTION_CHARS);
  const sentences = room.match(/^[\s\S]*(?:[.!?](?=\s)|[。！？])/u)?.[0];
  if (sentences !== undefined) return sentences;
  const words = text.slice(0, DESCRIPTION_CHARS - 1).replace(/\s+\S*$/u, "");
  // Half a character is none.
  return `${words.replace(/[\uD800-\uDBFF]$/u, "")}…`;
}
