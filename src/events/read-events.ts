// Reads new events for all streams.

import { EVENT_LIMITS, type RegistryEvent } from "../domain/events/events";
import { primaryDatabase } from "../edge/context";
import { eventsAfter } from "../storage/d1/events";

/** Returns the next events after a number. The primary is read, because a replica may lack the newest. */
export function readEvents(env: Env, after: number): Promise<RegistryEvent[]> {
  return eventsAfter(primaryDatabase(env), after, EVENT_LIMITS.read);
}
