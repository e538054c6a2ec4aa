// The cost of models: what vendors report is counted by kind, and its cost is recomputed here from the prices of their pages.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn } from "../../support/chat-turns";
import { holdClockAtNoon, pass, releaseClock } from "../../support/clock";
import { clearRegistry } from "../../support/registry";
import { calling, saying } from "../../support/scripted-model";
import { HOUR } from "../../support/skill-use";

const I = "/api/v1/insights";

beforeEach(async () => {
  await clearRegistry();
  await env.DB.prepare("DELETE FROM service_use").run();
  holdClockAtNoon();
});
afterEach(() => {
  vi.restoreAllMocks();
  releaseClock();
});

/** Answers requests to vendors in turn. */
function vendors(...answers: (() => Response | Promise<Response>)[]): void {
  const elsewhere = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (!/anthropic|openai|openrouter/.test(url)) return elsewhere(input, init);
    const next = answers.shift();
    if (next === undefined) throw new Error("one request too many");
    return next();
  });
}

const message = (usage: object) => () =>
  Response.json({ type: "message", role: "assistant", content: [{ type: "text", text: "Yes." }], usage });

const store = (key: string, name: string, base_url: string, model: string, more: object = {}) =>
  call("PUT", `/api/v1/models/${name}`, { key, json: { api: ["anthropic"], base_url, model, ...more } });

async function ask(key: string, model: string, more: object = {}): Promise<void> {
  const json = { model, max_tokens: 100, messages: [{ role: "user", content: "Hi" }], ...more };
  const answer = await call("POST", "/anthropic/v1/messages", { key: null, json, headers: { "x-api-key": key } });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.text();
}

interface Cost {
  name: string;
  tokens: number;
  priced_tokens: number;
  cost_usd: number | null;
}

/** Returns the figures when `calls` requests are counted, which happens after their answers. */
async function figures(key: string, calls: number) {
  const read = async <T>(path: string) => (await call("GET", `${I}/${path}`, { key })).json<T>();
  await expect.poll(async () => (await read<{ models: { calls: number } }>("overview")).models.calls).toBe(calls);
  const { models, prices_of } = await read<{ models: Cost; prices_of: string }>("overview");
  const { items } = await read<{ items: Cost[] }>("services?kind=model");
  return { models, prices_of, items, of: (name: string) => items.find((item) => item.name === name) };
}

const ANTHROPIC = "https://api.anthropic.com/v1";

it("is the cost of input, cached, written and output tokens at the vendor's prices", async () => {
  const key = await keyFor("cost-claude");
  await store(key, "opus", ANTHROPIC, "claude-opus-5-5");
  const usage = {
    ...{ input_tokens: 1_200, cache_read_input_tokens: 90_000, cache_creation_input_tokens: 4_000, output_tokens: 333 },
    cache_creation: { ephemeral_5m_input_tokens: 3_000, ephemeral_1h_input_tokens: 1_000 },
  };
  vendors(message(usage), message(usage));
  await ask(key, "opus");
  await ask(key, "opus");
  const { models, prices_of, of } = await figures(key, 2);
  // $4 per million, $0.20 read, $5 written, $8 written for an hour, $20 output.
  const each = (1_200 * 4 + 90_000 * 0.2 + 3_000 * 5 + 1_000 * 8 + 333 * 20) / 1_000_000;
  expect(of("opus")?.cost_usd).toBeCloseTo(2 * each, 6);
  expect(of("opus")).toMatchObject({ fresh: 2_400, cache_read: 180_000, cache_write: 8_000, output: 666 });
  expect(of("opus")).toMatchObject({ tokens: 191_066, priced_tokens: 191_066 });
  expect(models).toMatchObject({ cost_usd: of("opus")?.cost_usd, priced_tokens: 191_066 });
  expect(prices_of).toMatch(/^2026-/);
});

it("contains each step of an answer with skills", async () => {
  const key = await keyFor("cost-loop");
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: "Count syllables." });
  await call("PUT", "/api/v1/models/five", {
    key,
    json: { api: ["openai-chat"], base_url: "https://api.openai.com/v1", model: "gpt-5-2025-08-07" },
  });
  // Each step reports 10 input and 5 output tokens.
  vendors(calling("a", [["call_1", "load_skill", { skill_name: "haiku" }]]), saying("b", "Frog."));
  const messages = [{ role: "user", content: "A haiku" }];
  const answer = await call("POST", "/openai/v1/chat/completions", { key, json: { model: "five", messages } });
  expect(answer.status).toBe(200);
  const { of } = await figures(key, 2);
  expect(of("five")).toMatchObject({ tokens: 30, priced_tokens: 30, cost_usd: (20 * 1.25 + 10 * 10) / 1_000_000 });
});

it("is unknown for another server, another tier and tokens that nobody reported, and never guessed", async () => {
  const key = await keyFor("cost-unknown");
  await store(key, "routed", "https://openrouter.ai/api/v1", "claude-opus-5-5");
  await store(key, "haiku", ANTHROPIC, "claude-haiku-4-5", { allow: { tiers: ["priority"] } });
  const usage = { input_tokens: 100, cache_read_input_tokens: 0, output_tokens: 10 };
  vendors(message(usage), message(usage), message(usage), () => Response.json({ type: "message", content: [] }));
  await ask(key, "routed");
  await ask(key, "haiku", { service_tier: "priority" });
  await ask(key, "haiku");
  await ask(key, "haiku");
  const { models, of } = await figures(key, 4);
  expect(of("routed")).toMatchObject({ tokens: 110, fresh: 100, priced_tokens: 0, cost_usd: null });
  const cost = (100 * 1 + 10 * 5) / 1_000_000;
  expect(of("haiku")).toMatchObject({ priced_tokens: 110, cost_usd: cost });
  expect(of("haiku")?.tokens).toBeGreaterThan(220);
  expect(models).toMatchObject({ priced_tokens: 110, cost_usd: cost });
  expect(models.tokens).toBe((of("routed")?.tokens ?? 0) + (of("haiku")?.tokens ?? 0));
});

it("stores no names of servers and models that users choose freely", async () => {
  const key = await keyFor("cost-free");
  const usage = { input_tokens: 100, cache_read_input_tokens: 0, output_tokens: 10 };
  vendors(message(usage), message(usage), message(usage));
  for (const n of [1, 2]) {
    await store(key, `own-${n}`, `https://${n}.openrouter.ai/v1`, `model-${n}`);
    await ask(key, `own-${n}`);
  }
  // An entry that moves to another server has no price on that day.
  await store(key, "own-1", ANTHROPIC, "claude-opus-5-5");
  await ask(key, "own-1");
  const { models, of } = await figures(key, 3);
  expect(of("own-1")).toMatchObject({ fresh: 200, priced_tokens: 0, cost_usd: null });
  expect(models).toMatchObject({ fresh: 300, cost_usd: null });
  const { results } = await env.DB.prepare("SELECT DISTINCT billed_as FROM service_use").all();
  expect(results).toEqual([{ billed_as: "" }]);
});

it("is what the vendor reports, not what the model writes", async () => {
  const key = await keyFor("cost-forged");
  await store(key, "opus", ANTHROPIC, "claude-opus-5-5");
  const forged = { prompt_tokens: 900_000_000, completion_tokens: 1, cache_creation_input_tokens: 5 };
  const content = [{ type: "tool_use", id: "t", name: "x", input: { usage: forged } }];
  const usage = { input_tokens: 10, cache_read_input_tokens: 0, output_tokens: 4 };
  const start = { type: "message_start", message: { id: "m", usage: { ...usage, output_tokens: 1 } } };
  const events = [start, { type: "message_delta", delta: {}, usage: { output_tokens: 4 } }];
  const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  vendors(
    () => Response.json({ type: "message", role: "assistant", content, usage }),
    () => new Response(stream, { headers: { "content-type": "text/event-stream" } }),
  );
  await ask(key, "opus");
  await ask(key, "opus", { stream: true });
  const { of } = await figures(key, 2);
  expect(of("opus")).toMatchObject({ fresh: 20, cache_write: 0, output: 8, priced_tokens: 28 });
});

it("belongs to the model that answered, also after its entry has changed", async () => {
  const key = await keyFor("cost-changed");
  await store(key, "best", ANTHROPIC, "claude-opus-5-5");
  const usage = { input_tokens: 1_000, cache_read_input_tokens: 0, output_tokens: 0 };
  vendors(message(usage), message(usage), message(usage));
  await ask(key, "best");
  pass(24 * HOUR);
  await store(key, "best", ANTHROPIC, "claude-haiku-4-5");
  await ask(key, "best");
  expect((await figures(key, 2)).of("best")).toMatchObject({ priced_tokens: 2_000, cost_usd: 0.005 });
  // Two models on one day cannot be told apart, so the day has no price.
  await store(key, "best", ANTHROPIC, "claude-opus-4-8");
  await ask(key, "best");
  expect((await figures(key, 3)).of("best")).toMatchObject({ tokens: 3_000, priced_tokens: 1_000, cost_usd: 0.004 });
});

it("is empty in CSV if it is unknown, and is the user's own", async () => {
  const key = await keyFor("cost-csv");
  await store(key, "known", ANTHROPIC, "claude-sonnet-4-6");
  await store(key, "unknown", ANTHROPIC, "claude-instant-1");
  const usage = { input_tokens: 1_000, cache_read_input_tokens: 500, output_tokens: 20 };
  vendors(message(usage), message(usage));
  await ask(key, "known");
  await ask(key, "unknown");
  await figures(key, 2);
  const [head, ...rows] = (await (await call("GET", `${I}/services?kind=model&format=csv`, { key })).text()).split(
    "\r\n",
  );
  expect(head).toBe("name,scope,calls,failures,tokens,fresh,cache_read,cache_write,output,priced_tokens,cost_usd");
  expect(rows.slice(0, 2)).toEqual([
    "known,user:cost-csv,1,0,1520,1000,500,0,20,1520,0.00345",
    "unknown,user:cost-csv,1,0,1520,1000,500,0,20,0,",
  ]);
  const other = await keyFor("cost-other");
  expect((await figures(other, 0)).models).toMatchObject({ tokens: 0, cost_usd: null });
  const all = await (await call("GET", `${I}/services?kind=server&format=csv`, { key })).text();
  expect(all).toBe("name,scope,calls,failures,tokens\r\n");
});
