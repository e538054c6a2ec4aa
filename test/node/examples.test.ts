// The examples as users run them: real SDKs in their own process, with the gateway and a scripted model.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Harness, KEY, type Published, root } from "../support/harness";
import { startVendor } from "../support/vendors/server";

const gateway = new Harness();
let published: Published | undefined;
let versions = 0;

/** Returns the text that only the current version's instructions contain. */
const order = () => `Sign every report with the word Aye-${versions}.`;

/** Publishes the skill or its next version, and yanks the version before it. */
async function publish(): Promise<void> {
  const before = published;
  versions++;
  published = await gateway.publish(
    {
      name: "harbour-report",
      description: "Writes harbour reports.",
      version: `${versions}.0.0`,
      // Shorter instructions would be preloaded under delivery `auto`, so nothing would be loaded.
      body: `${order()}\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}`,
      files: { "tides.md": "High water at noon.\n" },
    },
    before?.id,
  );
  if (before === undefined) return;
  await gateway.send("POST", `/api/v1/kinds/skills/${before.id}/versions/${before.version_id}/yank`);
}

beforeAll(async () => {
  await gateway.start();
  await publish();
  const ghost = {
    metadata: { name: "harbour-master" },
    spec: { systemPrompt: "You watch.", skills: ["harbour-report"] },
  };
  await gateway.send("POST", "/api/v1/kinds/ghosts", ghost, "demo");
});

afterAll(() => gateway.close());

it("the back end without SDK runs as printed, for users without an agent of their own", async () => {
  const page = await readFile(path.join(root, "docs", "back-end.md"), "utf8");
  const [, spec = "", route] = /-d '(\{.*\})' \$GW(\/kinds\/ghosts\/by-name\/public\/\S+)/.exec(page) ?? [];
  await gateway.send("PUT", `/api/v1${route}`, JSON.parse(spec));
  const service = { user_id: "a-back-end", scopes: ["act_as", "conversations"] };
  const { key } = (await (await gateway.send("POST", "/api/v1/keys", service)).json()) as { key: string };

  const [, code] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const given = "GW, KEY, MODEL, chatId, userId, message, history, told, model, mine, runMine";
  const module = `export default async ({ ${given} }) => { ${code}; return { step, thread }; }`;
  const { default: run } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(module)}`);
  const call = (id: string, name: string, args: object) => {
    return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
  };
  const seen: string[] = [];
  const model = async ({ messages, tools }: { messages: object[]; tools: object[] }) => {
    seen.push(JSON.stringify(messages));
    if (seen.length !== 1) return { role: "assistant", content: "High water at noon." };
    expect(JSON.stringify(tools)).toContain("load_skill");
    const calls = [call("1", "load_skill", { skill_name: "harbour-report" }), call("2", "get_time", {})];
    return { role: "assistant", content: null, tool_calls: calls };
  };
  const kept = {
    ...{ GW: gateway.url, KEY: key, MODEL: "gpt-6-sol", chatId: "chat", userId: "a-visitor", told: new Map(), model },
    mine: [{ type: "function", function: { name: "get_time", parameters: { type: "object", properties: {} } } }],
    runMine: async (calls: { id: string }[]) =>
      calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "noon" })),
  };
  const first = order();
  const { step, thread } = await run({ ...kept, message: { id: "m1", text: "How is the tide?" }, history: [] });
  expect(seen[0]).toContain("You find things out.");
  expect(seen[0]).not.toContain(first);
  expect(seen[1]).toContain(first);
  expect(step.loaded_skills).toEqual(["harbour-report"]);
  expect(thread.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);

  // A version that is yanked leaves the history, and the next one is appended.
  await publish();
  const next = await run({ ...kept, message: { id: "m2", text: "And tomorrow?" }, history: thread });
  expect([seen[2]?.includes(first), seen[2]?.includes(order())]).toEqual([false, true]);
  expect(next.thread.slice(thread.length).map(({ role }: { role: string }) => role)).toEqual([
    "user",
    "developer",
    "assistant",
  ]);
});

it.each(["openai-chat", "openai-responses", "anthropic", "ai-sdk"])("%s runs two turns", async (example) => {
  const vendor = await startVendor();
  const look = [
    { name: "get_time", input: {} },
    { name: "read_skill", input: { skill_name: "harbour-report", file_path: "tides.md" } },
  ];
  const load = [{ name: "load_skill", input: { skill_name: "harbour-report" } }];
  vendor.plan.push(load, look, [], look);
  const orders = [order()];
  // The version is yanked between turns: its instructions are removed from the history, and those of the next version are appended.
  vendor.meanwhile = async () => {
    if (orders.length === 1) await publish();
    orders.push(order());
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`examples/${example}.mjs`, "How is the tide?", "And tomorrow?"],
    {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        GATEWAY_URL: gateway.url,
        GATEWAY_KEY: KEY,
        GHOST: "harbour-master",
        CHAT_ID: example,
        OPENAI_API_KEY: "none",
        OPENAI_BASE_URL: `${vendor.url}/v1`,
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: vendor.url,
        AI_GATEWAY_API_KEY: "none",
        AI_GATEWAY_BASE_URL: vendor.url,
      },
    },
  ).catch((error: { stderr: string }) => {
    throw new Error(`${error.stderr}\n${JSON.stringify(vendor.refusals, null, 2)}`);
  });
  await vendor.close();
  expect(vendor.refusals).toEqual([]);
  expect(stdout).toBe("Said in step 3.\nSaid in step 5.\n");

  // The first turn loads the skill; later turns have its instructions without loading.
  const told = vendor.bodies.map((body) => orders.slice(0, 2).map((each) => body.includes(each)));
  const [before, after] = [
    [true, false],
    [false, true],
  ];
  expect(told).toEqual([[false, false], before, before, after, after]);
  for (const body of [vendor.bodies[2], vendor.bodies[4]]) {
    expect(body).toContain("High water at noon.");
    expect(body).toMatch(/"\d{4}-\d\d-\d\dT/);
  }
  const state = await (await gateway.send("GET", `/api/v1/conversations/${example}`, undefined, "demo")).json();
  expect(state).toMatchObject({ turn: 2, active: [{ skill: "harbour-report", remaining: 5, loaded_in_turn: 1 }] });
});
