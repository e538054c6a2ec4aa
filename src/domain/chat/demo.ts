// Implements the scripted model of a local gateway. It loads the skill that a message names, calls the tool that it names with the JSON
// object directly after the name, and reports the result. It rejects histories that a vendor would reject.

import { readTranscript, type TranscriptMessage } from "../conversation/transcript";
import { isJsonObject, type JsonObject, type JsonValue, parseExactly } from "../json";

export interface DemoMove {
  /** When the gateway itself wrote the text, in seconds since the epoch: then there are no thoughts and no usage. */
  noteAt?: number;
  text: string;
  calls: { name: string; input: JsonObject }[];
}

/** Scope of the scripted model. No owner has it, so no stored model can collide. */
export const DEMO_SCOPE = "demo";

/** Returns the model's next move, or the problem with the request as text. */
export function demoMove(body: JsonObject): DemoMove | { problem: string } {
  const asked = body.messages ?? body.input;
  const messages = typeof asked === "string" ? [{ role: "user", content: asked }] : asked;
  const talk = readTranscript(Array.isArray(messages) ? messages : []);
  const open = unanswered(talk);
  if (open !== null) return { problem: `The call '${open}' has no result right behind it.` };
  const last = talk.findLastIndex(({ role, text }) => role === "user" && text.trim() !== "");
  const said = talk[last]?.text ?? "";
  const done = talk.slice(last + 1).flatMap(({ calls }) => calls);
  const results = talk.flatMap((message) => message.results);
  const tools = body.tool_choice === "none" ? [] : toolNames(body.tools);
  const loader = tools.find((name) => name.endsWith("load_skill") && !name.endsWith("unload_skill"));
  const loaded = new Set(talk.flatMap(({ calls }) => calls.map(({ arguments: args }) => args.skill_name)));
  const skill = listedSkills(body).find((name) => mentions(said, name) && !loaded.has(name));
  if (loader !== undefined && skill !== undefined) return call(loader, { skill_name: skill });
  const described = results.flatMap(({ text }) => [...text.matchAll(/^\{"name":"([^"]+)"/gm)].map(([, name]) => name));
  const ofSkill = described.find((name) => name !== undefined && mentions(said, name));
  const caller = tools.find((name) => name.endsWith("call_skill_tool"));
  const wasCalled = done.some(({ arguments: args }) => args.name === ofSkill);
  if (ofSkill !== undefined && caller !== undefined && !wasCalled)
    return call(caller, { name: ofSkill, arguments: inputAfter(said, ofSkill).input });
  const own = tools.find((name) => mentions(said, name) && !done.some((made) => made.name === name));
  if (own !== undefined) return call(own, inputAfter(said, own).input);
  const result = results.at(-1)?.text.trim() ?? "";
  const lastResult = done.length === 0 || result === "" ? "" : ` The last result: ${result.slice(0, RESULT_CHARS)}`;
  const words = done.reduce((text, { name, arguments: args }) => withoutInput(text, String(args.name ?? name)), said);
  return { text: `You said: ${words.trim().slice(0, 500)}${lastResult}`, calls: [] };
}

/** Maximum length of a repeated result. */
const RESULT_CHARS = 1_000;

/** Returns the JSON object directly after a name in a text, and its end. Without one, returns an empty object. */
function inputAfter(text: string, name: string): { input: JsonObject; end: number } {
  const after = text.indexOf(name) + name.length;
  const rest = text.slice(after);
  const none = { input: {}, end: after };
  if (!/^\s*\{/.test(rest)) return none;
  let depth = 0;
  for (const { 0: sign, index } of rest.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (sign === "{") depth++;
    if (sign === "}") depth--;
    if (depth > 0) continue;
    const length = index + sign.length;
    const input = objectIn(rest.slice(0, length));
    return input === null ? none : { input, end: after + length };
  }
  return none;
}

function objectIn(text: string): JsonObject | null {
  try {
    const value = parseExactly(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns the text without the input of a call, which would only repeat it. */
function withoutInput(text: string, name: string): string {
  if (!text.includes(name)) return text;
  const { end } = inputAfter(text, name);
  return text.slice(0, text.indexOf(name) + name.length) + text.slice(end);
}

const call = (name: string, input: JsonObject): DemoMove => ({ text: "", calls: [{ name, input }] });

/** Whether a text contains a name as a separate word. */
function mentions(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at >= 0 && !/[\w-]/.test(text[at - 1] ?? " ") && !/[\w-]/.test(text[at + name.length] ?? " ");
}

function toolNames(tools: JsonValue | undefined): string[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool) => {
    if (!isJsonObject(tool)) return [];
    const { name } = isJsonObject(tool.function) ? tool.function : tool;
    return typeof name === "string" ? [name] : [];
  });
}

/** Returns the skills that the skill list in the prompt contains. */
function listedSkills(body: JsonObject): string[] {
  const text = JSON.stringify([body.system ?? body.instructions ?? null, body.messages ?? body.input ?? null]);
  const list = /## Available Skills(.*?)When a task matches/s.exec(text)?.[1] ?? "";
  return [...list.matchAll(/\\n- \*\*([A-Za-z0-9._-]+)\*\*/g)].map(([, name]) => name ?? "");
}

/** Returns the first call that is followed by another message before its result. */
function unanswered(talk: readonly TranscriptMessage[]): string | null {
  let open: string[] = [];
  for (const { role, calls, results } of talk) {
    const answered = new Set(results.map(({ id }) => id));
    open = open.filter((id) => !answered.has(id));
    if (role !== "tool" && calls.length === 0 && results.length === 0 && open[0] !== undefined) return open[0];
    open.push(...calls.map(({ id }) => id));
  }
  return open[0] ?? null;
}
