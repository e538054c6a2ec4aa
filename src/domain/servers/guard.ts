// The guard of a server's tools: offers only tools that are unchanged since an admin approved them.

import { sha256Hex } from "../digest";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import type { UpstreamTool } from "./memory";
import type { ApprovedTools } from "./owner";

/** Half of a SHA-256: collision-resistant enough, and short for lists of many tools. */
const DIGEST_CHARS = 32;
/** The parts of a tool that a model or user reads. Icons and other metadata are not compared. */
const READ = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** Returns the digest of what is approved of a tool: the texts for models, and its page. */
export function toolDigest(tool: JsonObject): Promise<string> {
  const { _meta: meta } = tool;
  const read = Object.fromEntries(READ.map((key) => [key, tool[key] ?? null]));
  const ui = isJsonObject(meta) ? (meta.ui ?? null) : null;
  return sha256Hex(canonicalJson({ ...read, ui })).then((digest) => digest.slice(0, DIGEST_CHARS));
}

/**
 * Whether a guard accepts a tool. Lists from earlier gateways have no digests, so none of their tools is accepted until the list is read
 * again.
 */
export function passes(
  approved: ApprovedTools | null,
  { name, digest }: Pick<UpstreamTool, "name" | "digest">,
): boolean {
  if (approved === null) return true;
  return digest !== undefined && Object.hasOwn(approved, name) && approved[name] === digest;
}

/** Returns texts that say why tools are restricted, grouped by reason. */
export function restrictedToolTexts(approved: ApprovedTools, restricted: readonly string[]): string[] {
  const changed = restricted.filter((name) => Object.hasOwn(approved, name));
  const added = restricted.filter((name) => !Object.hasOwn(approved, name));
  const say = (names: readonly string[], what: string) =>
    names.length === 0 ? [] : [`${named(names)} ${names.length === 1 ? "is" : "are"} not offered: ${what}`];
  return [...say(changed, "the definitions changed after they were approved"), ...say(added, "they are not approved")];
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => `'${name.slice(0, 100)}'`);
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return `${names.length === 1 ? "tool" : "tools"} ${shown.join(", ")}${more}`;
}

const SHOWN = 10;

/** Serializes JSON with sorted keys, because a server may vary their order. */
function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_, part: JsonValue) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
