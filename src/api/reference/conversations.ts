// OpenAPI texts for conversations, their steps, files and questions.

import type { OperationTexts } from "./operation";

const C = "/api/v1/conversations";

const loadCall = {
  id: "call_1",
  type: "function",
  function: { name: "load_skill", arguments: '{"skill_name":"mermaid-diagram"}' },
};

export const CONVERSATION_TEXTS: OperationTexts = {
  [`POST ${C}`]: {
    id: "conversations.create",
    about:
      "Creates a conversation. Without `id`, an id is generated. For an existing id, the named settings change and the others stay. You rarely need it, because the first turn also creates a conversation.",
    retry: "idempotent",
    keyed: true,
    body: { id: "chat-42", format: "openai", delivery: "auto" },
  },
  [`GET ${C}`]: {
    id: "conversations.list",
    about:
      "Lists your conversations, newest first. `q` filters by a part of the title, the agent (ghost) or the id; `ghost`, `since` and `until` by agent and time of creation; `skill` by a skill that was active; `state` by whether a tool call failed. Skills and failures of the last turn are at most ten minutes old.",
    query: { state: "failed" },
  },
  [`PUT ${C}/{id}`]: {
    id: "conversations.set",
    about: "Creates a conversation or replaces all its settings. Changes take effect in the next turn.",
    keyed: true,
    body: { format: "openai", delivery: "auto", metadata: { title: "Tides" } },
  },
  [`GET ${C}/{id}`]: {
    id: "conversations.get",
    about:
      "Returns the state of a conversation: turn, settings, active skills with their remaining turns, pending questions, MCP servers and billed tokens. It changes nothing.",
  },
  [`DELETE ${C}/{id}`]: {
    id: "conversations.delete",
    about:
      "Deletes a conversation with its events, results, files and questions. It can be restored only from a message history.",
  },
  [`GET ${C}/{id}/events`]: {
    id: "conversations.events",
    about:
      "Lists the events of a conversation, oldest first. Pass `next_cursor` as `after`. Pages are limited to about 1 MiB.",
    query: { limit: 10 },
  },
  [`POST ${C}/{id}/feedback`]: {
    id: "conversations.rateTurn",
    about:
      "Stores the user's feedback on a turn: 1 is good, -1 bad, and 0 withdraws it. Replaces earlier feedback on the turn. It counts for the skills that were active in the turn; the comment is only in the conversation.",
    body: { turn: 1, score: 1, comment: "The chart was right." },
    retry: "idempotent",
  },
  [`GET ${C}/{id}/feedback`]: {
    id: "conversations.feedback",
    about: "Lists the user's feedback on turns, in their order.",
  },
  [`GET ${C}/{id}/series`]: {
    id: "conversations.series",
    about:
      "Lists the figures of each turn, oldest first: prompt tokens, billed tokens, reported usage, and loaded and active skills. Pass `next_cursor` as `after`.",
    query: { limit: 20 },
  },
  [`GET ${C}/{id}/at/{turn}`]: {
    id: "conversations.at",
    about:
      "Returns the active skills and tokens of a turn, and its `steps`: what the model, tools, scripts and questions did, and when. All are as of the latest run of that turn.",
  },
  [`POST ${C}/{id}/turns`]: {
    id: "turns.prepare",
    about:
      "Starts a turn. Call it once for each user message, before you call the model. The response contains the prompt and the tools for the first model request. `conversation` creates the conversation. `key` identifies the user message, so that the same turn is not started twice. `history` is read only if the gateway does not know the conversation.",
    retry: "idempotent",
    keyed: true,
    body: { key: "message-1", format: "openai", conversation: { delivery: "auto" }, history: [], model: "gpt-6-sol" },
  },
  [`POST ${C}/{id}/tool-calls`]: {
    id: "toolCalls.run",
    about:
      "Runs the tool calls of one model response and returns messages to append to the history. The calls can have the format of any supported API. Calls of tools that the gateway does not know are returned in `unhandled`. With `Accept: text/event-stream`, each result is sent when it is ready; closing the stream cancels its calls. A call repeated with the same id in the same turn returns its stored result.",
    retry: "idempotent",
    keyed: true,
    events: "ToolCallEvent",
    body: { format: "openai", calls: [loadCall] },
  },
  [`DELETE ${C}/{id}/tool-calls/{call_id}`]: {
    id: "toolCalls.cancel",
    about: "Cancels a running tool call. The response is 404 if the call is not running.",
  },
  [`GET ${C}/{id}/prompt`]: {
    id: "conversations.prompt",
    about: "Returns the current prompt without starting a turn. Its `ETag` is the `etag` of turns and tool calls.",
    query: { format: "anthropic" },
  },
  [`GET ${C}/{id}/tools`]: {
    id: "conversations.tools",
    about: "Returns the current tools in the format of the API in `format`.",
    query: { format: "openai" },
  },
  [`POST ${C}/{id}/restore`]: {
    id: "conversations.restore",
    about:
      "Replaces all active skills with those of a message history, and sets the turn. Use it to edit or regenerate a message: send the history up to that message.",
    retry: "idempotent",
    body: { history: [{ role: "user", content: "How is the tide?" }] },
  },
  [`GET ${C}/{id}/files`]: {
    id: "files.list",
    about: "Lists the files that scripts created in a conversation, newest first.",
  },
  [`GET ${C}/{id}/files/{file_id}`]: {
    id: "files.get",
    about:
      "Downloads a file that a script created, as an attachment. Files are deleted with their conversation or after `FILE_DAYS`.",
  },
  [`DELETE ${C}/{id}/files/{file_id}`]: { id: "files.delete", about: "Deletes a file that a script created." },
  [`POST ${C}/{id}/requests`]: {
    id: "questions.ask",
    about:
      "Asks the connected pages a question and waits up to `wait_ms` for the answer. The response is 202 if the question is still pending; read it later by its `request_id`. A question ends with the first answer, at its deadline, or when it is cancelled.",
    retry: "idempotent",
    keyed: true,
    body: { action: "confirm", payload: { question: "Send the report?" }, timeout_ms: 30000, wait_ms: 0 },
  },
  [`GET ${C}/{id}/requests`]: {
    id: "questions.list",
    about: "Lists questions to pages, newest first. Ended questions are kept for one day.",
    query: { state: "pending" },
  },
  [`GET ${C}/{id}/requests/{request_id}`]: {
    id: "questions.get",
    about: "Returns a question. With `wait_ms`, the response is sent when the question ends or the time is over.",
    query: { wait_ms: 0 },
  },
  [`DELETE ${C}/{id}/requests/{request_id}`]: {
    id: "questions.cancel",
    about: "Cancels a pending question. Pages close their dialog, and the caller that waits receives the result.",
  },
  [`POST ${C}/{id}/requests/{request_id}/response`]: {
    id: "questions.answer",
    about: "Answers a question for a page without a socket. The first answer is used; later answers are 409.",
    retry: "idempotent",
    keyed: true,
    body: { success: true, result: { confirmed: true } },
  },
  [`POST ${C}/{id}/tickets`]: {
    id: "tickets.create",
    about:
      "Creates a one-time ticket that opens the conversation's socket from `origin` within 60 seconds. Your back end requests it, because pages must not have a key. A conversation that does not exist is created with `conversation`; an existing one is not changed.",
    retry: "idempotent",
    body: { origin: "https://chat.example", user_id: "alice", conversation: { retention_turns: 5 }, output: true },
  },
  [`GET ${C}/{id}/socket`]: {
    id: "conversations.socket",
    about:
      "Opens the WebSocket for pages. The client is `skill-gateway/client`. Offer the sub-protocol `skill-gateway.v1` and, without a key, `ticket.<ticket>`.",
    retry: "never",
  },
  "GET /api/tasks/{id}/skills": {
    id: "tasks.skills",
    about: "Returns the skills of a conversation in the format of Wegent, which calls a conversation a task.",
  },
};
