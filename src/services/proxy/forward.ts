// The transparent proxy: forwards one request to a server of the gateway, with timeouts, size limits and the host policy.

import { UPSTREAM_LIMITS } from "../../domain/limits";
import { forwardedHeaders } from "../../domain/servers/proxy-headers";
import { agrees, calledTools, hasMethod, isPlain, rewriteRpcBody } from "../../domain/servers/rpc-message";
import { faultIn, signInFault, statusFault, type UpstreamFault } from "../../upstream/fault";
import { type GuardedResponse, guardedRead } from "../../upstream/fetch";
import { eject, isEjected, isOfInstance, pickInstance, wasNotSent } from "../../upstream/instances";
import { loadSdk } from "../../upstream/sdk";
import { requiredScopeIn } from "../../upstream/transport";
import type { Context } from "../context";
import { proxiedAnswer } from "./answer";
import {
  fromHandle,
  type ProxiedCall,
  type ProxiedServer,
  ProxyRefusal,
  type ProxyRequest,
  sessionIn,
  sessionLost,
} from "./proxied-call";

const METHODS = { "streamable-http": ["GET", "POST", "DELETE"], sse: ["GET"], websocket: [] };
/** Answered before any work starts, so the connect timeout applies. */
const OPENING = ["initialize", "server/discover"];
const LISTEN = "subscriptions/listen";
/** Requests without an effect. They can be sent again if the server may have received them. */
const READING = [
  ...[...OPENING, LISTEN, "ping", "tools/list", "resources/list", "resources/templates/list", "resources/read"],
  ...["prompts/list", "prompts/get", "completion/complete"],
];

/**
 * Forwards a request and returns the response, whose body may still be streaming. Tool calls are counted unless they are rejected here.
 * @throws ProxyRefusal, UpstreamFault, GatewayError
 */
export async function forward(context: Context, server: ProxiedServer, request: ProxyRequest): Promise<Response> {
  if (calledTools(request.posted).length === 0) return forwarded(context, server, request);
  const began = context.now();
  const counted = (outcome: string) => {
    context.count("upstream_calls", [server.countedAs, outcome]);
    context.count("upstream_seconds", [server.countedAs], (context.now() - began) / 1_000);
  };
  try {
    const answer = await forwarded(context, server, request);
    counted(answer.ok ? "ok" : "error");
    return answer;
  } catch (error) {
    if (faultIn(error) !== null) counted("failed");
    throw error;
  }
}

async function forwarded(context: Context, server: ProxiedServer, request: ProxyRequest): Promise<Response> {
  const { method, posted } = request;
  const stands = method === "GET" || hasMethod(posted, LISTEN);
  const begun: ProxiedCall = { context, server, request, stands, instance: null, session: null, began: context.now() };
  const asked = { ...begun, session: await sessionOf(begun) };
  const { exchange, answer } = await sent(asked);
  const { signIn, headers } = server.target;
  const scope = signIn === undefined ? null : await requiredScope(answer.response);
  if (scope !== null) {
    await answer.body?.cancel();
    throw signInFault(scope);
  }
  if (answer.response.status !== 401 || signIn === undefined) return proxiedAnswer(exchange, answer);
  await answer.body?.cancel();
  const renewed = signIn.renew === null ? null : await signIn.renew(headers);
  if (renewed === null) throw signInFault();
  const again = await sent({ ...asked, server: { ...server, target: { ...server.target, ...renewed } } });
  return proxiedAnswer(again.exchange, again.answer);
}

/** Returns the scopes that the server requires in addition. Loads the MCP client only for a response that can name some. */
async function requiredScope(response: Response): Promise<string | null> {
  return response.status === 403 ? requiredScopeIn(await loadSdk(), response) : null;
}

interface SentRequest {
  /** With the instance that received it. */
  exchange: ProxiedCall;
  answer: GuardedResponse;
}

/**
 * Sends the request to the server, or to one of its instances: that of the session, or one by weight. If that is down, the request is sent
 * once more to another, unless the server may have received it and acted.
 */
async function sent(asked: ProxiedCall): Promise<SentRequest> {
  const { server, request, context } = asked;
  const { instances } = server.target;
  const session = asked.session === null ? null : sessionIn(asked, asked.session.value);
  if (instances === undefined) return { exchange: asked, answer: await sentTo(asked, session?.id ?? null) };
  const { development, method, posted } = request;
  const pick = (except: string | null) => {
    const picked = pickInstance(server.target, { now: context.now(), development, except });
    return picked === null ? null : instances.indexOf(picked);
  };
  const exchange = { ...asked, instance: session === null ? pick(null) : session.instance };
  const url = instances[exchange.instance ?? 0]?.url ?? server.target.url;
  // The session ended with its instance. The client begins another.
  if (session !== null && isEjected(url)) throw sessionLost();
  const isReading = method === "POST" && posted.messages.length > 0 && posted.messages.every(isRead);
  const mayMove = (fault: UpstreamFault) => session === null && (isReading || wasNotSent(fault));
  try {
    const answer = await sentTo(exchange, session?.id ?? null);
    const fault = statusFault(answer.response.status, null);
    if (!isOfInstance(fault)) return { exchange, answer };
    eject(url, context.now());
    if (!mayMove(fault)) return { exchange, answer };
    await answer.body?.cancel();
  } catch (error) {
    const fault = faultIn(error);
    if (fault === null || !isOfInstance(fault)) throw error;
    eject(url, context.now());
    if (!mayMove(fault)) throw error;
  }
  const other = { ...asked, instance: pick(url) };
  return { exchange: other, answer: await sentTo(other, null) };
}

function isRead({ method }: { method?: string | undefined }): boolean {
  return method !== undefined && READING.includes(method);
}

async function sentTo(exchange: ProxiedCall, session: string | null): Promise<GuardedResponse> {
  const { server, request, stands } = exchange;
  const { method, posted, signal } = request;
  const url = await addressOf(exchange);
  const headers = forwardedHeaders(request.headers, server.target.headers);
  if (session !== null) headers.set("mcp-session-id", session);
  const body = method === "POST" ? bodyOf(exchange) : null;
  const isOpening = method !== "POST" || hasMethod(posted, LISTEN, ...OPENING);
  return guardedRead(
    url,
    { method, headers, signal, body },
    {
      development: request.development,
      headersMs: isOpening ? server.target.connectMs : server.target.callMs,
      // The body has its own timeout where it is read, because a stream can be long as long as it sends data.
      totalMs: null,
      bytes: stands ? null : UPSTREAM_LIMITS.streamBytes,
    },
  );
}

async function addressOf(exchange: ProxiedCall): Promise<string> {
  const { target } = exchange.server;
  const { method, handle } = exchange.request;
  if (target.type === "websocket") {
    const message = "The proxy does not support WebSocket servers. Use the server in a conversation (`/mcp/{id}`).";
    throw new ProxyRefusal(501, -32600, message);
  }
  if (handle === null) {
    const allowed = METHODS[target.type];
    if (!allowed.includes(method)) throw notAllowed(allowed.join(", "));
    return target.instances?.[exchange.instance ?? -1]?.url ?? target.url;
  }
  if (target.type !== "sse")
    throw new ProxyRefusal(
      404,
      -32600,
      "The server does not accept messages at this address. Send them to the base URL of the server.",
    );
  if (method !== "POST") throw notAllowed("POST");
  // Checked again here: exactly this URL is fetched.
  const url = URL.parse(await fromHandle(exchange, "endpoint", handle));
  if (url === null || url.origin !== new URL(target.url).origin) throw sessionLost();
  return url.href;
}

/** Whether a call was rejected because its tool is not allowed. The server has not received the request. */
export function isToolRefusal(error: unknown): boolean {
  return error instanceof ProxyRefusal && error.rpcCode === -32602;
}

/** The error for a method that the address does not accept. */
export function notAllowed(allow: string): ProxyRefusal {
  return new ProxyRefusal(405, -32000, `Method not allowed. Use ${allow}.`, { allow });
}

async function sessionOf(exchange: ProxiedCall): Promise<ProxiedCall["session"]> {
  const handle = exchange.request.headers.get("mcp-session-id");
  return handle === null ? null : { handle, value: await fromHandle(exchange, "session", handle) };
}

/** Returns the body to send. If tools are restricted, it is rewritten, so that the server reads what was checked. */
function bodyOf({ server: { isAllowed }, request: { body, posted, headers } }: ProxiedCall): string {
  if (isAllowed === null) return body;
  if (posted.value === undefined) throw new ProxyRefusal(400, -32700, "The body is not valid JSON. Fix the syntax.");
  if (!isPlain(posted)) {
    const message = "The body is not a JSON-RPC message or a list of them. Send one.";
    throw new ProxyRefusal(400, -32600, message);
  }
  if (!agrees(posted, headers))
    throw new ProxyRefusal(400, -32020, "`Mcp-Method` or `Mcp-Name` does not match the body. Make them equal.");
  const refused = calledTools(posted).find((tool) => !isAllowed(tool));
  if (refused !== undefined)
    throw new ProxyRefusal(
      200,
      -32602,
      `Tool '${refused}' not found on this server. \`tools/list\` returns its tools.`,
    );
  return rewriteRpcBody(body);
}
