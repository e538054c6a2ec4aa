// Conversations, their steps, their files, and what is asked of their pages.

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
      "Creates a conversation. Without `id` one is made; of an id that is known the fields that are named change and the others stay. Seldom needed: the first turn creates its conversation, too.",
    retry: "idempotent",
    keyed: true,
    body: { id: "chat-42", format: "openai", delivery: "auto" },
  },
  [`GET ${C}`]: {
    id: "conversations.list",
    about: "The caller's own conversations, newest first. With `q` those whose title, ghost or id has these letters.",
  },
  [`PUT ${C}/{id}`]: {
    id: "conversations.set",
    about: "Creates a conversation or replaces all its settings. They take effect with the next turn.",
    keyed: true,
    body: { format: "openai", delivery: "auto", metadata: { title: "Tides" } },
  },
  [`GET ${C}/{id}`]: {
    id: "conversations.get",
    about:
      "The state of a conversation: its turn, its settings, which skills are active and for how long, pending questions, MCP servers, and what its prompts were billed. It changes nothing.",
  },
  [`DELETE ${C}/{id}`]: {
    id: "conversations.delete",
    about:
      "Deletes a conversation with its events, results, files and questions. Nothing brings it back but a history.",
  },
  [`GET ${C}/{id}/events`]: {
    id: "conversations.events",
    about:
      "The conversation's log, oldest first: what was loaded, unloaded, called and why. Pass `next_cursor` as `after`. A page ends early beyond 1 MiB.",
    query: { limit: 10 },
  },
  [`GET ${C}/{id}/series`]: {
    id: "conversations.series",
    about:
      "Every turn in figures, oldest first: prompt tokens, what it was billed in each of the three ways, what providers reported, and which skills were loaded and active. Pass `next_cursor` as `after`.",
    query: { limit: 20 },
  },
  [`GET ${C}/{id}/at/{turn}`]: {
    id: "conversations.at",
    about: "Which skills were active in a turn, and its tokens, as of the latest pass over that turn.",
  },
  [`POST ${C}/{id}/turns`]: {
    id: "turns.prepare",
    about:
      "Begins a turn: call it once when the user has written, before the model is asked. The answer has the prompt and the tools for the model's first step. `conversation` creates the conversation. `key` names the user's message: the same turn is never begun twice. `history` is read only while the gateway does not know the conversation.",
    retry: "idempotent",
    keyed: true,
    body: { key: "message-1", format: "openai", conversation: { delivery: "auto" }, history: [], model: "gpt-6-sol" },
  },
  [`POST ${C}/{id}/tool-calls`]: {
    id: "toolCalls.run",
    about:
      "Runs the tool calls of one answer of the model, whichever API wrote them, and answers with messages that are ready to append to the history. Calls whose name is not the gateway's come back in `unhandled`. With `Accept: text/event-stream` each result is told as soon as it is there; closing that stream cancels its calls. A call that is repeated with its id in the same turn answers with its stored result.",
    retry: "idempotent",
    keyed: true,
    events: "ToolCallEvent",
    body: { format: "openai", calls: [loadCall] },
  },
  [`DELETE ${C}/{id}/tool-calls/{call_id}`]: {
    id: "toolCalls.cancel",
    about: "Cancels a call that runs. Its caller hears that it was cancelled; 404 when no such call runs.",
  },
  [`GET ${C}/{id}/prompt`]: {
    id: "conversations.prompt",
    about: "The prompt as it stands now, without beginning a turn. Its `ETag` is the `etag` of turns and tool calls.",
    query: { format: "anthropic" },
  },
  [`GET ${C}/{id}/tools`]: {
    id: "conversations.tools",
    about: "The tools as they stand now, in the form of the API that `format` names.",
    query: { format: "openai" },
  },
  [`POST ${C}/{id}/restore`]: {
    id: "conversations.restore",
    about:
      "Replaces all activations by what a history says, and sets the turn. To edit or regenerate a message send the history up to it.",
    retry: "idempotent",
    body: { history: [{ role: "user", content: "How is the tide?" }] },
  },
  [`GET ${C}/{id}/files`]: {
    id: "files.list",
    about: "The files that scripts have left in a conversation, newest first.",
  },
  [`GET ${C}/{id}/files/{file_id}`]: {
    id: "files.get",
    about:
      "The bytes of a file that a script has left, as an attachment. It is gone with its conversation, or after some days.",
  },
  [`DELETE ${C}/{id}/files/{file_id}`]: { id: "files.delete", about: "Deletes a file that a script has left." },
  [`POST ${C}/{id}/requests`]: {
    id: "questions.ask",
    about:
      "Asks the pages of a conversation to do something, and waits `wait_ms` for the answer. 202 says that it is still pending: come back with its `request_id`. It ends with the first answer, at its deadline, or when it is cancelled.",
    retry: "idempotent",
    keyed: true,
    body: { action: "confirm", payload: { question: "Send the report?" }, timeout_ms: 30000, wait_ms: 0 },
  },
  [`GET ${C}/{id}/requests`]: {
    id: "questions.list",
    about: "What was asked of the pages, newest first. What has ended is kept for a day.",
    query: { state: "pending" },
  },
  [`GET ${C}/{id}/requests/{request_id}`]: {
    id: "questions.get",
    about: "One question; with `wait_ms` the answer comes once it has ended or that time is over.",
    query: { wait_ms: 0 },
  },
  [`DELETE ${C}/{id}/requests/{request_id}`]: {
    id: "questions.cancel",
    about: "Cancels a pending question: pages close their dialogue, and who waits is told.",
  },
  [`POST ${C}/{id}/requests/{request_id}/response`]: {
    id: "questions.answer",
    about: "Answers a question for a page without a socket. The first answer wins; a later one is 409.",
    retry: "idempotent",
    keyed: true,
    body: { success: true, result: { confirmed: true } },
  },
  [`POST ${C}/{id}/tickets`]: {
    id: "tickets.create",
    about:
      "Makes a ticket with which a page opens the conversation's socket: once, within a minute, from `origin` only. Your back end asks for it, since a page never holds a key. A conversation that is not there yet is made, as `conversation` says; of one that is there nothing changes.",
    retry: "idempotent",
    body: { origin: "https://chat.example", user_id: "alice", conversation: { retention_turns: 5 }, output: true },
  },
  [`GET ${C}/{id}/socket`]: {
    id: "conversations.socket",
    about: "The socket of a page, for the client `skill-gateway/client`. It takes a ticket in place of a key.",
    retry: "never",
  },
  "GET /api/tasks/{id}/skills": {
    id: "tasks.skills",
    about:
      "The skills of a conversation in the form of the predecessor system, whose executors call a conversation a task.",
  },
};
