// Level 2, from the nearest place that has it: the conversation's own store, this isolate's memory, D1.

import { GatewayError } from "../domain/errors";
import type { SkillRef } from "../domain/event";
import { readInstructions } from "../storage/catalog";
import type { Context } from "./context";
import type { Session } from "./session";

/** Versions are immutable, so what an isolate has seen of them stays true. Oldest out when it holds too much. */
const seen = new Map<string, string>();
const SEEN_CHARS = 8 * 1024 * 1024;
let seenChars = 0;

/** The instructions of versions, by id. A version that is gone from D1 is absent. */
export async function instructionsOf(context: Context, versionIds: readonly string[]): Promise<Map<string, string>> {
  const missing = versionIds.filter((id) => !seen.has(id));
  const read = missing.length === 0 ? new Map<string, string>() : await readInstructions(context.db, missing);
  const found = new Map(
    versionIds.flatMap((id) => {
      const text = read.get(id) ?? seen.get(id);
      return text === undefined ? [] : [[id, text]];
    }),
  );
  for (const [id, text] of read) remember(id, text);
  return found;
}

/** Brings the instructions of these skills into the conversation's store, where its prompts read them. */
export async function keepInstructions(context: Context, session: Session, skills: readonly SkillRef[]): Promise<void> {
  const missing = skills.filter((skill) => skill.tokens > 0 && session.store.instructions(skill.version_id) === null);
  if (missing.length === 0) return;
  const found = await instructionsOf(
    context,
    missing.map((skill) => skill.version_id),
  );
  for (const skill of missing) {
    const text = found.get(skill.version_id);
    if (text === undefined)
      throw new GatewayError("unavailable", "UNAVAILABLE", `Skill '${skill.name}' changed just now. Try again.`);
    session.store.keepInstructions(skill.version_id, text);
  }
}

function remember(id: string, text: string): void {
  seen.set(id, text);
  seenChars += text.length;
  for (const [oldest, { length }] of seen) {
    if (seenChars <= SEEN_CHARS) break;
    seen.delete(oldest);
    seenChars -= length;
  }
}
