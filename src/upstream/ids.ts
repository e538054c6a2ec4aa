// Makes request ids unique within a session. Each client counts from 0, and several clients use one session concurrently or in sequence. A
// server that receives an id twice can confuse the responses.

import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/client";

/** Translates between a client's ids and unique ids. A progress token is the id of its request. */
export class RequestIds {
  readonly #prefix = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(36)).join("");
  readonly #own = new Map<RequestId, RequestId>();

  /** Returns the id that the server receives for a request. */
  wire(id: RequestId): string {
    const wire = `${this.#prefix}-${id}`;
    this.#own.set(wire, id);
    return wire;
  }

  /** Returns the client's id. Unknown ids are unchanged. */
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
