// The examples as a user runs them: real SDKs in a process of their own, against the gateway and a model that follows a script.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { startModel } from "../support/model-server.mjs";

const root = path.join(import.meta.dirname, "../..");
const KEY = "sgw_admin_key_of_the_examples_test";
const server = createTestHarness({
  root,
  workers: [{ configPath: "wrangler.toml", secrets: { GATEWAY_ADMIN_KEY: KEY } }],
});
let url: string;

async function send(method: string, route: string, body?: FormData | object, user?: string): Promise<Response> {
  const json = body !== undefined && !(body instanceof FormData);
  const response = await fetch(new URL(route, url), {
    method,
    headers: {
      authorization: `Bearer ${KEY}`,
      ...(user === undefined ? {} : { "on-behalf-of": user }),
      ...(json ? { "content-type": "application/json" } : {}),
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
  return response;
}

beforeAll(async () => {
  url = String((await server.listen()).url);
  await server.getWorker().applyD1Migrations("DB");
  const skill = zipSync({
    "harbour-report/SKILL.md": strToU8(
      // A shorter one would be preloaded under delivery `auto`, and nothing would have to be loaded.
      `---\ndescription: Writes harbour reports.\n---\n\n# Reports\n\nSign every report with the word Aye.\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}\n`,
    ),
    "harbour-report/tides.md": strToU8("High water at noon.\n"),
  });
  const form = new FormData();
  form.set("file", new File([new Uint8Array(skill)], "harbour-report.zip"));
  await send("POST", "/api/v1/kinds/skills/public", form);
  const ghost = {
    metadata: { name: "harbour-master" },
    spec: { systemPrompt: "You watch.", skills: ["harbour-report"] },
  };
  await send("POST", "/api/v1/kinds/ghosts", ghost, "demo");
});

afterAll(() => server.close());

it("the README's back end runs as printed, for users who have no agent of their own", async () => {
  const readme = await readFile(path.join(root, "README.md"), "utf8");
  const [, spec = "", route] = /-d '(\{.*\})' \$GW(\/kinds\/ghosts\/by-name\/public\/\S+)/.exec(readme) ?? [];
  await send("PUT", `/api/v1${route}`, JSON.parse(spec));
  const service = { user_id: "a-back-end", scopes: ["act_as", "conversations"] };
  const { key } = (await (await send("POST", "/api/v1/keys", service)).json()) as { key: string };

  const [, code] = /## In a chat back end[\s\S]*?```js\n([\s\S]*?)```/.exec(readme) ?? [];
  const given = "GW, KEY, chatId, userId, message, history, model, mine, runMine";
  const module = `export default async ({ ${given} }) => { ${code}; return { step, thread }; }`;
  const { default: run } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(module)}`);
  const call = (id: string, name: string, args: object) => {
    return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
  };
  const seen: string[] = [];
  const model = async ({ messages, tools }: { messages: { content: string }[]; tools: object[] }) => {
    seen.push(messages[0]?.content ?? "");
    if (seen.length > 1) return { role: "assistant", content: "High water at noon." };
    expect(JSON.stringify(tools)).toContain("load_skill");
    const calls = [call("1", "load_skill", { skill_name: "harbour-report" }), call("2", "get_time", {})];
    return { role: "assistant", content: null, tool_calls: calls };
  };
  const { step, thread } = await run({
    GW: url.replace(/\/$/, ""),
    KEY: key,
    chatId: "chat",
    userId: "a-visitor",
    message: { id: "m1", text: "How is the tide?" },
    history: [],
    model,
    mine: [{ type: "function", function: { name: "get_time", parameters: { type: "object", properties: {} } } }],
    runMine: async (calls: { id: string }[]) =>
      calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "noon" })),
  });
  expect(seen[0]).toContain("You find things out.");
  expect(seen[0]).not.toContain("Sign every report");
  expect(seen[1]).toContain("Sign every report");
  expect(step.loaded_skills).toEqual(["harbour-report"]);
  expect(thread.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
});

it.each(["openai-chat", "openai-responses", "anthropic", "ai-sdk"])("%s takes two turns", async (example) => {
  const model = await startModel();
  const questions = ["How is the tide?", "And tomorrow?"];
  const { stdout } = await promisify(execFile)(process.execPath, [`examples/${example}.mjs`, ...questions], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      GATEWAY_URL: url.replace(/\/$/, ""),
      GATEWAY_KEY: KEY,
      GHOST: "harbour-master",
      CHAT_ID: example,
      OPENAI_API_KEY: "none",
      OPENAI_BASE_URL: `${model.url}/v1`,
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: model.url,
      AI_GATEWAY_API_KEY: "none",
      AI_GATEWAY_BASE_URL: model.url,
    },
  }).catch((error: { stderr: string }) => {
    throw new Error(`${error.stderr}\n${JSON.stringify(model.steps, null, 2)}`);
  });
  await model.close();
  expect(stdout).toBe("High water at noon. Aye\nHigh water at noon. Aye\n");

  // First it loads the skill; from then on the instructions are there, in the next turn without loading again.
  const moves = model.steps.map(({ instructed, calls, text }) => ({
    instructed,
    did: calls?.map((call) => call.name) ?? text,
  }));
  const answered = { instructed: true, did: "High water at noon. Aye" };
  expect(moves).toEqual([
    { instructed: false, did: ["load_skill"] },
    { instructed: true, did: ["get_time", "read_skill"] },
    answered,
    { instructed: true, did: ["get_time", "read_skill"] },
    answered,
  ]);
  const state = await (await send("GET", `/api/v1/conversations/${example}`, undefined, "demo")).json();
  expect(state).toMatchObject({ turn: 2, active: [{ skill: "harbour-report", remaining: 5, loaded_in_turn: 1 }] });
});
