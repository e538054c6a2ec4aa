// `aiSdk(chat, { messages, tools })`: returns the options that add skills to `streamText` and `generateText` of the AI SDK (6 and 7).
//
// The SDK's own loop runs the gateway's tools next to the caller's. Instructions are part of tool results, so a caller that stores the
// messages stores the skills too.

import { type Chat, keyOf, MOST_STEPS, UNREACHABLE } from "./chat.js";
import { SkillGatewayError } from "./errors.js";
import type { JsonObject } from "./json.js";

/**
 * A tool in the AI SDK's format. `inputSchema` is a JSON Schema in the SDK's schema format, which this package builds without depending on
 * the SDK.
 */
export interface SkillTool {
  description: string;
  inputSchema: never;
  execute(input: unknown, options: { toolCallId: string; abortSignal?: AbortSignal | undefined }): Promise<string>;
}

export interface AiSdkOptions<Message, Tools> {
  /** The chat's messages as `ModelMessage`s, the format that the model receives. They are not changed. */
  messages: readonly Message[];
  /** The chat's own tools. */
  tools?: Tools;
  /** The chat's own system prompt. */
  system?: string;
  /** Name of the model. It determines how long the provider caches the prompt. */
  model?: string;
  abortSignal?: AbortSignal | undefined;
}

export interface AiSdkCall<Message, Tools> {
  messages: Message[];
  tools: Tools;
  system?: { role: "system"; content: string; providerOptions: typeof MARK };
  /** Raises the step limit. The SDK stops after one step by default, and then the model could not use tool results. */
  stopWhen: (state: { steps: readonly unknown[] }) => boolean;
  /**
   * Throws, and so ends the turn, if the gateway failed during the turn. Otherwise the SDK would send the error to the model and continue.
   */
  prepareStep: () => undefined;
}

interface Part {
  type?: string;
  toolCallId?: string;
  output?: unknown;
  [field: string]: unknown;
}

interface ModelMessage {
  role: string;
  content: string | Part[];
  providerOptions?: object;
}

interface Definition {
  name: string;
  description?: string;
  inputSchema: JsonObject;
}

/** The symbol that the AI SDK's `jsonSchema()` sets on its schemas. The SDK forbids additional properties in all other schemas. */
const SCHEMA = Symbol.for("vercel.ai.schema");

/** Marks the end of the prompt prefix that repeats. Only Anthropic needs this mark. Other providers ignore it. */
const MARK = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/** Begins the turn of the last user message and returns the options for `streamText` or `generateText`. */
export async function aiSdk<Message extends object>(
  chat: Chat,
  options: AiSdkOptions<Message, undefined>,
): Promise<AiSdkCall<Message, Record<string, SkillTool>>>;
export async function aiSdk<Message extends object, Tools extends object>(
  chat: Chat,
  options: AiSdkOptions<Message, Tools> & { tools: Tools },
): Promise<AiSdkCall<Message, Tools & Record<string, SkillTool>>>;
export async function aiSdk<Message extends object, Tools extends object>(
  chat: Chat,
  { messages: given, tools: own, system, model, abortSignal }: AiSdkOptions<Message, Tools>,
): Promise<AiSdkCall<Message, Tools>> {
  const { delivery = "auto", tool_mode = "fixed" } = chat.options.conversation ?? {};
  if (delivery !== "auto" || tool_mode !== "fixed")
    throw new TypeError("The AI SDK requires constant tools. Remove `delivery` and `tool_mode`.");
  const messages = (given as readonly unknown[]).map((message) => ({ ...(message as ModelMessage) }));
  const stopWhen = ({ steps }: { steps: readonly unknown[] }) => steps.length >= MOST_STEPS;
  const at = messages.findLastIndex(({ role }) => role === "user");
  const written = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const begin = {
    format: "mcp" as const,
    key: chat.options.key ?? (await keyOf(written)),
    message: written.at(-1),
    history: messages.slice(0, Math.max(at, 0)),
    have: messages.flatMap(resultsIn).flatMap(({ toolCallId }) => toolCallId ?? []),
    ...(model === undefined ? {} : { model }),
  };
  const turn = await chat.begin(begin, abortSignal);
  if (turn === null) dropBoundThinking(messages);
  const tools = turn === null ? namesOnly(messages, own) : (turn.tools as unknown as Definition[]);
  const both = tools.filter(({ name }) => own !== undefined && name in own);
  if (both.length > 0)
    throw new TypeError(`Tool name used twice: ${both.map(({ name }) => name).join(", ")}. Rename your tool.`);
  for (const { call_id, content } of turn?.context_edits ?? [])
    if (call_id !== undefined) edit(messages, call_id, content);
  // An MCP message has one content block, an AI SDK message has a list.
  const appended = (turn?.append ?? []).map(({ role, content }) => ({
    role: String(role),
    content: [content as Part],
  }));
  messages.splice(at + 1, 0, ...appended);
  const last = messages.at(-1);
  if (turn !== null && last !== undefined)
    messages[messages.length - 1] = { ...last, providerOptions: { ...MARK, ...last.providerOptions } };
  const failures: SkillGatewayError[] = [];
  const prepareStep = () => {
    if (failures[0] !== undefined) throw failures[0];
    return undefined;
  };
  const content = [system ?? "", turn?.prompt.system ?? ""].filter((text) => text !== "").join("\n\n");
  return {
    messages: messages as unknown as Message[],
    tools: {
      ...own,
      ...Object.fromEntries(tools.map((tool) => [tool.name, runnable(chat, tool, failures)])),
    } as Tools & Record<string, SkillTool>,
    ...(content === "" ? {} : { system: { role: "system", content, providerOptions: MARK } }),
    stopWhen,
    prepareStep,
  };
}

/**
 * Returns definitions for the tools called in `messages`, for a chat without tools of its own during an outage. Some vendors reject a
 * history with calls if no tool is defined. Calling one of these tools returns an error to the model.
 */
function namesOnly(messages: ModelMessage[], own: object = {}): Definition[] {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const names = new Set(parts.flatMap(({ type, toolName }) => (type === "tool-call" ? String(toolName) : [])));
  if (Object.keys(own).length > 0) return [];
  return [...names].map((name) => ({ name, description: "Not there at the moment.", inputSchema: { type: "object" } }));
}

/** Removes thinking that Anthropic binds to the tools and the system prompt of its turn. An outage changes both. */
function dropBoundThinking(messages: ModelMessage[]): void {
  const isBound = ({ type, providerOptions }: Part) =>
    type === "reasoning" &&
    typeof providerOptions === "object" &&
    providerOptions !== null &&
    "anthropic" in providerOptions;
  for (const message of messages)
    if (typeof message.content !== "string") message.content = message.content.filter((part) => !isBound(part));
}

function resultsIn({ role, content }: ModelMessage): Part[] {
  return role === "tool" && typeof content !== "string" ? content.filter(({ type }) => type === "tool-result") : [];
}

/** Replaces the result of a call in a copy of its message. */
function edit(messages: ModelMessage[], callId: string, value: string): void {
  const at = messages.findIndex((message) => resultsIn(message).some(({ toolCallId }) => toolCallId === callId));
  const found = messages[at];
  if (found === undefined || typeof found.content === "string") return;
  const content = found.content.map((part) =>
    part.type === "tool-result" && part.toolCallId === callId ? { ...part, output: { type: "text", value } } : part,
  );
  messages[at] = { ...found, content };
}

/** @param failures receives gateway errors, which must not reach the model as results */
function runnable(
  chat: Chat,
  { name, description = "", inputSchema }: Definition,
  failures: SkillGatewayError[],
): SkillTool {
  return {
    description,
    inputSchema: { [SCHEMA]: true, _type: undefined, jsonSchema: inputSchema, validate: undefined } as never,
    async execute(input, { toolCallId, abortSignal }) {
      const step = await chat
        .run([{ id: toolCallId, name, arguments: input }], "mcp", abortSignal)
        .catch((error: unknown) => {
          if (error instanceof SkillGatewayError) failures.push(error);
          throw error;
        });
      if (step === null) return UNREACHABLE;
      const [result] = step.results;
      const text = (result?.content ?? [])
        .map((block) => (typeof block.text === "string" ? block.text : JSON.stringify(block)))
        .join("\n");
      if (result?.isError) throw new Error(text);
      return text;
    },
  };
}

/** Returns the tool name to show for a message part. For `call_skill_tool` this is the name of the skill's tool. */
export function toolNameOf(part: { type: string; toolName?: string; input?: unknown }): string {
  const name = part.toolName ?? part.type.replace(/^tool-/, "");
  const input = part.input as { name?: unknown } | null | undefined;
  return name === "call_skill_tool" && typeof input?.name === "string" ? input.name : name;
}
