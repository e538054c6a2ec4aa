// Ids of requests as they go over the wire. A client counts from 0, and many clients share a session, one after the other and side
// by side: a server may not see an id twice, or it answers the wrong one.

import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/client";

/** Translates between a client's ids and ones that no other client uses. A progress token is the id of its request. */
export class RequestIds {
  readonly #prefix = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(36)).join("");
  readonly #own = new Map<RequestId, RequestId>();

  /** The id of one of our requests as the server knows it. */
  wire(id: RequestId): string {
    const wire = `${this.#prefix}-${id}`;
    this.#own.set(wire, id);
    return wire;
  }

  /** The id as the client knows it; what is none of ours stays as it is. */
  own(id: RequestId): RequestId {
    return this.#own.get(id) ?? id;
  }

  /** A message of the client for the server. */
  outward(message: JSONRPCMessage): JSONRPCMessage {
    if (!("method" in message)) return message;
    const { params } = message;
    const asked = params?.requestId;
    if (message.method === "notifications/cancelled" && isId(asked))
      return { ...message, params: { ...params, requestId: this.wire(asked) } };
    if (!("id" in message)) return message;
    const token = params?._meta?.progressToken;
    const meta = isId(token)
      ? { params: { ...params, _meta: { ...params?._meta, progressToken: this.wire(token) } } }
      : {};
    return { ...message, ...meta, id: this.wire(message.id) };
  }

  /** A message of the server for the client. */
  inward(message: JSONRPCMessage): JSONRPCMessage {
    if (!("method" in message)) return message.id === undefined ? message : { ...message, id: this.own(message.id) };
    const token = message.params?.progressToken;
    if (message.method !== "notifications/progress" || !isId(token)) return message;
    return { ...message, params: { ...message.params, progressToken: this.own(token) } };
  }
}

function isId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}
