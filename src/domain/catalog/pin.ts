// Chooses one of several skills with the same name. A name alone refers to the nearest; a user who picked one from a list specifies more. A
// pin chooses among visible skills and grants no access.

import * as z from "zod";
import { DEFAULT_NAMESPACE, groupScope, PUBLIC_SCOPE } from "../access/access";
import { CATALOG_LIMITS } from "../limits";
import { parseReference } from "../reference";

const name = z.string().min(1).max(200);
/** As Wegent writes it. Its content is not compared. */
const refFields = () => ({
  skill_id: z.union([z.string().max(200), z.number()]).nullish(),
  namespace: z.string().max(64).nullish(),
  is_public: z.boolean().nullish(),
  version_id: z.string().max(200).nullish(),
  content_hash: z.string().max(200).nullish(),
});
const pinnedRefSchema = z.lazy(() =>
  z
    .strictObject(refFields())
    .describe(
      "Selects a skill with this name: by `skill_id`, else the public one with `is_public: true`, else the one of `namespace` (`default`: your own).",
    ),
);

/** Pins by name. */
export const pinnedRefsSchema = z.lazy(() =>
  z
    .record(name, pinnedRefSchema)
    .refine(
      (refs) => Object.keys(refs).length <= CATALOG_LIMITS.ghostSkills,
      `too many entries (limit ${CATALOG_LIMITS.ghostSkills})`,
    ),
);
/** A skill that a user picked: a name, or a name with its pin. */
export const pickedSkillSchema = z.lazy(() => z.union([name, z.strictObject({ name, ...refFields() })]));

type PinnedRef = z.infer<typeof pinnedRefSchema>;
export type PickedSkill = z.infer<typeof pickedSkillSchema>;

export const pinSchema = z.lazy(() => z.object({ skill_id: z.string().nullable(), scope: z.string().nullable() }));
/** The required properties of a row; `null` if every property is optional. */
export type Pin = z.infer<typeof pinSchema>;

/**
 * Returns what a reference requires of a row, or `null`. Wegent's ids are numbers, which no skill here has; such a reference is resolved by
 * its other fields.
 *
 * @param own the scope that `default` refers to
 */
export function pinOf({ skill_id, namespace, is_public }: PinnedRef, own: string): Pin | null {
  const id = skill_id == null || /^\d*$/.test(String(skill_id)) ? null : String(skill_id);
  if (id !== null) return { skill_id: id, scope: null };
  if (is_public === true || namespace === PUBLIC_SCOPE) return { skill_id: null, scope: PUBLIC_SCOPE };
  if (namespace == null || namespace === "") return null;
  return { skill_id: null, scope: namespace === DEFAULT_NAMESPACE ? own : groupScope(namespace) };
}

/** Returns the pins of a spec, by name. */
export function pinsOf(
  { skill_refs = {}, preload_skill_refs = {} }: { skill_refs?: Refs; preload_skill_refs?: Refs },
  own: string,
): Map<string, Pin> {
  const refs = [...Object.entries(preload_skill_refs), ...Object.entries(skill_refs)];
  return new Map(
    refs.flatMap(([key, ref]): [string, Pin][] => {
      const pin = pinOf(ref, own);
      return pin === null ? [] : [[key.normalize("NFC").trim(), pin]];
    }),
  );
}

type Refs = Record<string, PinnedRef> | undefined;

/** A skill that a user picked, in the form used for lookups. */
export interface Picked {
  name: string;
  range: string;
  pin: Pin | null;
}

/** Returns the picked skills without duplicates; of equal names the later one counts, as in user interfaces. */
export function pickedOf(skills: readonly PickedSkill[], own: string): Picked[] {
  const picked = new Map<string, Picked>();
  for (const skill of skills) {
    const text = typeof skill === "string" ? skill : skill.name;
    const reference = parseReference(text.normalize("NFC")) ?? { name: text, range: "*" };
    picked.set(reference.name, { ...reference, pin: typeof skill === "string" ? null : pinOf(skill, own) });
  }
  return [...picked.values()];
}

/** Whether a row matches a pin. */
export function isPinned(pin: Pin | null, row: { skill_id: string; scope: string }): boolean {
  return pin === null || (row.skill_id === (pin.skill_id ?? row.skill_id) && row.scope === (pin.scope ?? row.scope));
}

const LISTS = ["skills"];

/** Converts what Wegent stores as `null`: an explicitly empty skill list, which differs from an absent one, and other absent fields. */
export function withoutNulls(raw: unknown, keys: readonly string[]): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw;
  const entries: [string, unknown][] = Object.entries(raw);
  return Object.fromEntries(
    entries.flatMap(([key, value]): [string, unknown][] => {
      if (value !== null || !keys.includes(key)) return [[key, value]];
      return LISTS.includes(key) ? [[key, []]] : [];
    }),
  );
}
