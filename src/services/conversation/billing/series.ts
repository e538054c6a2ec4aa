// Computes figures of a conversation turn by turn, one part of its log at a time, for charts.

import * as z from "zod";
import { SeriesWalk, type TurnPoint } from "../../../domain/conversation/series";
import { CONVERSATION_LIMITS } from "../../../domain/limits";
import { stateAt } from "../../history";
import type { Session } from "../../session";

/** Number of events read at once. A part ends with the turn in which it is reached. */
const AT_ONCE = 500;

const ways = () => z.object({ actual: z.int(), paste: z.int(), append_only: z.int() });

export const seriesReplySchema = () =>
  z.object({
    turns: z.array(
      z
        .object({
          seq: z.int(),
          turn: z.int(),
          at: z.string(),
          restored: z.boolean(),
          loaded: z.array(z.string()),
          active: z.array(z.string()),
          tokens: z.object({ static: z.int(), actual: z.int() }),
          billed: ways(),
          requests: z.int(),
          sent: ways().nullable(),
          usage: z.object({ fresh: z.int(), cache_read: z.int(), cache_write: z.int(), output: z.int() }).nullable(),
        })
        .openapi("TurnFigures"),
    ),
    next_cursor: z.int().nullable(),
  });

export type SeriesReply = z.infer<ReturnType<typeof seriesReplySchema>>;

/** Returns the turns that began after an event, oldest first: at most `limit`, and fewer if they have many events. */
export function seriesOf({ store }: Session, after: number, limit: number): SeriesReply {
  const walk = new SeriesWalk(stateAt(store, after));
  const turns: TurnPoint[] = [];
  let read = 0;
  for (let seq = after; ; ) {
    const page = store.log.after(seq, AT_ONCE);
    for (const logged of page) {
      const ended = walk.take(logged);
      read++;
      if (ended === null) continue;
      turns.push(ended);
      if (turns.length >= limit || read > CONVERSATION_LIMITS.seriesEvents)
        return { turns: turns.map(pointReply), next_cursor: logged.seq - 1 };
    }
    if (page.length < AT_ONCE) break;
    seq = page.at(-1)?.seq ?? seq;
  }
  const rest = walk.rest();
  return { turns: [...turns, ...(rest === null ? [] : [rest])].map(pointReply), next_cursor: null };
}

function pointReply({ at, ...point }: TurnPoint): SeriesReply["turns"][number] {
  return { ...point, at: new Date(at).toISOString() };
}
