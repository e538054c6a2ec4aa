// Reports tool calls to pages. Running calls are in memory only, because a call ends with its Durable Object. Finished calls are stored
// with their results, so that pages that connect later receive the same.

import * as z from "zod";
import { type CallHead, type CallProgress, type CallSummary, callForPage } from "../../../domain/questions/call-frame";
import type { ServerFrame } from "../../../domain/questions/frame";
import { SHOWN_LIMITS } from "../../../domain/questions/limits";
import type { TraceContext } from "../../../domain/telemetry/trace-context";
import { type ToolCall, type ToolResult, text, toolResultSchema } from "../../../domain/tool";
import { builtinOf } from "../../../domain/tools/builtin";
import { afterEnd, outputOf, startOfCall } from "../../../domain/tools/call-summary";
import { NO_REQUEST_DIGEST } from "../../../storage/object/results";
import type { Context } from "../../context";
import type { Session } from "../../session";
import { storedTool } from "../../tools/memory";
import { beginToolSpan, endToolSpan } from "../telemetry";
import { finishedCall, rememberCall } from "../trace";

/** A reported call, from its start to its end. */
export interface ReportedCall {
  progress(progress: CallProgress): void;
  /** Stores the result, then notifies the pages. */
  end(result: ToolResult, isCancelled: boolean): void;
  /** Storage did not answer: the step, and with it the call, is retried. */
  fail(): void;
  /** Names the call's span to servers; `null` without a trace. */
  readonly trace: TraceContext | null;
}

/**
 * Reports to the pages that a call has started.
 *
 * @param request digest of the call, under which its result is found again
 */
export function reportCall(context: Context, session: Session, call: ToolCall, request: string): ReportedCall {
  const { running } = session.memory;
  const skillOf = (name: string) => storedTool(session, name)?.skill || null;
  const started = context.now();
  const span = beginToolSpan(context, session, call, started);
  const spanned = { context, session, span };
  const story: CallSummary = {
    id: call.id,
    turn: session.state.turn,
    head: startOfCall(call, skillOf, { started, place: session.memory.calls++ }),
    progress: null,
    output: null,
  };
  running.set(call.id, story);
  notifyPages(session, story);
  let lastSent = Number.NEGATIVE_INFINITY;
  const ended = (head: CallHead, result: ToolResult | null) => {
    story.head = head;
    const made = finishedCall(head, result);
    if (made !== null) rememberCall(session, call.id, story.turn, made);
    if (running.get(call.id) === story) running.delete(call.id);
    notifyPages(session, story);
  };
  return {
    trace: span.context,
    progress(progress) {
      story.progress = progress;
      if (context.now() - lastSent < SHOWN_LIMITS.progressMs) return;
      lastSent = context.now();
      notifyPages(session, story);
    },
    end(result, isCancelled) {
      const at = context.now();
      endToolSpan(spanned, call, { at, result, isCancelled });
      const shown = afterEnd(story.head, result, isCancelled, at);
      story.output = outputOf(call, result);
      // Reading tools change nothing, so they run again instead of storing a result, which may be long.
      const repeats = builtinOf(call.name)?.effect !== "reads";
      const storedResult = repeats ? result : text(story.output ?? "");
      const head = { id: call.id, turn: story.turn, request: repeats ? request : NO_REQUEST_DIGEST, shown };
      if (repeats || showsCalls(session)) session.store.keepCallResult(head, JSON.stringify(storedResult));
      ended(shown, result);
    },
    fail() {
      const at = context.now();
      endToolSpan(spanned, call, { at, result: null, isCancelled: false });
      ended(afterEnd(story.head, null, false, at), null);
    },
  };
}

/** From now on, stores what pages see of calls, for pages that connect later. */
export function startRecordingCalls(session: Session): void {
  if (showsCalls(session)) return;
  session.store.set("shown", true);
  session.memory.shown = true;
}

function showsCalls({ memory, store }: Session): boolean {
  memory.shown ??= store.get("shown", z.boolean()) ?? false;
  return memory.shown;
}

/** Returns all calls of the current turn, and running ones of earlier turns, oldest first. */
export function callsFrame(session: Session, seesOutput: boolean): Extract<ServerFrame, { type: "tool:calls" }> {
  const { turn } = session.state;
  const running = [...session.memory.running.values()];
  const isRunning = new Set(running.map(({ id }) => id));
  const ended = session.store.callHeads(turn).filter(({ id }) => !isRunning.has(id));
  const heads: (CallSummary | (typeof ended)[number])[] = [...running, ...ended];
  const newest = heads
    .toSorted(({ head: a }, { head: b }) => b.started - a.started || b.place - a.place)
    .slice(0, SHOWN_LIMITS.calls);
  let room: number = seesOutput ? SHOWN_LIMITS.callsChars : 0;
  const calls = newest.map((one) => {
    const story = "output" in one ? one : { ...one, turn, progress: null, output: null };
    const output = room > 0 && !("output" in one) ? storedOutput(session, one) : story.output;
    const fits = output !== null && output.length <= room;
    room -= fits ? output.length : 0;
    return callForPage({ ...story, output: fits ? output : null }, seesOutput);
  });
  return { type: "tool:calls", turn, calls: calls.reverse() };
}

function storedOutput(session: Session, { row, head }: { row: string; head: CallHead }): string | null {
  const storedResult = session.store.keptResult(row);
  if (storedResult === null) return null;
  // The gateway's own tool name suffices here: only loading tools differ, and they have no other names.
  return outputOf({ id: "", name: head.name, arguments: {} }, toolResultSchema.parse(JSON.parse(storedResult)));
}

function notifyPages({ audience }: Session, story: CallSummary): void {
  audience?.show("calls", (seesOutput) => ({ type: "tool:call", call: callForPage(story, seesOutput) }));
}
