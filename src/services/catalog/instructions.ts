// Level 2, from the nearest place that has it: the conversation's own store, this isolate's memory, D1.

import type { SkillRef } from "../../domain/catalog/skill-ref";
import { GatewayError } from "../../domain/errors";
import { readVersionContents, type VersionContent } from "../../storage/d1/catalog";
import type { Context } from "../context";
import type { Session } from "../session";

/** Versions are immutable, so what an isolate has seen of them stays true. Oldest out when it holds too much. */
const seen = new Map<string, VersionContent>();
const SEEN_CHARS = 8 * 1024 * 1024;
/** A file's entry in a list, roughly. */
const FILE_CHARS = 200;
let seenChars = 0;

/** The content of versions, by id. Whether the caller may see them is decided before. A version that is gone is absent. */
export async function contentsOf(
  context: Context,
  versionIds: readonly string[],
): Promise<Map<string, VersionContent>> {
  const missing = versionIds.filter((id) => !seen.has(id));
  const read =
    missing.length === 0 ? new Map<string, VersionContent>() : await readVersionContents(context.db, missing);
  const found = versionIds.flatMap((id): [string, VersionContent][] => {
    const content = read.get(id) ?? seen.get(id);
    return content === undefined ? [] : [[id, content]];
  });
  for (const [id, content] of read) remember(id, content);
  return new Map(found);
}

/** Brings the instructions of these skills into the conversation's store, where its prompts read them. */
export async function keepInstructions(context: Context, session: Session, skills: readonly SkillRef[]): Promise<void> {
  const missing = skills.filter((skill) => skill.tokens > 0 && session.store.instructions(skill.version_id) === null);
  if (missing.length === 0) return;
  const ids = missing.map((skill) => skill.version_id);
  const found = await contentsOf(context, ids);
  for (const skill of missing) {
    const content = found.get(skill.version_id);
    if (content === undefined) {
      throw new GatewayError("unavailable", "UNAVAILABLE", `Skill '${skill.name}' changed just now. Try again.`);
    }
    session.store.keepInstructions(skill.version_id, content.instructions);
  }
}

function remember(id: string, content: VersionContent): void {
  seen.set(id, content);
  seenChars += weight(content);
  for (const [oldest, known] of seen) {
    if (seenChars <= SEEN_CHARS) break;
    seen.delete(oldest);
    seenChars -= weight(known);
  }
}

function weight({ instructions, description, files }: VersionContent): number {
  return instructions.length + description.length + files.length * FILE_CHARS;
}
