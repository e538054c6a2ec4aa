// /mcp/servers/{name}: a server of the gateway, proxied transparently. Errors are JSON-RPC responses to the request.

import { rateHeaders } from "../domain/access/rate";
import { HTTP_STATUS, refusalIn } from "../domain/errors";
import { isDeeper } from "../domain/json";
import { REQUEST_LIMITS } from "../domain/limits";
import { type RpcBody, readRpcBody, requestIds, rpcError } from "../domain/servers/rpc-message";
import { readBody, TOO_DEEP, TOO_LARGE } from "../edge/body";
import type { Context } from "../services/context";
import { failureText } from "../services/proxy/answer";
import { forward, isToolRefusal, notAllowed } from "../services/proxy/forward";
import { type ProxiedServer, ProxyRefusal } from "../services/proxy/proxied-call";
import { proxiedServer } from "../services/proxy/server";
import { signInLink } from "../services/servers/connect-server";
import { faultIn, statusFault } from "../upstream/fault";

const METHODS = ["GET", "POST", "DELETE"] as const;

/** The server, and whether the request is for the message URL of type `sse`. */
export interface ProxyPlace {
  name: string;
  isMessage: boolean;
}

/** Handles a request to a server of this gateway. Every user of the gateway can use its servers. */
export async function proxy(context: Context, request: Request, { name, isMessage }: ProxyPlace): Promise<Response> {
  let posted: RpcBody = { value: undefined, messages: [] };
  try {
    const method = METHODS.find((known) => known === request.method);
    if (method === undefined) throw notAllowed(METHODS.join(", "));
    const body = method === "POST" ? await readBody(request) : "";
    if (body === null) throw new ProxyRefusal(413, -32600, TOO_LARGE);
    if (isDeeper(body, REQUEST_LIMITS.jsonDepth)) throw new ProxyRefusal(400, -32600, TOO_DEEP);
    posted = readRpcBody(body);
    const { headers, signal } = request;
    const { pathname, searchParams } = new URL(request.url);
    const path = isMessage ? pathname.slice(0, pathname.lastIndexOf("/")) : pathname;
    const handle = isMessage ? (searchParams.get("to") ?? "") : null;
    const sent = { method, headers, body, posted, handle, path, signal, development: __DEVELOPMENT__ };
    const server = await currentServer(context, name);
    return await forward(context, server, sent).catch(async (error: unknown) => {
      const isSignIn = faultIn(error)?.kind === "sign_in";
      if (!(isSignIn || isToolRefusal(error)) || !(await context.makeCertain?.())) throw error;
      const current = await serverNamed(context, name);
      // A token that the server has rejected is not sent again. The user may have signed in through another isolate.
      const { authorization } = current.target.headers;
      if (isSignIn && (authorization === undefined || authorization === server.target.headers.authorization))
        throw error;
      return forward(context, current, sent);
    });
  } catch (error) {
    const fault = faultIn(error);
    if (fault?.kind !== "sign_in") return refused(error, name, posted);
    const link = await signInLink(context, name, fault.scope);
    // Not every server that returns 401 has an issuer.
    return link === null ? refused(statusFault(401, null), name, posted) : signInRefusal(link, name, posted);
  }
}

/** Returns the server. A failure that may be due to an old identity of the caller is confirmed by the primary; nothing was sent yet. */
async function currentServer(context: Context, name: string): Promise<ProxiedServer> {
  try {
    return await serverNamed(context, name);
  } catch (error) {
    if (!(await context.makeCertain?.())) throw error;
    return serverNamed(context, name);
  }
}

async function serverNamed(context: Context, name: string): Promise<ProxiedServer> {
  const server = await proxiedServer(context, name);
  if (server === null) throw new ProxyRefusal(404, -32600, `MCP server '${name}' not found. Check the name.`);
  return server;
}

/** JSON-RPC "URL elicitation required" (MCP 2025-11-25). */
const URL_REQUIRED = -32042;

/** Returns the error that names the link its user must open. Clients that do not know the code show the message. */
function signInRefusal({ id, url }: { id: string; url: string }, name: string, posted: RpcBody): Response {
  const message = `MCP server '${name}' requires you to sign in. Open ${url} and try again.`;
  const elicitations = [{ mode: "url", elicitationId: id, url, message: `Sign in to ${name}.` }];
  const body = rpcError(requestIds(posted)[0] ?? null, URL_REQUIRED, message, { elicitations });
  return new Response(body, {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

/** Converts an error to a response, to the request if there is one. Rethrows unexpected errors. */
function refused(error: unknown, name: string, posted: RpcBody): Response {
  const id = requestIds(posted)[0] ?? null;
  const answer = (status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
    new Response(rpcError(id, code, message), {
      status,
      headers: { ...headers, "content-type": "application/json", "cache-control": "no-store" },
    });
  if (error instanceof ProxyRefusal) return answer(error.status, error.rpcCode, error.message, error.headers);
  const fault = faultIn(error);
  if (fault !== null) {
    return answer(fault.kind === "timeout" ? 504 : 502, -32603, failureText(name, fault), retryAfter(fault.retryAfter));
  }
  const refusal = refusalIn(error);
  if (refusal === null) throw error;
  return answer(HTTP_STATUS[refusal.code], -32603, refusal.message, rateHeaders(refusal));
}

function retryAfter(seconds: number | null): Record<string, string> {
  return seconds === null ? {} : { "retry-after": String(seconds) };
}
