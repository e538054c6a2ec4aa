// Computes the trace of a turn: when the model, tools, scripts and questions ran, from what the log already stores.

import { builtinOf } from "../tools/builtin";
import type { ConversationEvent, FinishedCall } from "./event";
import { sentTokens, type Usage } from "./usage";

export const STEP_KINDS = ["model", "load", "script", "tool", "question"] as const;
export const STEP_STATES = ["running", "done", "failed", "cancelled"] as const;

/** A part of a turn. Times are milliseconds since the epoch, durations milliseconds. */
export interface TraceStep {
  kind: (typeof STEP_KINDS)[number];
  /** The tool, the action of a question, or the model if it is known. */
  name: string | null;
  skill: string | null;
  at: number;
  /** `null`: it runs, or its end is unknown. */
  ms: number | null;
  state: (typeof STEP_STATES)[number];
  /** Tokens of a model request, or of the instructions that a call loaded; `null`: unknown. */
  tokens: number | null;
  error: string | null;
}

/** A call of the turn, as it was reported when it ended. `ms` is `null` while it runs. */
export type TracedCall = Omit<FinishedCall, "ms"> & { ms: number | null };

export interface TracedTurn {
  /** When the turn began. */
  at: number;
  /** The events of the turn after the one that began it. */
  events: readonly ConversationEvent[];
  calls: readonly TracedCall[];
  questions: readonly { action: string; skill: string | null; at: number; ended: number | null; isAnswered: boolean }[];
  /** When the answer was complete, and its model; `null`: not known, because another program called the model. */
  answer: { at: number; model: string } | null;
  /** The usage of the turn's last request, which the next turn reports. */
  usage: Usage | null;
}

/**
 * Returns the steps of a turn in the order of their start. The time between the calls is the model's: with the chat endpoint exactly, with
 * other back ends together with what they do in between.
 */
export function traceOf(turn: TracedTurn): TraceStep[] {
  const calls = turn.calls.toSorted((a, b) => a.at - b.at);
  const steps = [...calls.map((call) => stepOfCall(call, turn.events)), ...turn.questions.map(stepOfQuestion)];
  return [...steps, ...modelSteps(turn, calls)].sort((a, b) => a.at - b.at || rank(a) - rank(b));
}

const rank = ({ kind }: TraceStep): number => (kind === "model" ? 0 : kind === "question" ? 2 : 1);

function stepOfCall(call: TracedCall, events: TracedTurn["events"]): TraceStep {
  const { name, at, ms, ended } = call;
  const [skill, error] = [call.skill ?? null, call.error ?? null];
  const effect = builtinOf(name)?.effect;
  const kind = effect === "loads" ? "load" : name === "execute_skill_script" ? "script" : "tool";
  const state = ms === null ? "running" : (ended ?? "done");
  const tokens = kind === "load" && skill !== null ? loadedTokens(skill, events) : null;
  return { kind, name, skill, at, ms, state, tokens, error };
}

function loadedTokens(name: string, events: TracedTurn["events"]): number | null {
  const loaded = events.find((event) => event.type === "loaded" && event.name === name && event.used !== true);
  return loaded?.type === "loaded" ? loaded.skills.reduce((sum, { tokens }) => sum + tokens, 0) : null;
}

function stepOfQuestion({ action, skill, at, ended, isAnswered }: TracedTurn["questions"][number]): TraceStep {
  const state = ended === null ? "running" : isAnswered ? "done" : "cancelled";
  return {
    ...{ kind: "question", name: action, skill, at, state, tokens: null, error: null },
    ms: ended === null ? null : ended - at,
  };
}

function modelSteps({ at, events, answer, usage }: TracedTurn, calls: readonly TracedCall[]): TraceStep[] {
  const reported = events.flatMap((event) => (event.type === "step" ? [event] : []));
  const steps: TraceStep[] = [];
  const add = (from: number, to: number | null, used: readonly Usage[]) => {
    if (to !== null && to <= from && used.length === 0) return;
    steps.push({
      ...{ kind: "model", name: answer?.model ?? null, skill: null, state: "done", error: null },
      ...{ at: from, ms: to === null ? null : Math.max(0, to - from) },
      tokens: used.length === 0 ? null : used.reduce((sum, one) => sum + sentTokens(one) + one.output, 0),
    });
  };
  /** The time since when no call runs; infinite while one does. */
  let free = at;
  let read = 0;
  for (const call of calls) {
    if (call.at >= free) {
      const used = reported.slice(read).filter(({ step }) => step.at <= call.at);
      read += used.length;
      add(
        free,
        call.at,
        used.map((event) => event.usage),
      );
    }
    free = Math.max(free, call.ms === null ? Number.POSITIVE_INFINITY : call.at + call.ms);
  }
  if (free === Number.POSITIVE_INFINITY) return steps;
  const used = [...reported.slice(read).map((event) => event.usage), ...(usage === null ? [] : [usage])];
  if (answer !== null && answer.at >= free) add(free, answer.at, used);
  else if (used.length > 0) add(free, null, used);
  return steps;
}
