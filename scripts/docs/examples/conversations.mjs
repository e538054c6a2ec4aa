// Records the examples of conversations: turns, tool calls, files, questions and tickets.

const ID = "chat-42";
/** A model whose prices the gateway knows. */
const MODEL = "gpt-5.6";
const chat = { id: ID };
const NOTES = "Write the release notes: CSV export, faster search, fixed sign-in on iOS.";
const ORDERS = "date,region,amount\n2026-01-08,North,49.90\n2026-01-17,South,120.00\n2026-02-03,North,99.80\n";

const call = (id, name, given) => ({ id, type: "function", function: { name, arguments: JSON.stringify(given) } });

/** @param {import("./recorder.mjs").Recorder} on */
export async function recordConversations(on) {
  await on.record("conversations.create", { json: { id: ID, ghost: "editor", format: "openai", delivery: "auto" } });
  await on.record("conversations.set", {
    path: chat,
    json: { ghost: "editor", format: "openai", delivery: "auto", title: "Release notes", metadata: { project: "app" } },
  });
  const turn = await on.record("turns.prepare", {
    path: chat,
    json: { key: "message-1", model: MODEL, history: [] },
  });
  const load = call("call_1", "load_skill", { skill_name: "release-notes" });
  await on.record("toolCalls.run", { path: chat, json: { calls: [load], etag: turn.etag } });
  const report = { skill_name: "csv-report", script_path: "scripts/report.py", input: ORDERS };
  await on.send("toolCalls.run", {
    path: chat,
    // The gateway still starts Python.
    repeatWhile: ({ status }) => status === 503,
    json: {
      calls: [
        call("call_2", "load_skill", { skill_name: "csv-report" }),
        call("call_3", "execute_skill_script", report),
      ],
    },
  });
  await on.send("turns.prepare", {
    path: chat,
    json: {
      key: "message-2",
      model: MODEL,
      have: ["call_1", "call_2"],
      usage: { prompt_tokens: 2100, completion_tokens: 240 },
    },
  });
  await recordCancel(on);
  await on.record("conversations.list", { query: { limit: 20 } });
  await on.record("conversations.get", { path: chat });
  await on.record("conversations.events", { path: chat, query: { limit: 10 } });
  await on.record("conversations.series", { path: chat, query: { limit: 20 } });
  await on.record("conversations.rateTurn", {
    path: chat,
    json: { turn: 1, score: 1, comment: "The draft was right." },
  });
  await on.record("conversations.feedback", { path: chat });
  await on.record("conversations.at", { path: { ...chat, turn: 1 } });
  await on.record("conversations.prompt", { path: chat });
  await on.record("conversations.tools", { path: chat });
  await on.record("tasks.skills", { path: chat });
  await recordFiles(on);
  await recordQuestions(on);
  const history = [
    { role: "user", content: NOTES },
    { role: "assistant", content: "Done.", loaded_skills: ["release-notes"] },
  ];
  await on.record("conversations.restore", { path: chat, json: { history } });
  await on.record("conversations.delete", { path: chat });
  await on.recordAs("errors.request", "conversations.create", {
    json: { id: "chat 42", retention_turns: -1 },
    status: 400,
  });
}

/** Cancels a call of a tool that does not return. */
async function recordCancel(on) {
  const waiting = call("call_4", "weather__radar", { city: "Oslo" });
  const running = on.send("toolCalls.run", { path: chat, json: { calls: [waiting] } });
  await on.record("toolCalls.cancel", {
    path: { ...chat, call_id: "call_4" },
    repeatWhile: ({ status }) => status === 404,
  });
  await running;
}

async function recordFiles(on) {
  const { items } = await on.record("files.list", { path: chat });
  const path = { ...chat, file_id: items[0].id };
  await on.record("files.get", { path });
  await on.record("files.delete", { path });
}

async function recordQuestions(on) {
  const question = { action: "confirm", payload: { question: "Publish the notes?" }, timeout_ms: 30_000, wait_ms: 0 };
  const { request_id } = await on.record("questions.ask", { path: chat, json: question });
  await on.record("questions.list", { path: chat, query: { state: "pending" } });
  const path = { ...chat, request_id };
  await on.record("questions.answer", { path, json: { success: true, result: { confirmed: true } } });
  await on.record("questions.get", { path });
  const other = await on.send("questions.ask", { path: chat, json: question });
  await on.record("questions.cancel", { path: { ...chat, request_id: other.request_id } });
  await on.record("tickets.create", { path: chat, json: { origin: "https://chat.example", output: true } });
}
