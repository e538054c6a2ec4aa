// A skill in the words of the MCP extension `io.modelcontextprotocol/skills` (SEP-2640), and its rules for what may be listed.

import type { Issue } from "../errors";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";

/** An entry of `skills/list`: where SKILL.md is, its frontmatter word for word, and every file with its digest. */
export interface ServedSkill {
  uri: string;
  frontmatter: JsonObject;
  resources: { uri: string; digest: string; size: number }[];
}

/** A child of a folder; a folder has neither type nor size. */
export interface ServedFile {
  uri: string;
  name: string;
  mediaType: string | null;
  size: number | null;
}

const SCHEME = "skill://";
const STRICT_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** `skill://<name>/<path>`, each segment percent-encoded. */
export function skillUri(name: string, path: string): string {
  return `${SCHEME}${[name, ...path.split("/")].map(encodeURIComponent).join("/")}`;
}

/** The skill and the path inside it; the path is empty for the skill's own folder. `null` for what is no such URI. */
export function parseSkillUri(uri: string): { name: string; path: string } | null {
  if (!uri.startsWith(SCHEME)) return null;
  try {
    const [name = "", ...path] = uri.slice(SCHEME.length).split("/").map(decodeURIComponent);
    if (name === "" || path.some((segment) => segment === "" || segment.includes("/"))) return null;
    return { name, path: path.join("/") };
  } catch {
    // Not percent-encoded as URIs are.
    return null;
  }
}

/** Warnings of a package whose frontmatter others read otherwise than the gateway, or not at all. */
const READ_OTHERWISE = new Set([
  "FRONTMATTER_REPAIRED",
  "FRONTMATTER_NOT_FIRST",
  "FRONTMATTER_NOT_JSON",
  "FRONTMATTER_KEY_DROPPED",
]);

/** What clients of the extension take of a skill; a package may be more. */
const MOST_FILES = 512;
const MOST_BYTES = 5 * 1024 * 1024;

/** Whether strict clients take the entry (SEP-2640 and the Agent Skills specification): name, description and the rest. */
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
