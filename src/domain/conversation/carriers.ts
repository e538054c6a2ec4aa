// Tracks which instructions are in the caller's history, under the delivery that sends them once. Being present differs from being active:
// an activation ends after its turns, a text ends when the caller removes it.

import * as z from "zod";
import { type SkillRef, skillRefSchema } from "../catalog/skill-ref";
import { CONVERSATION_LIMITS, REQUEST_LIMITS } from "../limits";
import type { ContextEdit, ConversationEvent } from "./event";

/** A message of the history that contains instructions: a tool result, or a message that the gateway asked to append. */
export const carrierSchema = z.lazy(() =>
  z.object({
    /** Id of the call or of the appended message. */
    id: z.string(),
    kind: z.enum(["call", "append"]),
    skills: z.array(skillRefSchema),
    /**
     * `due`: it must leave because of the budget. `edited`: the caller was asked to replace it, or has cut its history, so it may or may
     * not be there. `withdrawn`: the gateway reported it as unusable without asking for an edit.
     */
    state: z.enum(["there", "due", "edited", "withdrawn"]),
  }),
);

export type Carrier = z.infer<typeof carrierSchema>;

/** In order of arrival. */
export type Carriers = readonly Carrier[];

/**
 * Adds a carrier. Ids can repeat, so an earlier carrier with the same id is replaced. Above the limit, carriers that should be replaced are
 * dropped first (`have` can still name them), then the oldest, whose instructions are sent again when needed.
 */
export function carry(carriers: Carriers, added: Omit<Carrier, "state">): Carrier[] {
  if (added.skills.length === 0) return [...carriers];
  const others = carriers.filter(({ id }) => id !== added.id);
  const isReplaced = ({ state }: Carrier) => state === "edited" || state === "withdrawn";
  const forgotten = new Set<Carrier>();
  let skills = others.reduce((sum, carrier) => sum + carrier.skills.length, added.skills.length);
  for (const carrier of [...others.filter(isReplaced), ...others.filter((other) => !isReplaced(other))]) {
    const count = others.length + 1 - forgotten.size;
    if (count <= CONVERSATION_LIMITS.carriers && skills <= CONVERSATION_LIMITS.activeSkills) break;
    forgotten.add(carrier);
    skills -= carrier.skills.length;
  }
  return [...others.filter((carrier) => !forgotten.has(carrier)), { ...added, state: "there" }];
}

/**
 * Returns the carriers that the caller reports. If it has cut its history without reporting what is left, none count as present, but they
 * may have to be removed.
 */
export function carriersReported(before: Carriers, have: readonly string[] | null, cut: boolean): Carriers {
  if (have !== null) return keepReported(before, have);
  if (!cut) return before;
  return before.map((carrier) => (carrier.state === "withdrawn" ? carrier : { ...carrier, state: "edited" }));
}

/** Keeps the carriers that the caller reports as unedited. */
export function keepReported(carriers: Carriers, have: readonly string[]): Carrier[] {
  const ids = new Set(have);
  return carriers
    .filter(({ id }) => ids.has(id))
    .map((carrier) => (carrier.state === "due" ? carrier : { ...carrier, state: "there" }));
}

export function markEdited(carriers: Carriers, edits: readonly ContextEdit[]): Carrier[] {
  const asked = new Map(edits.map(({ id, required }) => [id, required]));
  return carriers.map((carrier) => {
    const required = asked.get(carrier.id);
    return required === undefined ? carrier : { ...carrier, state: required ? "withdrawn" : "edited" };
  });
}

/** Marks texts for removal because of the budget, unless another active skill needs them. */
export function markDue(carriers: Carriers, name: string, needed: ReadonlySet<string>): Carrier[] {
  const isDue = ({ skills, state }: Carrier) =>
    state === "there" && skills.some((skill) => skill.name === name) && !skills.some((skill) => needed.has(skill.name));
  return carriers.map((carrier) => (isDue(carrier) ? { ...carrier, state: "due" } : carrier));
}

/** Returns the carriers for which no edit was requested. */
export function carriersInEffect(carriers: Carriers): Carrier[] {
  return carriers.filter(({ state }) => state === "there");
}

/** Returns the newest version of a skill whose instructions the model can read in its history, or `null`. */
export function presentVersion(carriers: Carriers, name: string): SkillRef | null {
  const found = carriersInEffect(carriers).flatMap(({ skills }) => skills.filter((skill) => skill.name === name));
  return found.at(-1) ?? null;
}

/** Returns the texts in the model's context: those of active skills, and all in its history, including repetitions. */
export function textsInContext(active: readonly SkillRef[], carriers: Carriers): SkillRef[] {
  const inHistory = carriersInEffect(carriers).flatMap(({ skills }) => skills);
  const known = new Set(inHistory.map(({ version_id }) => version_id));
  return [...inHistory, ...active.filter(({ version_id }) => !known.has(version_id))];
}

type EventOf<T extends ConversationEvent["type"]> = Extract<ConversationEvent, { type: T }>;

/** Returns the carriers after an event. `active`: the skills that are active then. */
export function carriersAfter(
  before: Carriers,
  event: ConversationEvent,
  active: readonly { skill: SkillRef }[],
): Carriers {
  switch (event.type) {
    case "turn":
      return carriersAtTurn(before, event);
    case "loaded":
      return carriersOfLoad(before, event);
    case "unloaded": {
      if (event.reason !== "evicted") return before;
      return markDue(before, event.name, new Set(active.map(({ skill }) => skill.name)));
    }
    case "restored":
      return carriersOfRestore(before, event);
    case "step":
    case "touched":
      return before;
  }
}

function carriersAtTurn(before: Carriers, { history, history_cut, skills }: EventOf<"turn">): Carriers {
  if (history === undefined) return history_cut ? [] : before;
  const { have, edits, append } = history;
  const known = carriersReported(before, have, history_cut);
  const added = { kind: "append" as const, skills: named(skills, append?.names ?? []) };
  return markEdited(append === null ? known : carry(known, { id: append.id, ...added }), edits);
}

/** Returns the carriers after a skill was loaded. */
export function carriersOfLoad(before: Carriers, { call, skills, delivered }: EventOf<"loaded">): Carriers {
  // `have` could not name a longer id.
  if (call === undefined || call.length > REQUEST_LIMITS.idempotencyKeyChars) return before;
  return carry(before, { id: call, kind: "call", skills: named(skills, delivered) });
}

/** Returns the carriers after a history was restored: known ones that it still contains, and those found in it. */
function carriersOfRestore(before: Carriers, { calls = [], kept = [], skills }: EventOf<"restored">): Carriers {
  return calls.reduce<Carriers>(
    (carriers, { id, names }) => carry(carriers, { id, kind: "call", skills: named(skills, names) }),
    keepReported(before, kept),
  );
}

function named(skills: readonly SkillRef[], names: readonly string[]): SkillRef[] {
  return skills.filter(({ name }) => names.includes(name));
}
