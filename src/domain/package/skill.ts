// Types of a skill. A ZIP is parsed into a `SkillPackage`. Publishing stores it as rows, which all other code reads.

import type { Issue } from "../errors";
import type { JsonObject } from "../json";

/** A tool that a skill declares. Its provider runs it (`sandbox/provider.ts`). */
export interface ToolDeclaration {
  name: string;
  provider?: string;
  description?: string;
  config?: JsonObject;
}

/** Parsed frontmatter. The field names are those of Wegent's CRD and of the Agent Skills specification. */
export interface Manifest {
  /** As written in the frontmatter, unchecked. The skill's real name is `SkillPackage.name`. */
  name?: string;
  description: string;
  displayName?: string;
  version?: string;
  author?: string;
  tags: string[];
  /** Shells that can use the skill. If absent, every shell. */
  bindShells?: string[];
  config: JsonObject;
  tools: ToolDeclaration[];
  provider?: { module?: string; class?: string };
  mcpServers: JsonObject;
  /** `name` or `name@range`. For the meaning see `domain/catalog/dependency-list.ts`. */
  dependencies: string[];
  /** The first `dependencies` of any other form, such as packages of a language. Absent in versions published before this field existed. */
  otherDependencies?: string[];
  /** Python packages that its scripts import, as PEP 508 writes them. Absent if it declares none. */
  requirements?: string[];
  /** Hosts that its code calls, in lower case, with a port unless it is the port of https. Absent if it declares none. */
  network?: string[];
  /** Variables whose values its code sends to these hosts. Absent if it declares none. */
  env?: string[];
  preload: boolean;
  license?: string;
  compatibility?: string;
  metadata: JsonObject;
  allowedTools: string[];
  /**
   * Example requests from its `evals/`, not from the frontmatter. Absent if there are none, and in versions published before this field
   * existed.
   */
  examples?: string[];
}

/** One file of a stored package. `offset` is the start of its bytes in the canonical ZIP, which are not compressed. */
export interface PackageFile {
  /** Relative to the skill's folder, NFC, `/` as separator. */
  path: string;
  size: number;
  /** Lower-case hex. */
  sha256: string;
  mode: 0o644 | 0o755;
  offset: number;
}

/** Token counts of a version, computed at publishing. */
export interface SkillTokens {
  /** The description. Exact. */
  description: number;
  /** The skill's line in the catalog, which is its cost in a prompt before it is loaded. Exact. */
  line: number;
  /** The instructions. Exact. */
  instructions: number;
  /** All other files together. An estimate from their size. */
  files: number;
}

/** A validated skill package. */
export interface SkillPackage {
  name: string;
  manifest: Manifest;
  /** The frontmatter as JSON, verbatim, with unknown keys. */
  frontmatter: JsonObject;
  /** The body of SKILL.md, trimmed. */
  instructions: string;
  /** Sorted by path (code units). */
  files: PackageFile[];
  /** The canonical ZIP, see `canonical.ts`. */
  zip: Uint8Array;
  /** SHA-256 of `zip`, lower-case hex. */
  zipSha256: string;
  /** Identity of the content: SHA-256 over the sorted `path\0mode\0size\0sha256` lines. Independent of the compression of the upload. */
  digest: string;
  warnings: Issue[];
}

/** The name of the file with a skill's instructions. Other cases of its letters are accepted. */
export const SKILL_FILE = "SKILL.md";

/** Whether only users can select a skill, because its author hides it from models. Same rule as `isUserOnly` in `storage/d1/catalog.ts`. */
export function isForUsers(frontmatter: JsonObject): boolean {
  const { "disable-model-invocation": kept } = frontmatter;
  return kept === true || kept === "true" || kept === "yes" || kept === 1;
}
