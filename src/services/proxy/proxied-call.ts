// The state of one proxied request, shared by request and response: user, server, and the handles of sessions.

import type { UpstreamTarget } from "../../domain/servers/memory";
import type { ApprovedTools } from "../../domain/servers/owner";
import type { RpcBody } from "../../domain/servers/rpc-message";
import type { Context } from "../context";
import { type Binding, handlesOf } from "./handles";

/** A server of the gateway, for one caller. */
export interface ProxiedServer {
  /** Its address, with all variables filled in. */
  target: UpstreamTarget;
  /** The label of its calls in metrics. */
  countedAs: string;
  /** Its configured URLs. A change invalidates its handles. */
  configuredUrl: string;
  /** Whether a tool can be seen and called; `null`: all. */
  isAllowed: ((tool: string) => boolean) | null;
  /** The approved tools with their digests; `null`: no guard. */
  approved: ApprovedTools | null;
}

/** A client's request. */
export interface ProxyRequest {
  method: "GET" | "POST" | "DELETE";
  headers: Headers;
  /** The body of a POST, as text and parsed. */
  body: string;
  posted: RpcBody;
  /** The handle in a message URL of a server of type `sse`; `null` for the server's own URL. */
  handle: string | null;
  /** The path of the server on this gateway. */
  path: string;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
  /** `__DEVELOPMENT__`. */
  development: boolean;
}

/** An error of the proxy itself, with an HTTP status and a JSON-RPC code. */
export class ProxyRefusal extends Error {
  override readonly name = "ProxyRefusal";

  constructor(
    readonly status: number,
    readonly rpcCode: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** State shared by a request and its response. */
export interface ProxiedCall {
  context: Context;
  server: ProxiedServer;
  request: ProxyRequest;
  /** The position of the instance that has or begins the client's session; `null` if the server has one address. */
  instance: number | null;
  /** The session that the client named, as its handle and the value of that; `null` without one. */
  session: { handle: string; value: string } | null;
  /** A stream that stays open until the client closes it. */
  stands: boolean;
  /** Milliseconds since the epoch. */
  began: number;
}

type HandleKind = "session" | "endpoint";

/** Returns the handle of a value from the server, valid for this user and server only. */
export async function toHandle(exchange: ProxiedCall, kind: HandleKind, value: string): Promise<string> {
  const seal = await handlesOf(exchange.context.settings);
  return seal.close(value, bindingOf(exchange, kind));
}

/** Returns the value of a handle. An invalid handle throws the same error as an expired session, so that the client starts a new one. */
export async function fromHandle(exchange: ProxiedCall, kind: HandleKind, handle: string): Promise<string> {
  const seal = await handlesOf(exchange.context.settings);
  const value = await seal.open(handle, bindingOf(exchange, kind));
  if (value === null) throw sessionLost();
  return value;
}

/** Returns the value of a session's handle: its id, with the instance that has it. */
function sessionValue({ instance }: ProxiedCall, id: string): string {
  return instance === null ? id : `${instance} ${id}`;
}

/** Returns the handle for a session of the server. That of the request if it is the same, because a value has one handle. */
export async function sessionHandle(exchange: ProxiedCall, id: string): Promise<string> {
  const value = sessionValue(exchange, id);
  const { session } = exchange;
  return session?.value === value ? session.handle : toHandle(exchange, "session", value);
}

/** Returns the session in the value of a handle. */
export function sessionIn({ server }: ProxiedCall, value: string): { id: string; instance: number | null } {
  if (server.target.instances === undefined) return { id: value, instance: null };
  const space = value.indexOf(" ");
  return { id: value.slice(space + 1), instance: Number(value.slice(0, space)) };
}

/** The error for an expired session, after which clients start a new one. */
export function sessionLost(): ProxyRefusal {
  return new ProxyRefusal(404, -32001, "Session not found");
}

function bindingOf({ context, server }: ProxiedCall, kind: HandleKind): Binding {
  return [kind, context.caller.principal.userId, server.target.name, server.configuredUrl];
}
