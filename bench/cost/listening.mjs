// Measures the cost of hosts that listen for changes of a tool list, each in a separate conversation, while nothing changes. Half a minute
// stands for an hour: every event of such an hour occurs in it.

import { priced } from "./prices.mjs";

const HOSTS = 100;
/** Opened at once. */
const BATCH = 10;
const HOUR_MS = 60 * 60_000;
/** An object hibernates after ten idle seconds, and the Worker sends each host two keep-alive messages in this time. */
const LISTEN_MS = 40_000;
/** The limit as a share of an hour. More would mean that the object does not hibernate. */
export const MOST_SHARE = 0.01;

const MESSAGE = {
  jsonrpc: "2.0",
  id: 1,
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    },
  },
};

/**
 * @param {import("../gateway.mjs").Gateway} gateway
 * @param {() => Promise<object>} takeUnits returns the units since its last call
 */
export async function listeningHosts(gateway, takeUnits) {
  const authorization = `Bearer ${await gateway.keyOf("listener")}`;
  const ask = async (n, method, params = {}) => {
    const body = JSON.stringify({ ...MESSAGE, method, params: { ...MESSAGE.params, ...params } });
    const accept = "application/json, text/event-stream";
    const own = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
    const headers = { authorization, accept, "content-type": "application/json", ...own };
    const answer = await fetch(new URL(`/mcp/listening-${n}`, gateway.url), { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`${method}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  await gateway.send({ method: "POST", route: `/cost/listen/${LISTEN_MS}` });
  await inBatches(async (n) => (await ask(n, "tools/list")).text());
  await takeUnits();

  const begun = performance.now();
  const streams = await inBatches(async (n) => {
    const notifications = { toolsListChanged: true };
    const reader = (await ask(n, "subscriptions/listen", { notifications })).body.getReader();
    await reader.read();
    return reader;
  });
  const opened = await takeUnits();
  const opening = performance.now() - begun;
  // Until just before the first of them ends.
  const idleMs = LISTEN_MS - opening - 2_000;
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const idle = await takeUnits();
  const received = await Promise.all(streams.map(untilEnd));
  const ended = await takeUnits();
  if (received.some((times) => times < 2)) throw new Error("a host's stream ended before its time");

  const awake = (units) => priced({ units }).awake_ms;
  const awakeMs = awake(opened) + awake(idle) * (HOUR_MS / idleMs) + awake(ended);
  const requests = opened.objectRequests + idle.objectRequests + ended.objectRequests;
  return {
    hosts: HOSTS,
    requests,
    slept: ended.objectsBegun,
    awakeMs: awakeMs / HOSTS,
    share: awakeMs / HOSTS / HOUR_MS,
  };
}

async function inBatches(open) {
  const all = [];
  for (let n = 0; n < HOSTS; n += BATCH)
    all.push(...(await Promise.all(Array.from({ length: BATCH }, (_, index) => open(n + index)))));
  return all;
}

/** Reads a stream to its end. Returns the number of chunks that the host received. */
async function untilEnd(reader) {
  for (let times = 0; ; times++) if ((await reader.read()).done) return times;
}
