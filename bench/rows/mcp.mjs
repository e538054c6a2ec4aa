// Measures a warm tool call of a remote MCP server through a conversation, the gateway's own MCP server, the transparent proxy, and other
// gateways, next to the direct call with the same library. All use the same server and alternate in one run.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { bundleWorker } from "../../scripts/build/bundle.mjs";
import { prepareCold } from "../cold.mjs";
import { clientOf } from "../gateway.mjs";
import { takeTurns } from "../measure.mjs";
import { startEverything, startPeers } from "../peers.mjs";

const USER = "mcp";
const OTHER = "mcp-three";
const MESSAGE = "x".repeat(200);
/** A conversation stores the results of its calls, so a new one starts after this number of calls. */
const CALLS = 200;
/** The limit on the time that the gateway adds to the direct call and the floor of its own state, in milliseconds. */
const BUDGET = 3;
/** The limit on the time that a choice among three addresses adds to a call through the proxy, in milliseconds. */
const CHOICE = 0.2;
/** The limit on a call through a conversation, relative to a call through the proxy, which only passes it on. */
const OF_PROXY = 1.5;

export async function run({ passes, seconds }) {
  const stops = [];
  try {
    const everything = await startEverything();
    stops.push(everything.stop);
    const peers = await startPeers(everything.url);
    stops.push(...peers.map((peer) => peer.stop));
    const alone = await prepareCold(
      async (gateway) => {
        await gateway.call(null, "PUT", "/api/v1/mcp-servers/everything", { url: everything.url });
        const urls = ["", "?2", "?3"].map((query) => ({ url: `${everything.url}${query}` }));
        // Of another user, because conversations with more tools list them in another way.
        await gateway.call(OTHER, "PUT", "/api/v1/servers/three", { url: everything.url, urls });
      },
      { development: true },
    );
    stops.push(alone.remove);
    // Without Miniflare, whose own Workers receive and send every request a second time. On Cloudflare there is nothing like them.
    const passing = await alone.serve("passing", { "passing.js": passingWorker(everything.url) });
    stops.push(passing.stop);
    const { modules } = await bundleWorker({ entry: "bench/worker.ts", release: true, development: true });
    const served = await alone.serve("gateway", modules);
    stops.push(served.stop);
    const gateway = clientOf(new URL(served.url));
    stops.push(gateway.close);
    const key = await gateway.keyOf(USER);
    const bench = { url: new URL("/mcp/bench", served.url), type: "http", prefix: "everything__", key };
    const proxied = { url: new URL("/mcp/servers/everything", served.url), type: "http", prefix: "", key };
    const ofThree = { ...proxied, url: new URL("/mcp/servers/three", served.url), key: await gateway.keyOf(OTHER) };
    const ways = {
      direct: await byLibrary({ ...everything, type: "http", prefix: "" }, stops),
      passing: await byLibrary({ ...passing, type: "http", prefix: "" }, stops),
      load: loadFloor(gateway),
      conversation: byConversation(gateway),
      served: await byLibrary(bench, stops),
      proxy: await byLibrary(proxied, stops),
      three: await byLibrary(ofThree, stops),
    };
    for (const peer of peers) ways[peer.name] = await byLibrary(peer, stops);
    return rows(await takeTurns(ways, { passes, seconds }), peers);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** A Worker that only passes requests on: the least that any proxy in this runtime adds. */
const passingWorker = (upstream) =>
  `export default { fetch: (request) => fetch(${JSON.stringify(upstream)}, request) };`;

/** A client of the SDK that makes many calls in its session. */
async function byLibrary({ url, type, prefix, key }, stops) {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const Transport = type === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new Transport(new URL(url), { requestInit: { headers } }));
  stops.push(() => client.close());
  const { tools } = await client.listTools();
  const name = tools.map((tool) => tool.name).find((one) => one === `${prefix}echo`);
  if (name === undefined) throw new Error(`${url} offers no echo`);
  return async () => {
    const started = performance.now();
    const result = await client.callTool({ name, arguments: { message: MESSAGE } });
    const ms = performance.now() - started;
    if (!result.content[0].text.includes(MESSAGE)) throw new Error(`${url} answers ${JSON.stringify(result)}`);
    return ms;
  };
}

/** The minimum for every call in a conversation: one D1 statement and one call to an object that writes. */
function loadFloor(gateway) {
  const text = MESSAGE.repeat(3);
  return async (n) => {
    const id = `mcp-${n}`;
    await gateway.send({ method: "POST", route: "/floor/prepare", body: Buffer.from(id) });
    return (await gateway.send(await gateway.request(USER, "POST", "/floor/write", { id, text }))).ms;
  };
}

function byConversation(gateway) {
  const call = (n) => ({ calls: [{ id: `call-${n}`, name: "everything__echo", arguments: { message: MESSAGE } }] });
  return async (n) => {
    const route = `/api/v1/conversations/mcp-${Math.floor(n / CALLS)}`;
    if (n % CALLS === 0) {
      await gateway.call(USER, "POST", `${route}/turns`, { conversation: { spec: { systemPrompt: "", skills: [] } } });
      await gateway.call(USER, "POST", `${route}/tool-calls`, call("warm"));
    }
    const { ms, text } = await gateway.send(await gateway.request(USER, "POST", `${route}/tool-calls`, call(n)));
    if (!JSON.parse(text).results[0].content[0].text.includes(MESSAGE)) throw new Error(`no echo: ${text}`);
    return ms;
  };
}

function rows(measured, peers) {
  const { direct, load } = measured;
  const best = peers.map(({ name }) => measured[name]).reduce((a, b) => (b.times.p50 < a.times.p50 ? b : a));
  const added = (way, floors) =>
    way.passes.map((p50, n) => p50 - floors.reduce((sum, floor) => sum + floor.passes[n], 0));
  const row = (name, way, floors, budget) => {
    const over = added(way, floors);
    const p50 = floors.reduce((sum, floor) => sum + floor.times.p50, 0);
    const p99 = floors.reduce((sum, floor) => sum + floor.times.p99, 0);
    const spread = [Math.min(...over), Math.max(...over)];
    return { name, path: way.times, floor: { p50, p99 }, value: way.times.p50 - p50, unit: "ms", spread, budget };
  };
  const against = (name, way, other, budget) => {
    const ratios = way.passes.map((p50, n) => p50 / other.passes[n]);
    const spread = [Math.min(...ratios), Math.max(...ratios)];
    return { name, path: way.times, floor: other.times, ratio: way.times.p50 / other.times.p50, spread, budget };
  };
  return [
    row("MCP call through a conversation, over direct + state", measured.conversation, [direct, load], BUDGET),
    row("MCP call through /mcp/{id}, over direct + state", measured.served, [direct, load], BUDGET),
    row("MCP call through the proxy, over direct + state", measured.proxy, [direct, load], BUDGET),
    against("MCP call through /mcp/{id}, against the proxy", measured.served, measured.proxy, OF_PROXY),
    against("MCP call through a conversation, against the best peer", measured.conversation, best, 1),
    against("MCP call through /mcp/{id}, against the best peer", measured.served, best, 1),
    against("MCP call through the proxy, against the best peer", measured.proxy, best, 1),
    row("MCP call through the proxy, over direct", measured.proxy, [direct], BUDGET),
    row("MCP call through an empty Worker, over direct", measured.passing, [direct], null),
    row("MCP call through the proxy, over an empty Worker", measured.proxy, [measured.passing], null),
    row("MCP call through the proxy with three addresses, over one", measured.three, [measured.proxy], CHOICE),
    ...peers.map(({ name }) => row(`MCP call through ${name}, over direct`, measured[name], [direct], null)),
  ];
}
