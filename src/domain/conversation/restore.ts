// Finds loaded skills in a transcript. Messages can have any supported format (OpenAI chat and responses, Anthropic, AI SDK, MCP) and come
// from outside: parts that do not match are ignored.

import type { JsonValue } from "../json";
import { readTranscript, type TranscriptCall, type TranscriptMessage } from "./transcript";

/** The tools that load and unload, with the name of the argument that contains the skill. */
const LOADERS: Readonly<Record<string, string>> = { load_skill: "skill_name", skill: "skill" };
const UNLOADER = "unload_skill";

/** The first two results of `load_skill`, as Wegent's pattern finds them in plain text. */
const LOADED_TEXT = /Skill '([^']+)' (?:has been loaded|is already active)/g;

export interface Restored {
  /** Number of turns in the history. */
  turns: number;
  /** Skills that are active at its end, newest load first: the turn of the last load. */
  loads: { name: string; turn: number }[];
  /** Results of calls that loaded something, at any position. */
  answers: LoadAnswer[];
  /** Messages that neither a model nor a tool wrote, including those the gateway asked to append. */
  others: string[];
}

/** The result of a loading call. `tool`: the called tool, because results differ. */
export interface LoadAnswer {
  /** The call's. */
  id: string;
  tool: string;
  name: string;
  text: string;
}

/**
 * Reads a history. A turn is a user message followed by assistant or tool messages. Loaded skills are determined per message, because
 * different versions may have written a transcript: from `loaded_skills` if present, otherwise from the successful calls of its turn,
 * otherwise from its text. The caller removes skills that the catalog does not have.
 */
export function readHistory(history: readonly JsonValue[]): Restored {
  const messages = readTranscript(history);
  const turns = splitTurns(messages);
  const last = new Map<string, number>();
  for (const turn of turns) {
    const { loaded, unloaded } = changesIn(turn.messages);
    for (const name of unloaded) last.delete(name);
    for (const name of loaded) {
      // Re-inserting preserves the order of the last load.
      last.delete(name);
      last.set(name, turn.number);
    }
  }
  const loads = [...last].map(([name, turn]) => ({ name, turn })).reverse();
  const others = messages.flatMap(({ role, text }) => (role === "user" || role === "other" ? text : []));
  return { turns: turns.at(-1)?.number ?? 0, loads, answers: loadAnswers(messages), others };
}

/** Each result belongs to the last preceding call with its id, because ids can repeat in later turns. */
function loadAnswers(messages: readonly TranscriptMessage[]): LoadAnswer[] {
  const open = new Map<string, Omit<LoadAnswer, "id" | "text">>();
  const answers: LoadAnswer[] = [];
  for (const message of messages) {
    for (const call of message.calls) {
      const name = isLoader(call) ? argument(call) : null;
      if (name !== null) open.set(call.id, { tool: call.name, name });
      else open.delete(call.id);
    }
    for (const { id, failed, text } of message.results) {
      const call = open.get(id);
      open.delete(id);
      if (call !== undefined && !failed) answers.push({ ...call, id, text });
    }
  }
  return answers;
}

interface Turn {
  number: number;
  messages: TranscriptMessage[];
}

function splitTurns(messages: readonly TranscriptMessage[]): Turn[] {
  const turns: Turn[] = [];
  let asked = false;
  for (const message of messages) {
    if (message.role === "user") {
      asked = true;
    } else if (message.role !== "other") {
      const current = turns.at(-1);
      // Messages before the first question (a greeting) belong to turn 0.
      if (asked || current === undefined)
        turns.push({ number: (current?.number ?? 0) + (asked ? 1 : 0), messages: [message] });
      else current.messages.push(message);
      asked = false;
    }
  }
  return turns;
}

/** Returns what one turn loaded, in order, and unloaded. */
function changesIn(messages: readonly TranscriptMessage[]): { loaded: string[]; unloaded: string[] } {
  const calls = messages.flatMap((message) => message.calls);
  const { standing, unloaded } = recordedIn(messages, calls);
  const isRecorded = calls.some(isRecord);
  const isNoted = messages.some((message) => message.loadedSkills !== null);
  // If calls are recorded, a text that names a skill is only a quotation.
  const reportedNames = messages.flatMap((message) => message.loadedSkills ?? (isRecorded ? [] : namedInText(message)));
  return { loaded: isNoted || !isRecorded ? reportedNames : standing, unloaded };
}

/** Returns what the calls of a turn loaded that is still active at its end, and what they unloaded. Failed calls have no effect. */
function recordedIn(
  messages: readonly TranscriptMessage[],
  calls: readonly TranscriptCall[],
): { standing: string[]; unloaded: string[] } {
  const failedCalls = new Set(
    messages.flatMap((message) => message.results.filter((result) => result.failed).map((result) => result.id)),
  );
  const standing = new Set<string>();
  const unloaded = new Set<string>();
  for (const call of calls) {
    if (failedCalls.has(call.id)) continue;
    const name = argument(call);
    if (name === null) continue;
    if (call.name === UNLOADER) {
      unloaded.add(name);
      standing.delete(name);
    } else if (isLoader(call)) {
      standing.delete(name);
      standing.add(name);
    }
  }
  return { standing: [...standing], unloaded: [...unloaded] };
}

function namedInText({ role, text }: TranscriptMessage): string[] {
  return role === "assistant" ? [...text.matchAll(LOADED_TEXT)].map((match) => match[1] ?? "") : [];
}

/** Whether a call shows that its turn records the loaded skills. */
function isRecord(call: TranscriptCall): boolean {
  return isLoader(call) || call.name === UNLOADER;
}

function isLoader(call: TranscriptCall): boolean {
  return Object.hasOwn(LOADERS, call.name);
}

function argument(call: TranscriptCall): string | null {
  const key = call.name === UNLOADER ? "skill_name" : LOADERS[call.name];
  const value = key === undefined ? undefined : call.arguments[key];
  return typeof value === "string" ? value : null;
}
