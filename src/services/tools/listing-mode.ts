// Whether a conversation lists the tools of its servers or finds them. Decided with its first list and in a cold moment, and where a
// server joins a list, which changes then in any case. Under `auto` the front of the prompt keeps what was decided.

import { type ToolFinding, toolFindingSchema } from "../../domain/tools/listing";
import type { Session } from "../session";
import { serversToFind, toolListOf } from "./find";
import type { Step } from "./step";

/** The servers whose tools are found in this conversation; `null` where they are listed. Decides it where that is due. */
export async function listingModeOf(step: Step): Promise<ToolFinding["finds"]> {
  const { session, looks } = step;
  const kept = storedListingMode(session);
  const set = toolListOf(session);
  const { servers } = await step.offered();
  const known = servers.filter(({ ref, state }) => ref.skill === null && state === "connected");
  const counted = known.map(({ ref }) => ref.name);
  const stands = kept !== null && kept.set === set && kept.counted !== null;
  const joins = kept?.finds === null && counted.some((name) => !kept.counted?.includes(name));
  if (stands && !joins) return kept.finds;
  const finds = await serversToFind(step);
  // Without a server there is nothing to keep, and most conversations have none.
  if (!looks && (kept !== null || finds !== null || counted.length > 0)) keepFinding(session, { set, finds, counted });
  return finds;
}

/** The provider keeps nothing of this conversation any more: it is decided anew. */
export function resetListingMode(session: Session): void {
  const kept = storedListingMode(session);
  if (kept !== null) keepFinding(session, { ...kept, counted: null });
}

/** What is decided; `null` where nothing is yet. */
export function storedListingMode({ memory, store }: Session): ToolFinding | null {
  memory.finding ??= { kept: store.get("finding", toolFindingSchema) };
  return memory.finding.kept;
}

function keepFinding({ memory, store }: Session, finding: ToolFinding): void {
  memory.finding = { kept: finding };
  store.set("finding", finding);
}
