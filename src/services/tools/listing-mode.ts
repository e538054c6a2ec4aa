// Decides whether a conversation lists the tools of its servers or searches them: with its first list, when the cache is cold, and when a
// server joins a list, which changes then anyway. Under `auto` the front stores the decision.

import { type ToolFinding, toolFindingSchema } from "../../domain/tools/listing";
import type { Session } from "../session";
import { serversToFind, toolListOf } from "./find";
import type { Step } from "./step";

/** Returns the servers whose tools are searched; `null` if they are listed. Decides if a decision is due. */
export async function listingModeOf(step: Step): Promise<ToolFinding["finds"]> {
  const { session, looks } = step;
  const stored = storedListingMode(session);
  const set = toolListOf(session);
  const { servers } = await step.offered();
  const known = servers.filter(({ ref, state }) => ref.skill === null && state === "connected");
  const counted = known.map(({ ref }) => ref.name);
  const stands = stored !== null && stored.set === set && stored.counted !== null;
  const joins = stored?.finds === null && counted.some((name) => !stored.counted?.includes(name));
  if (stands && !joins) return stored.finds;
  const finds = await serversToFind(step);
  // Most conversations have no servers and store nothing.
  if (!looks && (stored !== null || finds !== null || counted.length > 0))
    keepFinding(session, { set, finds, counted });
  return finds;
}

/** Discards the decision when the provider no longer caches the conversation. */
export function resetListingMode(session: Session): void {
  const stored = storedListingMode(session);
  if (stored !== null) keepFinding(session, { ...stored, counted: null });
}

/** Returns the stored decision, or `null`. */
export function storedListingMode({ memory, store }: Session): ToolFinding | null {
  memory.finding ??= { kept: store.get("finding", toolFindingSchema) };
  return memory.finding.kept;
}

function keepFinding({ memory, store }: Session, finding: ToolFinding): void {
  memory.finding = { kept: finding };
  store.set("finding", finding);
}
