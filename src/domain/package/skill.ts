// The values a skill is made of. A ZIP becomes a `SkillPackage`; publishing turns it into rows; everything else reads those.

import type { Issue } from "../errors";
import type { JsonObject } from "../json";

/** A tool that a skill declares; run by its provider (`sandbox/provider.ts`). */
export interface ToolDeclaration {
  name: string;
  provider?: string;
  description?: string;
  config?: JsonObject;
}

/** Parsed frontmatter. Field names are those of the predecessor system's CRD and of the Agent Skills specification. */
export interface Manifest {
  /** As written in the frontmatter, whatever it says; the skill's real name is `SkillPackage.name`. */
  name?: string;
  description: string;
  displayName?: string;
  version?: string;
  author?: string;
  tags: string[];
  /** Shells that may use the skill. Absent: every shell. */
  bindShells?: string[];
  config: JsonObject;
  tools: ToolDeclaration[];
  provider?: { module?: string; class?: string };
  mcpServers: JsonObject;
  /** `name` or `name@range`; what they mean is said in `domain/catalog/dependency-list.ts`. */
  dependencies: string[];
  /** The first of the `dependencies` that are of any other form: packages of some language. Absent in versions from before. */
  otherDependencies?: string[];
  preload: boolean;
  license?: string;
  compatibility?: string;
  metadata: JsonObject;
  allowedTools: string[];
  /** Requests that it is for, from its `evals/` and not from the frontmatter. Absent where it brings none, and in versions from before. */
  examples?: string[];
}

/** One file of a stored package. `offset` is where its bytes begin in the canonical ZIP (method 0: they are plain). */
export interface PackageFile {
  /** Relative to the skill's folder, NFC, `/` as separator. */
  path: string;
  size: number;
  /** Lower-case hex. */
  sha256: string;
  mode: 0o644 | 0o755;
  offset: number;
}

/** Token counts of a version, made at publish time. */
export interface SkillTokens {
  /** The description, exactly. */
  description: number;
  /** The catalog's line for the skill, exactly: what level 1 costs in a prompt. */
  line: number;
  /** The instructions, exactly. */
  instructions: number;
  /** All other files together; an estimate from their size. */
  files: number;
}

/** A validated skill package as a value. */
export interface SkillPackage {
  name: string;
  manifest: Manifest;
  /** The frontmatter as JSON, verbatim, unknown keys included. */
  frontmatter: JsonObject;
  /** The body of SKILL.md, trimmed. */
  instructions: string;
  /** Sorted by path (code units). */
  files: PackageFile[];
  /** The canonical ZIP, see `canonical.ts`. */
  zip: Uint8Array;
  /** SHA-256 of `zip`, lower-case hex. */
  zipSha256: string;
  /** Identity of the content: SHA-256 over the sorted `path\0mode\0size\0sha256` lines, whatever compressor made the upload. */
  digest: string;
  warnings: Issue[];
}

/** The name of the file with a skill's instructions. Other cases of its letters are accepted too. */
export const SKILL_FILE = "SKILL.md";

/** Whether only users may choose a skill: its author keeps it from models. As `isUserOnly` of `storage/d1/catalog.ts`. */
export function isForUsers(frontmatter: JsonObject): boolean {
  const { "disable-model-invocation": kept } = frontmatter;
  return kept === true || kept === "true" || kept === "yes" || kept === 1;
}
