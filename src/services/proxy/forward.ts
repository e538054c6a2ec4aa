// The transparent proxy: forwards one request to a server of the gateway, with timeouts, size limits and the host policy.

import { UPSTREAM_LIMITS } from "../../domain/limits";
import { forwardedHeaders } from "../../domain/servers/proxy-headers";
import { agrees, calledTools, hasMethod, isPlain, rewriteRpcBody } from "../../domain/servers/rpc-message";
import { faultIn, signInFault } from "../../upstream/fault";
import { guardedFetch } from "../../upstream/fetch";
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
  sessionLost,
} from "./proxied-call";

const METHODS = { "streamable-http": ["GET", "POST", "DELETE"], sse: ["GET"] };
/** Answered before any work starts, so the connect timeout applies. */
const OPENING = ["initialize", "server/discover"];
const LISTEN = "subscriptions/listen";

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
  const exchange: ProxiedCall = { context, server, request, stands, began: context.now() };
  const response = await sent(exchange);
  const { signIn, headers } = server.target;
  const scope = signIn === undefined ? null : await requiredScope(response);
  if (scope !== null) {
    await response.body?.cancel();
    throw signInFault(scope);
  }
  if (response.status !== 401 || signIn === undefined) return proxiedAnswer(exchange, response);
  await response.body?.cancel();
  const renewed = signIn.renew === null ? null : await signIn.renew(headers);
  if (renewed === null) throw signInFault();
  const again = { ...exchange, server: { ...server, target: { ...server.target, ...renewed } } };
  return proxiedAnswer(again, await sent(again));
}

/** Returns the scopes that the server requires in addition. Loads the MCP client only for a response that can name some. */
async function requiredScope(response: Response): Promise<string | null> {
  return response.status === 403 ? requiredScopeIn(await loadSdk(), response) : null;
}

/** Sends the request to the server. */
async function sent(exchange: ProxiedCall): Promise<Response> {
  const { server, request, stands } = exchange;
  const { method, posted, signal } = request;
  const url = await addressOf(exchange);
  const headers = forwardedHeaders(request.headers, server.target.headers);
  const session = await sessionOf(exchange);
  if (session !== null) headers.set("mcp-session-id", session);
  const body = method === "POST" ? bodyOf(exchange) : null;
  const isOpening = method !== "POST" || hasMethod(posted, LISTEN, ...OPENING);
  return guardedFetch(
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
  if (handle === null) {
    const allowed = METHODS[target.type];
    if (!allowed.includes(method)) throw notAllowed(allowed.join(", "));
    return target.url;
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

/** The error for a method that the address does not accept. */
export function notAllowed(allow: string): ProxyRefusal {
  return new ProxyRefusal(405, -32000, `Method not allowed. Use ${allow}.`, { allow });
}

async function sessionOf(exchange: ProxiedCall): Promise<string | null> {
  const handle = exchange.request.headers.get("mcp-session-id");
  return handle === null ? null : fromHandle(exchange, "session", handle);
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
