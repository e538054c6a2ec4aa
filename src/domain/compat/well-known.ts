// The index of skills below /.well-known: versions 0.2 and 0.1 of its format in one document.

import type { Issue } from "../errors";

/** The schema URL of version 0.2; clients of 0.1 ignore it. */
export const INDEX_SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/** The folder of the archives in an index. It is not a valid skill name. */
export const ARCHIVES = "-";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const NAME_CHARS = 64;
const DESCRIPTION_CHARS = 1_024;
const FILES = 1_000;

/** Whether every client accepts this name: a-z, 0-9 and single hyphens. */
export function isStrictName(name: string): boolean {
  return NAME.test(name) && name.length <= NAME_CHARS;
}

/** The facts that decide whether clients of an index can use a skill. */
export interface Candidate {
  name: string;
  /** The name in SKILL.md; `null` if it has none. */
  writtenName: string | null;
  isRepaired: boolean;
  fileCount: number;
  /** Whether an admin has blocked its version. */
  isBlocked: boolean;
}

/** Returns the reasons why clients of the index cannot use a skill, so that it is omitted. Empty: it is offered. */
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

/** A skill in an index. */
export interface Indexed {
  name: string;
  description: string;
  versionId: string;
  paths: readonly string[];
  /** Of its archive. */
  sha256: string;
}

/** A notice in an index that omits skills, for users who open the index and look for a missing one. Clients ignore the notice. */
const CUT = "The index is full, so some skills are missing. Add a single skill by its own address: <base URL>/<skill>.";

/** The index. Its URLs are relative to the index. `isSigned`: whether the gateway signs versions. */
export function wellKnownIndex(skills: readonly Indexed[], isCut: boolean, isSigned: boolean) {
  return {
    $schema: INDEX_SCHEMA,
    ...(isCut ? { cut: { shown: skills.length, about: CUT } } : {}),
    skills: skills.map(({ name, description, versionId, paths, sha256 }) => ({
      name,
      type: "archive",
      description: cutDescription(description),
      url: `${ARCHIVES}/${name}/${sha256}.zip`,
      digest: `sha256:${sha256}`,
      // The signed statement about the version. Clients that do not know the field ignore it.
      ...(isSigned ? { attestation: `${ARCHIVES}/${name}/${sha256}.json` } : {}),
      // For clients of 0.1: if `version` changes, they download the files again.
      version: versionId,
      files: paths,
    })),
  };
}

/** Returns the beginning of a description that fits into an index: whole sentences, or whole words if the first sentence is too long. */
export function cutDescription(text: string): string {
  if (text.length <= DESCRIPTION_CHARS) return text;
  const room = text.slice(0, DESCRIPTION_CHARS);
  const sentences = room.match(/^[\s\S]*(?:[.!?](?=\s)|[。！？])/u)?.[0];
  if (sentences !== undefined) return sentences;
  const words = text.slice(0, DESCRIPTION_CHARS - 1).replace(/\s+\S*$/u, "");
  // Removes half of a surrogate pair.
  return `${words.replace(/[\uD800-\uDBFF]$/u, "")}…`;
}
