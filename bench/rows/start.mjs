// Measures the first answer of a cold isolate, for each entry point: from the start of a runtime process until the response to its first
// request has ended, over the same for an empty Hono Worker with the same bindings. All of them take turns.

import { bundleWorker } from "../../scripts/build/bundle.mjs";
import { bundleHono } from "../bundle.mjs";
import { prepareCold } from "../cold.mjs";
import { median, percentiles } from "../measure.mjs";
import { publishSkills } from "../skills.mjs";

const USER = "start";
const SKILLS = 20;
/** The limit on the first response of an entry point, relative to the empty Worker's. */
const BUDGET = 2.5;

/** Each entry point: its row, and the text that its response contains on success. */
const ENTRIES = {
  turns: { name: "turns", contains: "## Available Skills" },
  calls: { name: "tool-calls", contains: "Skill 'skill-07'" },
  chat: { name: "/openai/v1/chat/completions", contains: "[DONE]" },
  mcp: { name: "/mcp", contains: "protocolVersion" },
};

export async function run({ passes, seconds }) {
  const cold = await prepareCold(prepare);
  try {
    const gateway = await cold.worker(
      "gateway",
      (await bundleWorker({ entry: "src/index.ts", release: true })).modules,
    );
    const hono = await cold.worker("hono", (await bundleHono()).modules);
    const ways = {
      floor: () => hono({ method: "GET", route: "/health" }),
      storage: () => hono({ method: "GET", route: "/storage" }),
      unknown: () => gateway({ method: "GET", route: "/nothing", status: 404 }),
      ...Object.fromEntries(Object.keys(ENTRIES).map((name) => [name, () => gateway(cold.prepared[name])])),
    };
    for (const way of Object.values(ways)) await way();
    const starts = Math.max(4, Math.round(2 * seconds));
    const measured = [];
    for (let pass = 0; pass < passes; pass++) measured.push(await measure(ways, starts));
    const row = (name, side, budget) => ({
      name: `first answer of a cold isolate: ${name}`,
      budget,
      ...compared(measured, side),
    });
    return [
      ...Object.entries(ENTRIES).map(([side, { name }]) => row(name, side, BUDGET)),
      row("an unknown path", "unknown", null),
      // The storage access that the request cannot avoid, in a Worker that does nothing else.
      row("Hono, one read of D1 and one write of an object", "storage", null),
    ];
  } finally {
    await cold.remove();
  }
}

/** Writes what the requests need: skills, a conversation with a turn, a model. Returns the requests. */
async function prepare(gateway) {
  await publishSkills(gateway, USER, SKILLS);
  const begun = "/api/v1/conversations/begun";
  await gateway.call(USER, "POST", `${begun}/turns`, { format: "openai", conversation: {} });
  const model = { api: ["openai-chat"], base_url: "https://api.openai.com/v1", model: "cold" };
  await gateway.call(USER, "PUT", "/api/v1/models/cold", model);
  const request = (route, body) => gateway.request(USER, "POST", route, body);
  const load = { name: "load_skill", arguments: JSON.stringify({ skill_name: "skill-07" }) };
  const chat = { model: "cold", stream: true, messages: [{ role: "user", content: "Hello" }] };
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  const requests = {
    turns: await request("/api/v1/conversations/new/turns", { format: "openai", conversation: {} }),
    calls: await request(`${begun}/tool-calls`, {
      format: "openai",
      calls: [{ id: "call", type: "function", function: load }],
    }),
    chat: await request("/openai/v1/chat/completions", chat),
    mcp: await request("/mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params: hello }),
  };
  requests.chat.headers["x-conversation-id"] = "chat";
  requests.mcp.headers.accept = "application/json, text/event-stream";
  return requests;
}

async function measure(ways, starts) {
  const times = Object.fromEntries(Object.keys(ways).map((side) => [side, { ms: [], cpu: [] }]));
  for (let n = 0; n < starts; n++)
    for (const [side, way] of Object.entries(ways)) {
      const { ms, cpu, text } = await way();
      const contains = ENTRIES[side]?.contains;
      if (contains !== undefined && !text.includes(contains))
        throw new Error(`${side} did not succeed: ${text.slice(0, 500)}`);
      times[side].ms.push(ms);
      times[side].cpu.push(cpu);
    }
  return times;
}

/** A side against the floor. `cpu` is the same ratio in CPU time, which other work on the machine changes less. */
function compared(measured, side) {
  const ratio = (times, what) => median(times[side][what]) / median(times.floor[what]);
  const all = (which, what) => measured.flatMap((times) => times[which][what]);
  const ratios = measured.map((times) => ratio(times, "ms"));
  const together = {
    floor: { ms: all("floor", "ms"), cpu: all("floor", "cpu") },
    [side]: { ms: all(side, "ms"), cpu: all(side, "cpu") },
  };
  return {
    path: percentiles(together[side].ms),
    floor: percentiles(together.floor.ms),
    ratio: ratio(together, "ms"),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    cpu: { path: median(together[side].cpu), floor: median(together.floor.cpu), ratio: ratio(together, "cpu") },
  };
}
