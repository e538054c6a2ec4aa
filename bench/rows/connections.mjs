// Measures a call of an MCP server to which the user has signed in against the same call with a static secret: same server, same run.

import { randomBytes } from "node:crypto";
import { followConnectLink } from "../../test/support/connect-browser.mjs";
import { startOauthProxy } from "../../test/support/oauth-proxy.mjs";
import { startGateway } from "../gateway.mjs";
import { takeTurns } from "../measure.mjs";
import { startEverything } from "../peers.mjs";

const USER = "connected";
const MESSAGE = "x".repeat(200);
/** A conversation stores the results of its calls, so a new one starts after this number of calls. */
const CALLS = 200;
/** The limit on the additional time, in milliseconds. */
const BUDGET = 1;

export async function run({ passes, seconds }) {
  const stops = [];
  try {
    const everything = await startEverything();
    stops.push(everything.stop);
    const token = randomBytes(24).toString("hex");
    const proxy = await startOauthProxy(everything.url, { tokens: [token] });
    stops.push(() => proxy.close());
    const bindings = { SECRETS_KEY: randomBytes(32).toString("base64") };
    const gateway = await startGateway({ development: true, bindings });
    stops.push(gateway.stop);
    const secret = { value: token, hosts: ["127.0.0.1"], scope: "gateway" };
    await gateway.call(null, "PUT", "/api/v1/secrets/TOKEN", secret);
    const headers = { Authorization: `Bearer \${{secrets.TOKEN}}` };
    await gateway.call(null, "PUT", "/api/v1/mcp-servers/fixed", { url: proxy.url, headers });
    await gateway.call(null, "PUT", "/api/v1/mcp-servers/signed", { url: proxy.url });
    const { url } = await gateway.call(USER, "POST", "/api/v1/mcp-servers/signed/connect", {});
    const page = await followConnectLink(url, await gateway.keyOf(USER));
    if (page !== "200 Connected") throw new Error(`not connected: ${page}`);
    const ways = {};
    for (const server of ["fixed", "signed"]) {
      ways[`${server} conversation`] = byConversation(gateway, server);
      ways[`${server} proxy`] = byProxy(gateway, server);
    }
    const measured = await takeTurns(ways, { passes, seconds });
    return ["conversation", "proxy"].map((where) => row(where, measured));
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

function byConversation(gateway, server) {
  const call = (n) => ({ calls: [{ id: `call-${n}`, name: `${server}__echo`, arguments: { message: MESSAGE } }] });
  return async (n) => {
    const route = `/api/v1/conversations/${server}-${Math.floor(n / CALLS)}`;
    if (n % CALLS === 0) {
      await gateway.call(USER, "POST", `${route}/turns`, { conversation: { spec: { systemPrompt: "", skills: [] } } });
      await gateway.call(USER, "POST", `${route}/tool-calls`, call("warm"));
    }
    return echoed(await gateway.send(await gateway.request(USER, "POST", `${route}/tool-calls`, call(n))));
  };
}

/** Calls without a session, as hosts of revision 2026-07-28 do. */
function byProxy(gateway, server) {
  let session = null;
  const send = async (message) => {
    const request = await gateway.request(USER, "POST", `/mcp/servers/${server}`, { jsonrpc: "2.0", ...message });
    request.headers.accept = "application/json, text/event-stream";
    if (session !== null) request.headers["mcp-session-id"] = session;
    return gateway.send(request);
  };
  return async (n) => {
    if (session === null) {
      const clientInfo = { name: "bench", version: "1" };
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
      ({ "mcp-session-id": session } = (await send({ id: "first", method: "initialize", params })).headers);
      await send({ method: "notifications/initialized" });
    }
    const params = { name: "echo", arguments: { message: MESSAGE } };
    return echoed(await send({ id: n, method: "tools/call", params }));
  };
}

function echoed({ ms, text }) {
  if (!text.includes(MESSAGE)) throw new Error(`no echo: ${text}`);
  return ms;
}

function row(where, measured) {
  const [fixed, signed] = [measured[`fixed ${where}`], measured[`signed ${where}`]];
  const over = signed.passes.map((p50, n) => p50 - fixed.passes[n]);
  return {
    name: `MCP call of a connected server (${where}), over a static secret`,
    ...{ path: signed.times, floor: fixed.times, value: signed.times.p50 - fixed.times.p50, unit: "ms" },
    ...{ spread: [Math.min(...over), Math.max(...over)], budget: BUDGET },
  };
}
