// Measures the chat endpoint: the time to the first word, the time of each further word, and the memory that 200 concurrent streams leave
// behind. The floor passes on the same answer of the same provider after one D1 query and two calls of an object.

import http from "node:http";
import { answerOf, listen, startVendor } from "../chat.mjs";
import { startGateway } from "../gateway.mjs";
import { takeTurns } from "../measure.mjs";
import { runtimeMemory } from "../memory.mjs";
import { publishSkills } from "../skills.mjs";

const USER = "chat";
const TURNS = 10;
const SHORT = "5-0";
/** The speed of fast models. */
const PACED = "100-5";
const LONG = "2000-0";
const STREAMS = 200;
/** A user's further requests are rejected. */
const EACH = 20;
const SETTLED_MS = 20_000;

export async function run({ passes, seconds }) {
  const vendor = await startVendor();
  const gateway = await startGateway({ development: true });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    await furnish(gateway, vendor, USER);
    const ask = async (body) => listen(gateway.url, agent, body);
    const first = async (request) => (await ask(request)).first;
    const word = (model) => async (request) => {
      const { first: from, last: to } = await ask(request);
      return (to - from) / (Number(model.split("-")[0]) - 1);
    };
    const sides = (kind, model, figure) =>
      takeTurns(
        {
          floor: async (n) => figure(await floor(gateway, vendor, kind, n, model)),
          path: async (n) => figure(await turn(gateway, USER, kind, n, model)),
        },
        { passes, seconds },
      );
    return [
      row("the first word of a turn, 20 skills", 2, await sides("first", SHORT, first)),
      row("each further word, one in 5 ms", 1.3, await sides("paced", PACED, word(PACED))),
      row("each further word, as fast as they go", null, await sides("fast", LONG, word(LONG))),
      ...(await crowd(gateway, vendor)),
    ];
  } finally {
    agent.destroy();
    await gateway.stop();
    vendor.close();
  }
}

function row(name, budget, { floor, path }) {
  const ratios = path.passes.map((each, n) => each / floor.passes[n]);
  const ratio = path.times.p50 / floor.times.p50;
  const spread = [Math.min(...ratios), Math.max(...ratios)];
  return { name, budget, floor: floor.times, path: path.times, ratio, spread };
}

async function furnish(gateway, vendor, user) {
  await publishSkills(gateway, user, 20);
  for (const model of [SHORT, PACED, LONG])
    await gateway.call(user, "PUT", `/api/v1/models/${model}`, { api: ["openai-chat"], base_url: vendor.url, model });
}

async function floor(gateway, vendor, kind, n, model) {
  const id = `${kind}-${Math.floor(n / TURNS)}`;
  if (n % TURNS === 0) await gateway.send({ method: "POST", route: "/floor/prepare", body: Buffer.from(id) });
  const sent = { model, stream: true, messages: messagesOf(n % TURNS, model) };
  return gateway.request(USER, "POST", "/floor/chat", { id, url: `${vendor.url}/chat/completions`, sent });
}

/** The next turn of a chat, ten in each. */
async function turn(gateway, user, kind, n, model) {
  const body = { model, stream: true, messages: messagesOf(n % TURNS, model) };
  const request = await gateway.request(user, "POST", "/openai/v1/chat/completions", body);
  return { ...request, headers: { ...request.headers, "x-conversation-id": `${kind}-${Math.floor(n / TURNS)}` } };
}

function messagesOf(turns, model) {
  const said = { role: "assistant", content: answerOf(model) };
  const asked = (n) => ({ role: "user", content: `Say something, for the ${n}th time. ${"x".repeat(500)}` });
  return [...Array.from({ length: turns }, (_, n) => [asked(n), said]).flat(), asked(turns)];
}

/** Opens many streams at once, then none, and measures the remaining memory. The first round allocates what grows only once. */
async function crowd(gateway, vendor) {
  const users = Array.from({ length: STREAMS / EACH }, (_, n) => `crowd-${n}`);
  for (const user of users) await furnish(gateway, vendor, user);
  const many = new http.Agent({ keepAlive: false, maxSockets: STREAMS });
  const round = async (name) => {
    const streams = Array.from({ length: STREAMS }, async (_, n) => {
      const user = users[n % users.length];
      return listen(gateway.url, many, await turn(gateway, user, `${name}-${n}`, 0, PACED));
    });
    await Promise.all(streams);
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    return runtimeMemory();
  };
  const fresh = await runtimeMemory();
  const before = await round("first");
  const after = await round("second");
  many.destroy();
  const memoryText = `${before.toFixed(0)} MiB before, ${after.toFixed(0)} after; ${fresh.toFixed(0)} before any`;
  const name = `memory after ${STREAMS} streams at once (${memoryText})`;
  return [{ name, value: after / before, unit: "x", budget: 1.3 }];
}
