// Stores the lists of skills that models were shown, so that turns are counted without writing the list with each of them.

import * as z from "zod";
import type { ConversationStore } from "../storage/object/conversation";

/** The newest lists by number, each as JSON: `[[skill_id, version_id], …]`. */
const listsSchema = z.lazy(() => z.object({ next: z.number(), lists: z.array(z.tuple([z.number(), z.string()])) }));

/** Number of lists that are stored. Turns with older ones are sent within an hour, or not counted as listings. */
const STORED = 16;

/** Returns the number of a list, which is stored if it is new. `null`: it is empty. Call it in the change that begins the turn. */
export function numberOfList(
  store: ConversationStore,
  shown: readonly { skill_id: string; version_id: string }[],
): number | null {
  if (shown.length === 0) return null;
  const text = JSON.stringify(shown.map(({ skill_id, version_id }) => [skill_id, version_id]));
  const { next, lists } = store.get("lists", listsSchema) ?? { next: 1, lists: [] };
  const known = lists.find(([, skills]) => skills === text);
  if (known !== undefined) return known[0];
  store.set("lists", { next: next + 1, lists: [...lists, [next, text]].slice(-STORED) });
  return next;
}

/** Returns a function for the skills of a stored list. */
export function listsIn(store: ConversationStore): (list: number) => string | null {
  const { lists } = store.get("lists", listsSchema) ?? { lists: [] };
  return (list) => lists.find(([number]) => number === list)?.[1] ?? null;
}
