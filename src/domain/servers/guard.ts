// The guard of a server's tools: what an admin has read and approved, and nothing that came to stand there since.

import { sha256Hex } from "../digest";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import type { UpstreamTool } from "./memory";
import type { ApprovedTools } from "./owner";

/** Half of a SHA-256: nobody finds another text for it, and lists of many tools stay short. */
const DIGEST_CHARS = 32;
/** What of a tool a model or its host's user reads. Icons and other marks are not held against it. */
const READ = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** What is approved of a tool, as its server sent it: whatever a model is told of it, and what a page of it would be shown. */
export function toolDigest(tool: JsonObject): Promise<string> {
  const { _meta: meta } = tool;
  const read = Object.fromEntries(READ.map((key) => [key, tool[key] ?? null]));
  const ui = isJsonObject(meta) ? (meta.ui ?? null) : null;
  return sha256Hex(canonicalJson({ ...read, ui })).then((digest) => digest.slice(0, DIGEST_CHARS));
}

/** Whether a guard lets a tool pass. A list that an earlier gateway read has no digests: nothing of it passes until it is read again. */
export function passes(
  approved: ApprovedTools | null,
  { name, digest }: Pick<UpstreamTool, "name" | "digest">,
): boolean {
  if (approved === null) return true;
  return digest !== undefined && Object.hasOwn(approved, name) && approved[name] === digest;
}

/** Why tools are withheld, in words, by what became of them. */
export function restrictedToolTexts(approved: ApprovedTools, withheld: readonly string[]): string[] {
  const changed = withheld.filter((name) => Object.hasOwn(approved, name));
  const added = withheld.filter((name) => !Object.hasOwn(approved, name));
  const say = (names: readonly string[], what: string) =>
    names.length === 0 ? [] : [`${named(names)} ${names.length === 1 ? "is" : "are"} withheld: ${what}`];
  return [...say(changed, "the definitions changed after they were approved"), ...say(added, "they are not approved")];
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => `'${name.slice(0, 100)}'`);
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return `${names.length === 1 ? "tool" : "tools"} ${shown.join(", ")}${more}`;
}

const SHOWN = 10;

/** JSON with its keys in order: a server may write them in another one each time. */
function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_, part: JsonValue) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
