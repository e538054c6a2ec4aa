// The stream of registry events: their ids, their text as server-sent events, and where a reader continues.

import * as z from "zod";
import { type JsonObject, jsonObject } from "../json";
import { messageBody, WEBHOOK_EVENTS } from "../webhooks/webhooks";
import { EVENT_LIMITS } from "./limits";

/** The streamed types. Events of reviews are for webhooks only: they name drafts, which readers of a scope cannot see. */
export const STREAMED_EVENTS = WEBHOOK_EVENTS.filter((type) => type.startsWith("skill."));

/** Whether events of this type are in streams. */
export const isStreamed = (type: string): boolean => type.startsWith("skill.");

/** A stored event. `scope` is that of the skill. */
export const storedEventSchema = z.lazy(() =>
  z.object({ seq: z.int(), at: z.number(), scope: z.string(), type: z.string(), data: jsonObject }),
);
export type RegistryEvent = z.infer<typeof storedEventSchema>;

/** Stands for deleted events of a scope that had too many. */
export const DELETED_EVENTS = "events.deleted";

/** A place in the stream. `at` is the time of the event, in milliseconds since the epoch. */
export interface EventPlace {
  at: number;
  seq: number;
}

const ID = /^(\d{1,15})\.(\d{1,15})$/;

/** Returns the id of a place. */
export function eventId({ at, seq }: EventPlace): string {
  return `${at}.${seq}`;
}

/** Reads `Last-Event-ID`; `null` for an id that the gateway did not issue. */
export function readEventId(text: string): EventPlace | null {
  const [, at, seq] = ID.exec(text) ?? [];
  return at === undefined || seq === undefined ? null : { at: Number(at), seq: Number(seq) };
}

/** What was missed since a place. */
export interface Missed {
  /** The newest event of all; 0 if there is none. */
  newest: number;
  events: readonly RegistryEvent[];
}

/**
 * Whether a reader may have missed events that are not stored any more.
 *
 * @param after the place of its last event; `null` if its id is unknown
 * @param oldest time before which events may be deleted, in milliseconds
 */
export function mustListAgain(after: EventPlace | null, { newest, events }: Missed, oldest: number): boolean {
  if (after === null || after.at < oldest || after.seq > newest) return true;
  return events.length > EVENT_LIMITS.missed || events.some(({ type }) => type === DELETED_EVENTS);
}

/** Returns an event as a server-sent event, with the same body as a webhook. */
export function eventText(event: RegistryEvent): string {
  return frameText(event.type, event, messageBody(event.type, event.at, event.data));
}

/** Returns the event that begins a stream, or that tells a reader to list again. */
export function placeText(type: "ready" | "reset", place: EventPlace): string {
  return frameText(type, place, "{}");
}

function frameText(type: string, place: EventPlace, data: string): string {
  return `id: ${eventId(place)}\nevent: ${type}\ndata: ${data}\n\n`;
}

/** Returns an event for storage. */
export type EventInput = Pick<RegistryEvent, "scope" | "type"> & { data: JsonObject };
