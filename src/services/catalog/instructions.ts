// Copies instructions (level 2) into the conversation's store, where its prompts read them.

import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { CodeFacts } from "../../domain/conversation/offered";
import { GatewayError } from "../../domain/errors";
import type { Context } from "../context";
import type { Session } from "../session";
import { contentsOf } from "./contents";

/** Stores the instructions of these skills and the declarations of their versions in the conversation. */
export async function storeInstructions(
  context: Context,
  session: Session,
  skills: readonly SkillRef[],
  factsOf: (context: Context, versionIds: readonly string[]) => Promise<Map<string, CodeFacts>>,
): Promise<void> {
  const missing = missingIn(session, skills);
  if (missing.length === 0) return;
  const ids = missing.map((skill) => skill.version_id);
  const found = await contentsOf(context, ids);
  // Cached by the previous read.
  const facts = await factsOf(context, ids);
  for (const skill of missing) {
    const content = found.get(skill.version_id);
    if (content === undefined) {
      throw new GatewayError("unavailable", "UNAVAILABLE", `Skill '${skill.name}' is being changed. Try again.`);
    }
    const declared = facts.get(skill.version_id);
    const text = declared === undefined ? null : JSON.stringify(declared);
    session.store.keepInstructions(skill.version_id, content.instructions, text);
  }
}

/** Reads instructions into this isolate's memory, so that storing them needs no further read. */
export async function fetchInstructions(
  context: Context,
  session: Session,
  skills: readonly SkillRef[],
): Promise<void> {
  await contentsOf(
    context,
    missingIn(session, skills).map((skill) => skill.version_id),
  );
}

function missingIn({ store }: Session, skills: readonly SkillRef[]): SkillRef[] {
  return skills.filter((skill) => skill.tokens > 0 && store.instructions(skill.version_id) === null);
}
