// Writes one stream of registry events: what its reader missed, then what happens, as long as the reader keeps up and keeps its rights.

import * as z from "zod";
import { type Principal, visibleScopes } from "../../domain/access/access";
import {
  DELETED_EVENTS,
  eventText,
  placeText,
  type RegistryEvent,
  storedEventSchema,
} from "../../domain/events/events";
import { EVENT_LIMITS } from "../../domain/events/limits";
import type { Context } from "../context";
import { startAfter } from "./missed";

const messageSchema = z.lazy(() => z.array(storedEventSchema));

export interface EventStream {
  context: Context;
  /** Receives events of all scopes. Open before the first read, so that nothing is lost between both. */
  socket: WebSocket;
  /** `Last-Event-ID`; `null`: the reader begins now. */
  lastId: string | null;
  /** Aborted when the reader has left. */
  signal: AbortSignal;
  /** Returns the caller as it is now. Throws if its key is not valid any more. */
  identify(): Promise<Principal>;
}

/** Returns the body of a stream. It ends after `EVENT_LIMITS.streamMs`; the reader then connects again. */
export async function openEventStream({
  context,
  socket,
  lastId,
  signal,
  identify,
}: EventStream): Promise<ReadableStream> {
  const live: RegistryEvent[] = [];
  let wake: () => void = () => undefined;
  let isOpen = true;
  const end = () => {
    isOpen = false;
    socket.close(1000);
    wake();
  };
  socket.addEventListener("message", ({ data }) => {
    live.push(...messageSchema.parse(JSON.parse(String(data))));
    // A reader that is this late must connect again.
    if (live.length > EVENT_LIMITS.missed) end();
    wake();
  });
  socket.addEventListener("close", end);
  signal.addEventListener("abort", end, { once: true });
  // The reader left while the socket was opened.
  if (signal.aborted) end();

  const first = await firstText(context, lastId).catch((error: unknown) => {
    end();
    throw error;
  });
  let { sent } = first;
  let scopes = new Set(visibleScopes(context.caller.principal));
  const encoder = new TextEncoder();
  const start = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const write = (text: string) => {
      // The reader does not read: what it misses waits in the database.
      if ((controller.desiredSize ?? 0) <= 0) end();
      else controller.enqueue(encoder.encode(text));
    };
    const until = context.now() + EVENT_LIMITS.streamMs;
    controller.enqueue(encoder.encode(first.text));
    while (isOpen && context.now() < until) {
      const events = live.splice(0).filter(({ seq, type }) => seq > sent && type !== DELETED_EVENTS);
      sent = events.at(-1)?.seq ?? sent;
      // Events of others cost this reader no read of its identity.
      if (events.some(({ scope }) => scopes.has(scope))) {
        scopes = new Set(visibleScopes(await identify()));
        for (const event of events) if (isOpen && scopes.has(event.scope)) write(eventText(event));
      }
      if (live.length > 0) continue;
      const wait = Math.min(EVENT_LIMITS.keepAliveMs, until - context.now());
      const isIdle = await idle(wait, (woken) => {
        wake = woken;
      });
      if (isIdle && isOpen) write(": keep-alive\n\n");
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const run = start(controller)
          .catch(() => undefined)
          .then(() => {
            end();
            closeBody(controller);
          });
        context.later(run);
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: EVENT_LIMITS.unreadBytes }),
  );
}

/** Returns the beginning of a stream, and the number of the newest event in it. */
async function firstText(context: Context, lastId: string | null): Promise<{ text: string; sent: number }> {
  const { mustReset, events, newest } = await startAfter(context, lastId);
  const begins = placeText(mustReset ? "reset" : "ready", { at: context.now(), seq: newest });
  return { text: `retry: ${EVENT_LIMITS.retryMs}\n\n${events.map(eventText).join("")}${begins}`, sent: newest };
}

/** Waits, and returns whether nothing woke it. */
function idle(ms: number, onWait: (wake: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), Math.max(0, ms));
    onWait(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** A body that its reader has cancelled cannot be closed. */
function closeBody(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // It is closed.
  }
}
