// One request of a client to one of the gateway's servers and what belongs to both of its sides: who, where, and the handles under
// which sessions pass.

import type { UpstreamTarget } from "../../domain/servers/memory";
import type { ApprovedTools } from "../../domain/servers/owner";
import type { RpcBody } from "../../domain/servers/rpc-message";
import type { Context } from "../context";
import { type Binding, handlesOf } from "./handles";

/** One of the gateway's servers, for one caller. */
export interface ProxiedServer {
  /** Where it is, with everything filled in. */
  target: UpstreamTarget;
  /** What its calls are counted under. */
  countedAs: string;
  /** Its URL as it was configured. What it gave out is void once that changes. */
  configuredUrl: string;
  /** Which of its tools may be seen and called; `null`: all. */
  isAllowed: ((tool: string) => boolean) | null;
  /** What its guard lets be seen, each tool with its digest; `null`: it has none. */
  approved: ApprovedTools | null;
}

/** A client's request. */
export interface ProxyRequest {
  method: "GET" | "POST" | "DELETE";
  headers: Headers;
  /** The body of a POST, and what it says. */
  body: string;
  posted: RpcBody;
  /** The handle in a message's address, of a server of type `sse`; `null` for the server's own address. */
  handle: string | null;
  /** The path of the server's own address on this gateway. */
  path: string;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  /** `__DEVELOPMENT__`. */
  development: boolean;
}

/** The proxy itself refuses, with an HTTP status and a JSON-RPC code. */
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

/** What a request and its answer have in common. */
export interface ProxiedCall {
  context: Context;
  server: ProxiedServer;
  request: ProxyRequest;
  /** A stream that goes on until the client closes it. */
  stands: boolean;
  /** Milliseconds since the epoch. */
  began: number;
}

type HandleKind = "session" | "endpoint";

/** The handle of something that the server gave out, good for this user and this server only. */
export async function toHandle(exchange: ProxiedCall, kind: HandleKind, value: string): Promise<string> {
  const seal = await handlesOf(exchange.context.settings);
  return seal.close(value, bindingOf(exchange, kind));
}

/** The value of a handle; throws as for a session that the server has forgotten, so that the client begins a new one. */
export async function fromHandle(exchange: ProxiedCall, kind: HandleKind, handle: string): Promise<string> {
  const seal = await handlesOf(exchange.context.settings);
  const value = await seal.open(handle, bindingOf(exchange, kind));
  if (value === null) throw sessionLost();
  return value;
}

/** What a server says that has forgotten a session, so that the client begins a new one. */
export function sessionLost(): ProxyRefusal {
  return new ProxyRefusal(404, -32001, "Session not found");
}

function bindingOf({ context, server }: ProxiedCall, kind: HandleKind): Binding {
  return [kind, context.caller.principal.userId, server.target.name, server.configuredUrl];
}
