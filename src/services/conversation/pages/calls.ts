// Tool calls as pages are shown them. What runs is known to memory only, since a call ends with the object that makes it; what has ended
// stands with its result in the store, so that a page which comes later, or again, is told the same.

import * as z from "zod";
import { type CallHead, type CallProgress, type CallSummary, callForPage } from "../../../domain/questions/call-frame";
import type { ServerFrame } from "../../../domain/questions/frame";
import { SHOWN_LIMITS } from "../../../domain/questions/limits";
import { type ToolCall, type ToolResult, text, toolResultSchema } from "../../../domain/tool";
import { builtinOf } from "../../../domain/tools/builtin";
import { afterEnd, outputOf, startOfCall } from "../../../domain/tools/call-summary";
import { NO_REQUEST_DIGEST } from "../../../storage/object/results";
import type { Context } from "../../context";
import type { Session } from "../../session";
import { storedTool } from "../../tools/memory";

/** A call from its beginning to its end. */
export interface ReportedCall {
  progress(progress: CallProgress): void;
  /** Keeps the result, then tells the pages. */
  end(result: ToolResult, isCancelled: boolean): void;
  /** Storage did not answer: the step is tried again, and with it the call. */
  fail(): void;
}

/**
 * Tells the pages that a call has begun.
 *
 * @param request the digest of what is asked, under which its result is found again
 */
export function reportCall(context: Context, session: Session, call: ToolCall, request: string): ReportedCall {
  const { running } = session.memory;
  const skillOf = (name: string) => storedTool(session, name)?.skill || null;
  const story: CallSummary = {
    id: call.id,
    turn: session.state.turn,
    head: startOfCall(call, skillOf, { started: context.now(), place: session.memory.calls++ }),
    progress: null,
    output: null,
  };
  running.set(call.id, story);
  tell(session, story);
  let told = Number.NEGATIVE_INFINITY;
  const ended = (head: CallHead) => {
    story.head = head;
    if (running.get(call.id) === story) running.delete(call.id);
    tell(session, story);
  };
  return {
    progress(progress) {
      story.progress = progress;
      if (context.now() - told < SHOWN_LIMITS.progressMs) return;
      told = context.now();
      tell(session, story);
    },
    end(result, isCancelled) {
      const shown = afterEnd(story.head, result, isCancelled, context.now());
      story.output = outputOf(call, result);
      // Reading changes nothing, so reading again is as good as a stored result, which may be long.
      const repeats = builtinOf(call.name)?.effect !== "reads";
      const kept = repeats ? result : text(story.output ?? "");
      const head = { id: call.id, turn: story.turn, request: repeats ? request : NO_REQUEST_DIGEST, shown };
      if (repeats || showsCalls(session)) session.store.keepCallResult(head, JSON.stringify(kept));
      ended(shown);
    },
    fail: () => ended(afterEnd(story.head, null, false, context.now())),
  };
}

/** From now on what a page is shown of calls is kept for the next one. */
export function startRecordingCalls(session: Session): void {
  if (showsCalls(session)) return;
  session.store.set("shown", true);
  session.memory.shown = true;
}

function showsCalls({ memory, store }: Session): boolean {
  memory.shown ??= store.get("shown", z.boolean()) ?? false;
  return memory.shown;
}

/** All calls of the current turn, and those of an earlier one that still run, oldest first. */
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
  const kept = session.store.keptResult(row);
  if (kept === null) return null;
  // What the name is of its own is enough here: only tools that load are told apart, and they are called by no other name.
  return outputOf({ id: "", name: head.name, arguments: {} }, toolResultSchema.parse(JSON.parse(kept)));
}

function tell({ audience }: Session, story: CallSummary): void {
  audience?.show("calls", (seesOutput) => ({ type: "tool:call", call: callForPage(story, seesOutput) }));
}
