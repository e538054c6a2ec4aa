// `npm run tour`: shows the main features on the running gateway and prints every request and response.

import { strToU8, zipSync } from "fflate";
import { GATEWAY, readOptions } from "./kit/options.mjs";
import { fail } from "./kit/refusal.mjs";
import { chosenGateway, nothingAnswers } from "./local/chosen-gateway.mjs";

const USAGE = `Use: npm run tour -- [--url <gateway>] [--key <key of an admin>] [--port 8787]
  Without --url it is the gateway in GATEWAY_URL, or the one on this machine; the key may also stand in GATEWAY_KEY, and for the
  gateway on this machine it is that of .dev.vars.`;
/** The older name of the variable still works. */
const environment = { ...process.env, GATEWAY_KEY: process.env.GATEWAY_KEY || process.env.GATEWAY_ADMIN_KEY };
let gateway;
let adminKey;

/** The skill of this story: instructions, and a file that is read only when it is needed. */
const SKILL = {
  "haiku-writer/SKILL.md": `---
name: haiku-writer
description: "Writes haiku. Use it when the user asks for a haiku or a very short poem."
version: "1.0.0"
---

# Haiku

Write three lines of five, seven and five syllables. Name a season without using its word.
For season words read \`references/seasons.md\`.
`,
  "haiku-writer/references/seasons.md": "# Season words\n\n- spring: thaw, frogs\n- winter: bare branch, breath\n",
};

/** The text that the user pasted. */
const ORDERS = `date,region,amount
2026-01-08,North,49.90
2026-01-17,South,120.00
2026-02-03,West,99.80
2026-02-11,South,698.00
`;

await main().catch(fail);

async function main() {
  const { values } = readOptions(USAGE, GATEWAY);
  ({ url: gateway, key: adminKey } = await chosenGateway(values, USAGE, environment));
  step("The gateway is there");
  await send("GET", "/health", { key: null });

  step("An admin makes a key for a user, alice");
  const { key } = await send("POST", "/api/v1/keys", { json: { user_id: "alice", name: "tour" }, key: adminKey });

  step("Alice checks a skill before she publishes it: a ZIP with a SKILL.md");
  const zip = zipSync(Object.fromEntries(Object.entries(SKILL).map(([name, text]) => [name, strToU8(text)])));
  await send("POST", "/api/v1/kinds/skills/validate", { file: zip, key });

  step("Alice publishes it");
  const skill = await send("POST", "/api/v1/kinds/skills/upload", { file: zip, key });

  step("She defines an agent, a ghost, that may use every skill she sees, and forgets them after two turns");
  await send("PUT", "/api/v1/kinds/ghosts/by-name/default/poet", {
    json: {
      kind: "Ghost",
      metadata: { name: "poet", namespace: "default" },
      spec: { systemPrompt: "You are a poet.", skills: ["*"], retentionTurns: 2 },
    },
    key,
  });

  step("Her chat back end begins the first turn; the model sees one line a skill");
  const chat = `/api/v1/conversations/tour-${Date.now()}`;
  const first = await send("POST", `${chat}/turns`, {
    json: { key: "message-1", format: "openai", conversation: { ghost: "poet" } },
    key,
  });

  step("The model wants the skill; its instructions stand in the answer, and prompt and tools stay as they are");
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "load_skill", arguments: '{"skill_name":"haiku-writer"}' },
  };
  await send("POST", `${chat}/tool-calls`, { json: { format: "openai", calls: [call], etag: first.etag }, key });

  step("It reads a file of the skill, without loading anything else");
  const read = {
    id: "call_2",
    name: "read_skill",
    arguments: { skill_name: "haiku-writer", file_path: "references/seasons.md" },
  };
  await send("POST", `${chat}/tool-calls`, { json: { calls: [read] }, key, only: ["results"] });

  step("The skill stays for two turns after this one. What was sent does not change: the etag is the same");
  const have = ["call_1"];
  for (const message of ["message-2", "message-3", "message-4"]) {
    await send("POST", `${chat}/turns`, {
      json: { key: message, format: "openai", have },
      key,
      only: ["turn", "active", "etag"],
    });
  }

  step("After a pause the provider keeps nothing of the prompt, so that its text may leave the history, too");
  await send("POST", `${chat}/turns`, {
    json: { key: "message-5", format: "openai", have, cache: "cold" },
    key,
    only: ["turn", "context_edits"],
  });

  step("What it saved against pasting every skill into every prompt");
  await send("GET", chat, { key, only: ["turn", "active", "tokens"] });

  step("A script of a skill that the gateway brings, in Python: the model passes a CSV on, and adds up nothing itself");
  const report = {
    id: "call_3",
    name: "execute_skill_script",
    arguments: { skill_name: "csv-report", script_path: "scripts/report.py", input: ORDERS },
  };
  const { results } = await send("POST", `${chat}/tool-calls`, { json: { calls: [report] }, key, only: [] });
  console.log(indent(results[0].content[0].text));

  step("The chart that it drew is kept with the conversation");
  await send("GET", `${chat}/files`, { key });

  step("Cleaning up");
  await send("DELETE", chat, { key });
  const { items } = await send("GET", "/api/v1/kinds/ghosts?namespace=default&name=poet", { key, only: [] });
  await send("DELETE", `/api/v1/kinds/ghosts/${items[0].metadata.labels.id}`, { key });
  await send("DELETE", `/api/v1/kinds/skills/${skill.metadata.labels.id}`, { key });
  console.log("\nThat was the tour. README.md goes on from here.");
}

/** Sends a request, prints both sides, and ends the tour after an error. */
async function send(method, route, { json, file, key, only }) {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  let body;
  if (json !== undefined) {
    headers["content-type"] = "application/json";
    body = JSON.stringify(json);
  } else if (file !== undefined) {
    body = new FormData();
    body.append("file", new File([file], "haiku-writer.zip", { type: "application/zip" }));
  }
  console.log(`\n> ${method} ${route}${file === undefined ? "" : `   (a ZIP of ${file.length} bytes)`}`);
  if (json !== undefined) console.log(indent(JSON.stringify(json)));
  const answer = await fetch(`${gateway}${route}`, { method, headers, body }).catch((error) => {
    throw nothingAnswers(gateway, error);
  });
  const text = await answer.text();
  console.log(`< ${answer.status}`);
  const value = text === "" ? null : JSON.parse(text);
  const shown = only === undefined ? value : Object.fromEntries(only.map((name) => [name, value[name]]));
  if (value !== null && only?.length !== 0) console.log(indent(shorten(JSON.stringify(hide(shown), null, 2))));
  if (answer.ok) return value;
  console.error("\nThe gateway refused; the tour ends here.");
  process.exit(1);
}

function step(title) {
  console.log(`\n## ${title}`);
}

function indent(text) {
  return text.replace(/^/gm, "  ");
}

/** Shortens tool schemas to their names and hides keys, which are secrets even in a tour. */
function hide(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const copy = { ...value };
  if (Array.isArray(copy.tools)) copy.tools = copy.tools.map((tool) => tool.function?.name ?? tool.name);
  if (typeof copy.key === "string") copy.key = `${copy.key.slice(0, 8)}…`;
  return copy;
}

function shorten(text) {
  const lines = text.split("\n");
  return lines.length <= 60 ? text : [...lines.slice(0, 55), `… ${lines.length - 55} more lines`].join("\n");
}
