// Simulates Anthropic's Messages API with its strict request validation. `MESSAGES_RULES` and `MESSAGES_HEADERS` contain the rules and
// their sources, `anthropic-fields.ts` the fields, `thinking.ts` the check of thinking blocks. Consecutive messages of one role are one
// turn and not an error.

import type { MessagesRequest } from "./anthropic-fields";
import type { HeaderRule, Move, Rule } from "./rule";
import { type Block, blocks, brokenThinking, REDACTED, sign } from "./thinking";

interface Turn {
  role: string;
  /** Index of its first message. */
  at: number;
  content: Block[];
}

/** Merges consecutive messages of one role into turns. */
function turnsOf({ messages }: MessagesRequest): Turn[] {
  const turns: Turn[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks(content));
    else turns.push({ role, at, content: [...blocks(content)] });
  }
  return turns;
}

const usesIn = (turn?: Turn) => turn?.content.flatMap((block) => (block.type === "tool_use" ? block.id : [])) ?? [];
const resultsIn = (turn?: Turn) =>
  turn?.content.flatMap((block) => (block.type === "tool_result" ? block.tool_use_id : [])) ?? [];

const TOOLS_GUIDE = "platform.claude.com/docs: handle tool calls";
const REFERENCE = "platform.claude.com/docs: API reference, create a message";
const CACHING = "platform.claude.com/docs: prompt caching";

export const MESSAGES_RULES = [
  {
    name: "the first message is the user's",
    source: REFERENCE,
    problem: ({ messages }) =>
      messages[0]?.role === "user" ? null : 'messages: first message must use the "user" role',
  },
  {
    name: "the last message is the user's",
    source: `${REFERENCE} (models that think take no beginning of their answer)`,
    problem: ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? null
        : "This model does not support assistant message prefill. The conversation must end with a user message.",
  },
  {
    name: "a call has its result in the next message",
    source: TOOLS_GUIDE,
    problem: (request) => {
      const turns = turnsOf(request);
      for (const [index, turn] of turns.entries()) {
        const next = resultsIn(turns[index + 1]);
        const missing = usesIn(turn).filter((id) => !next.includes(id));
        if (missing.length > 0)
          return `messages.${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
      }
      return null;
    },
  },
  {
    name: "a result has its call in the message before, once",
    source: TOOLS_GUIDE,
    problem: (request) => {
      const turns = turnsOf(request);
      for (const [index, turn] of turns.entries()) {
        const open = usesIn(turns[index - 1]);
        for (const id of resultsIn(turn)) {
          if (!open.includes(id))
            return `messages.${turn.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
          open.splice(open.indexOf(id), 1);
        }
      }
      return null;
    },
  },
  {
    name: "results come before any text",
    source: TOOLS_GUIDE,
    problem: (request) => {
      const late = turnsOf(request).find(({ content }) => {
        const other = content.findIndex(({ type }) => type !== "tool_result");
        return other !== -1 && content.slice(other).some(({ type }) => type === "tool_result");
      });
      return late === undefined ? null : `messages.${late.at}: \`tool_result\` blocks must come first in the content`;
    },
  },
  {
    name: "ids of calls are unique",
    source: REFERENCE,
    problem: (request) => {
      const ids = turnsOf(request).flatMap((turn) => usesIn(turn));
      return new Set(ids).size === ids.length ? null : "messages: `tool_use` ids must be unique";
    },
  },
  {
    name: "a history with calls has some tool defined",
    source: `${TOOLS_GUIDE}; what it says is as clients have reported it`,
    problem: ({ tools = [], ...request }) =>
      tools.length === 0 &&
      turnsOf({ tools, ...request }).some((turn) => usesIn(turn).length + resultsIn(turn).length > 0)
        ? "Requests which include `tool_use` or `tool_result` blocks must define tools"
        : null,
  },
  {
    name: "names of tools are unique",
    source: REFERENCE,
    problem: ({ tools = [] }) =>
      new Set(tools.map(({ name }) => name)).size === tools.length ? null : "tools: Tool names must be unique.",
  },
  {
    name: "at most four marks for the cache",
    source: `${CACHING} (the one at the top level counts)`,
    problem: (request) => {
      const marks = JSON.stringify(request).split('"cache_control":{').length - 1;
      return marks <= 4 ? null : `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
    },
  },
  {
    name: "what stands before a thinking block is as it was",
    source: "platform.claude.com/docs: preserved thinking, prefix checks",
    problem: brokenThinking,
  },
] as const satisfies readonly Rule<MessagesRequest>[];

/** Rules for the headers of every request. */
export const MESSAGES_HEADERS = [
  {
    name: "a key",
    source: "docs.anthropic.com: API overview, authentication; the SDK sends it as a bearer since 1.0",
    status: 401,
    problem: (headers) =>
      headers["x-api-key"] || /^Bearer \S+$/.test(headers.authorization ?? "") ? null : "x-api-key header is required",
  },
  {
    name: "a version",
    source: "docs.anthropic.com: API versioning",
    status: 400,
    problem: (headers) => (headers["anthropic-version"] ? null : "anthropic-version: header is required"),
  },
  {
    name: "a body that is JSON",
    source: "docs.anthropic.com: API overview, content types",
    status: 400,
    problem: (headers) =>
      headers["content-type"]?.startsWith("application/json") ? null : "content-type: must be application/json",
  },
] as const satisfies readonly HeaderRule[];

/** Returns an answer that begins with thinking, sometimes redacted. */
export function messagesAnswer(request: MessagesRequest, { calls, text }: Move, step: string): object {
  const thought = `Thinking about step ${step}.`;
  const redacted = { type: "redacted_thinking", data: sign(request, REDACTED) };
  const content = [
    Number(step) % 3 === 2 ? redacted : { type: "thinking", thinking: thought, signature: sign(request, thought) },
    ...calls.map(({ name, input }, index) => ({
      ...{ type: "tool_use", id: `toolu_${step}_${index}`, name, input },
      caller: { type: "direct" },
    })),
    ...(calls.length === 0 ? [{ type: "text", text, citations: citedIn(request) }] : []),
  ];
  return {
    ...{ id: `msg_${step}`, type: "message", role: "assistant", model: request.model, content },
    ...{ stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

/** Returns a citation of the last document that allows citations. */
function citedIn({ messages }: MessagesRequest) {
  const documents = messages.flatMap(({ content }) => blocks(content).filter(({ type }) => type === "document"));
  const [last] = documents.reverse();
  if (last?.type !== "document" || last.citations?.enabled !== true) return null;
  const place = { document_index: documents.length - 1, start_char_index: 0, end_char_index: 4 };
  return [{ type: "char_location", cited_text: "Tide", document_title: last.title ?? null, file_id: null, ...place }];
}
