// Reads the events of the registry that a reader missed.

import * as z from "zod";
import { visibleScopes } from "../../domain/access/access";
import { DURATIONS } from "../../domain/durations";
import { eventId, mustListAgain, type RegistryEvent, readEventId } from "../../domain/events/events";
import { jsonObject } from "../../domain/json";
import { missedEvents } from "../../storage/d1/events";
import type { Context } from "../context";

/** Events that an outdated id may lack: the clean-up runs once an hour. */
const MARGIN_MS = 60 * 60_000;

export const eventsSchema = () =>
  z.object({
    events: z.array(z.object({ id: z.string(), type: z.string(), timestamp: z.string(), data: jsonObject })),
    last_event_id: z.string(),
    reset: z.boolean(),
  });

/** Where a reader begins, and what it missed. */
export interface Start {
  /** The reader may have missed events that are not stored any more, and must list again. Then `events` is empty. */
  mustReset: boolean;
  events: readonly RegistryEvent[];
  newest: number;
}

/**
 * Returns what the caller missed, from D1's primary.
 *
 * @param lastId `null`: the caller begins now
 */
export async function startAfter(context: Context, lastId: string | null): Promise<Start> {
  const after = lastId === null ? null : readEventId(lastId);
  const missed = await missedEvents(context.primary, visibleScopes(context.caller.principal), after?.seq ?? null);
  const oldest = context.now() - DURATIONS.eventsKept + MARGIN_MS;
  const mustReset = lastId !== null && mustListAgain(after, missed, oldest);
  return { mustReset, events: mustReset ? [] : missed.events, newest: missed.newest };
}

/** Returns the events after an id, and the id to continue from. */
export async function readMissed(
  context: Context,
  lastId: string | null,
): Promise<z.infer<ReturnType<typeof eventsSchema>>> {
  const { mustReset, events, newest } = await startAfter(context, lastId);
  return {
    events: events.map((event) => ({
      id: eventId(event),
      type: event.type,
      timestamp: new Date(event.at).toISOString(),
      data: event.data,
    })),
    last_event_id: eventId({ at: context.now(), seq: newest }),
    reset: mustReset,
  };
}
