// Follows a conversation through its WebSocket, or by polling while the socket is not connected.

import { type QueryClient, queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type SkillGateway, useSkillGateway } from "../../../sdk/src/client/react";
import type { Handler, ToolCall } from "../../../sdk/src/client/types";
import type { TurnFigures } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Refusal } from "../gateway/refusal";
import { lookAgain } from "../gateway/session";

/** The actions that a user can answer here (`questions.tsx`). Servers ask only if a client declares support. */
const ANSWERED = ["confirm", "choose", "form", "open_url"];
export const EVERY_MS = 3_000;
/** The number of stored calls of all turns. */
const CALLS = 500;
/** Maximum number of pages, with 100 turns each. */
const PAGES = 100;

export interface Live extends SkillGateway {
  /** The calls of every turn that this page has received. The socket reports only the current turn. */
  seen: readonly ToolCall[];
}

/** `null` if no conversation exists yet. A component belongs to one conversation: set its `key`. */
export function useLive(id: string | null, handlers: Record<string, Handler<never>>): Live {
  const client = useQueryClient();
  const gateway = useSkillGateway(id, {
    client: "console",
    hears: ["skills", "calls"],
    answers: ANSWERED,
    ticket: (conversation) => ticketOf(client, conversation),
    handlers,
  });
  const { turn, active, calls, pending } = gateway;
  const [seen, setSeen] = useState<readonly ToolCall[]>([]);
  useEffect(() => setSeen((before) => together(before, calls)), [calls]);
  const stamp = JSON.stringify([turn, active, calls.map(({ call_id, state }) => [call_id, state]), pending.length]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the socket told is the reason to ask
  useEffect(() => {
    if (id !== null) void client.invalidateQueries({ queryKey: ["conversation", id] });
  }, [client, id, stamp]);
  return { ...gateway, seen };
}

/** With its own ticket the page receives the arguments of calls. `null` if a ticket will never be available. */
async function ticketOf(client: QueryClient, id: string) {
  try {
    return await call("tickets.create", { path: { id }, body: { origin: location.origin, output: true } });
  } catch (error) {
    if (!(error instanceof Refusal) || ![401, 403, 404].includes(error.status)) throw error;
    if (error.status === 401) void lookAgain(client);
    return null;
  }
}

function together(before: readonly ToolCall[], told: readonly ToolCall[]): readonly ToolCall[] {
  if (told.length === 0) return before;
  const keyOf = ({ turn, call_id }: ToolCall) => `${turn} ${call_id}`;
  const all = new Map([...before, ...told].map((made) => [keyOf(made), made]));
  return [...all.values()].slice(-CALLS);
}

/** Queries the current status of a conversation. */
export const statusOf = (id: string, isLive: boolean) =>
  queryOptions({
    queryKey: ["conversation", id, "status"],
    queryFn: ({ signal }) => call("conversations.get", { path: { id } }, signal),
    refetchInterval: isLive ? false : EVERY_MS,
  });

/** Queries the figures of every turn, oldest first. Stored turns are not requested again, except the newest, which may have continued. */
export function seriesOf(id: string, isLive: boolean) {
  const queryKey = ["conversation", id, "series"];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }): Promise<readonly TurnFigures[]> => {
      const before = client.getQueryData<readonly TurnFigures[]>(queryKey) ?? [];
      const turns = before.slice(0, -1);
      for (let page = 0; page < PAGES; page++) {
        const after = turns.at(-1)?.seq;
        const query = { limit: 100, ...(after === undefined ? {} : { after }) };
        const told = await call("conversations.series", { path: { id }, query }, signal);
        turns.push(...told.turns);
        if (told.next_cursor === null || told.turns.length === 0) break;
      }
      return turns.length === before.length && isEqual(turns.at(-1), before.at(-1)) ? before : turns;
    },
    // Comparing thousands of turns takes longer than a frame. Only the newest can have changed.
    structuralSharing: false,
    refetchInterval: isLive ? false : EVERY_MS,
  });
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
