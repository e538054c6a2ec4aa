// Records the tool calls of the current turn, and reads the trace of any turn.

import * as z from "zod";
import type { FinishedCall } from "../../domain/conversation/event";
import { STEP_KINDS, STEP_STATES, type TracedCall, traceOf } from "../../domain/conversation/trace";
import { CONVERSATION_LIMITS } from "../../domain/limits";
import type { CallHead } from "../../domain/questions/call-frame";
import { cutText, type ToolResult } from "../../domain/tool";
import type { StoredEvent } from "../../storage/object/log";
import type { Session } from "../session";

export const traceSchema = () =>
  z.array(
    z
      .object({
        kind: z.enum(STEP_KINDS),
        name: z.string().nullable(),
        skill: z.string().nullable(),
        at: z.string(),
        ms: z.int().nullable(),
        state: z.enum(STEP_STATES),
        tokens: z.int().nullable(),
        error: z.string().nullable(),
      })
      .openapi("TraceStep"),
  );

export type Trace = z.infer<ReturnType<typeof traceSchema>>;

/** Remembers a finished call until the next turn begins, whose event stores it. */
export function rememberCall({ memory, state }: Session, id: string, turn: number, call: FinishedCall): void {
  if (turn === state.turn) memory.made.set(id, call);
}

/** Returns a finished call as the log stores it. `null`: it has not ended. */
export function finishedCall(head: CallHead, result: ToolResult | null): FinishedCall | null {
  const { name, skill, started, ended, state } = head;
  if (ended === null || state === "running") return null;
  const [first] = result?.content ?? [];
  const error = state === "failed" && typeof first?.text === "string" ? first.text : null;
  return {
    ...{ name, at: started, ms: ended - started },
    ...(skill === null ? {} : { skill }),
    ...(state === "done" ? {} : { ended: state }),
    ...(error === null ? {} : { error: cutText(error, CONVERSATION_LIMITS.tracedErrorChars) }),
  };
}

/** Returns the finished calls of the current turn: those in memory, and those whose results an evicted object had stored. */
export function callsOfTurn({ memory, state, store }: Session): FinishedCall[] {
  const all = new Map<string, FinishedCall>();
  for (const { id, head } of store.callHeads(state.turn)) {
    const call = finishedCall(head, null);
    if (call !== null) all.set(id, call);
  }
  for (const [id, call] of memory.made) all.set(id, call);
  return [...all.values()].sort((a, b) => a.at - b.at).slice(0, CONVERSATION_LIMITS.tracedCalls);
}

/** Returns the trace of one pass over a turn, from the event that began it to its last one. */
export function traceOfPass(session: Session, { begin, end }: { begin: number; end: number }): Trace {
  const { log, chat, questions } = session.store;
  const [first, ...events] = log.after(begin - 1, Math.min(end - begin + 1, CONVERSATION_LIMITS.seriesEvents));
  if (first === undefined || first.event.type !== "turn") return [];
  const [next] = log.after(end, 1);
  const from = first.event.ledger?.at ?? first.at;
  const until = next?.at ?? Number.MAX_SAFE_INTEGER;
  const steps = traceOf({
    at: from,
    events: events.map(({ event }) => event),
    calls: callsBefore(session, next),
    questions: questions.between(from, until),
    answer: chat.lastAnswer(from, until),
    usage: next?.event.type === "turn" ? (next.event.ledger?.usage ?? null) : null,
  });
  return steps.map((step) => ({ ...step, at: new Date(step.at).toISOString() }));
}

/** The calls of a turn are in the event that begins the next one. Those of the current turn are not in the log yet. */
function callsBefore(session: Session, next: StoredEvent | undefined): readonly TracedCall[] {
  if (next !== undefined) return next.event.type === "turn" ? (next.event.previous_calls ?? []) : [];
  const running = [...session.memory.running.values()].flatMap(({ turn, head }): TracedCall[] =>
    turn === session.state.turn
      ? [{ name: head.name, at: head.started, ms: null, ...(head.skill === null ? {} : { skill: head.skill }) }]
      : [],
  );
  return [...callsOfTurn(session), ...running];
}
