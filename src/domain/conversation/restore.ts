// What a transcript says about loaded skills. Messages come in every form the gateway speaks (OpenAI chat and responses,
// Anthropic, AI SDK, MCP) and are foreign: whatever does not fit is passed over, never an error.

import type { JsonValue } from "../json";
import { readTranscript, type TranscriptCall, type TranscriptMessage } from "./transcript";

/** The tools that load and unload, with the argument that names the skill. */
const LOADERS: Readonly<Record<string, string>> = { load_skill: "skill_name", skill: "skill" };
const UNLOADER = "unload_skill";

/** The first two answers of `load_skill`, as the predecessor system's text pattern finds them in plain text. */
const LOADED_TEXT = /Skill '([^']+)' (?:has been loaded|is already active)/g;

export interface Restored {
  /** Turns the history lived through. */
  turns: number;
  /** Skills still standing at its end, newest load first: the turn of the last load. */
  loads: { name: string; turn: number }[];
  /** The answers to calls that loaded something, wherever they stand. */
  answers: LoadAnswer[];
  /** Messages that no model and no tool wrote: those that the gateway asked to append are among them. */
  others: string[];
}

/** What a call that loaded a skill was answered. `tool`: the one that was called, since they answer differently. */
export interface LoadAnswer {
  /** The call's. */
  id: string;
  tool: string;
  name: string;
  text: string;
}

/**
 * Reads a history. A turn is a user message followed by one or more assistant or tool messages. What was loaded is read message
 * by message, since a transcript may span the upgrade of what wrote it: from `loaded_skills` where a message has it, else from the
 * calls of its turn that succeeded, else from its text. Skills the catalog does not have are left out by the caller.
 */
export function readHistory(history: readonly JsonValue[]): Restored {
  const messages = readTranscript(history);
  const turns = splitTurns(messages);
  const last = new Map<string, number>();
  for (const turn of turns) {
    const { loaded, unloaded } = changesIn(turn.messages);
    for (const name of unloaded) last.delete(name);
    for (const name of loaded) {
      // Re-inserting keeps the map in order of the last load.
      last.delete(name);
      last.set(name, turn.number);
    }
  }
  const loads = [...last].map(([name, turn]) => ({ name, turn })).reverse();
  const others = messages.flatMap(({ role, text }) => (role === "user" || role === "other" ? text : []));
  return { turns: turns.at(-1)?.number ?? 0, loads, answers: loadAnswers(messages), others };
}

/** Each result belongs to the last call of its id before it: ids may come again in later turns. */
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
      // What stands before the first question (a greeting) belongs to turn 0.
      if (asked || current === undefined)
        turns.push({ number: (current?.number ?? 0) + (asked ? 1 : 0), messages: [message] });
      else current.messages.push(message);
      asked = false;
    }
  }
  return turns;
}

/** What one turn loaded, in order, and unloaded. */
function changesIn(messages: readonly TranscriptMessage[]): { loaded: string[]; unloaded: string[] } {
  const calls = messages.flatMap((message) => message.calls);
  const { standing, unloaded } = recordedIn(messages, calls);
  const isRecorded = calls.some(isRecord);
  const isNoted = messages.some((message) => message.loadedSkills !== null);
  // Where calls are recorded, a text that names a skill only quotes.
  const told = messages.flatMap((message) => message.loadedSkills ?? (isRecorded ? [] : namedInText(message)));
  return { loaded: isNoted || !isRecorded ? told : standing, unloaded };
}

/** What the calls of a turn loaded that still stands at its end, and what they unloaded. Calls that failed did nothing. */
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

/** Whether a call shows that its turn records what is loaded. */
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
