// Skills in the format of the MCP extension `io.modelcontextprotocol/skills` (SEP-2640), and its rules for listed skills.

import type { Issue } from "../errors";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";

/** An entry of `skills/list`: the URI of SKILL.md, its exact frontmatter, and every file with its digest. */
export interface ServedSkill {
  uri: string;
  frontmatter: JsonObject;
  resources: { uri: string; digest: string; size: number }[];
  /** The package and its signed statement. Absent if the gateway does not sign. */
  _meta?: { [ATTESTATION_KEY]: { url: string; digest: string } };
}

/** The key of a version's signed statement in `_meta`. */
export const ATTESTATION_KEY = "skill-gateway/attestation";

/** A child of a folder. Folders have neither type nor size. */
export interface ServedFile {
  uri: string;
  name: string;
  mediaType: string | null;
  size: number | null;
}

const SCHEME = "skill://";
const STRICT_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Returns `skill://<name>/<path>` with percent-encoded segments. */
export function skillUri(name: string, path: string): string {
  return `${SCHEME}${[name, ...path.split("/")].map(encodeURIComponent).join("/")}`;
}

/** Returns the skill and the path inside it (empty for the skill's folder), or `null` for other URIs. */
export function parseSkillUri(uri: string): { name: string; path: string } | null {
  if (!uri.startsWith(SCHEME)) return null;
  try {
    const [name = "", ...path] = uri.slice(SCHEME.length).split("/").map(decodeURIComponent);
    if (name === "" || path.some((segment) => segment === "" || segment.includes("/"))) return null;
    return { name, path: path.join("/") };
  } catch {
    // Not valid percent-encoding.
    return null;
  }
}

/** Warnings of packages whose frontmatter other parsers read differently, or not at all. */
const READ_OTHERWISE = new Set([
  "FRONTMATTER_REPAIRED",
  "FRONTMATTER_NOT_FIRST",
  "FRONTMATTER_NOT_JSON",
  "FRONTMATTER_KEY_DROPPED",
]);

/** Maximum number of files that clients of the extension accept. */
const MOST_FILES = 512;
const MOST_BYTES = 5 * 1024 * 1024;

/** Whether strict clients accept the entry (SEP-2640 and the Agent Skills specification). */
export function conforms(
  name: string,
  { uri, frontmatter, resources }: ServedSkill,
  warnings: readonly Issue[],
): boolean {
  const { name: named, description, compatibility, metadata } = frontmatter;
  return (
    !warnings.some(({ code }) => READ_OTHERWISE.has(code)) &&
    named === name &&
    name.length <= 64 &&
    STRICT_NAME.test(name) &&
    uri.endsWith("/SKILL.md") &&
    isText(description, 1_024) &&
    (compatibility === undefined || isText(compatibility, 500)) &&
    (metadata === undefined || isTextMap(metadata)) &&
    resources.length <= MOST_FILES &&
    resources.every(({ size }) => size <= MOST_BYTES)
  );
}

function isText(value: JsonValue | undefined, most: number): boolean {
  return typeof value === "string" && value !== "" && [...value].length <= most;
}

function isTextMap(value: JsonValue): boolean {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === "string");
}
