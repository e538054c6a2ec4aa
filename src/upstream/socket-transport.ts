// A transport over one WebSocket: each text message is one JSON-RPC message, as in the WebSocket client of the MCP SDK 1. The SDK 2 has none,
// and in workerd a socket comes from a fetch, which can send headers.

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { UPSTREAM_LIMITS } from "../domain/limits";
import { UpstreamFault } from "./fault";
import { guardedSocket } from "./fetch";
import type { Sdk } from "./sdk";

interface SocketOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  development: boolean;
  /** Called with the response to the upgrade, also if it is rejected. */
  onResponse(response: Response): void;
  /** Called with the reason why the connection ended, unless this side closed it. */
  onFault(fault: UpstreamFault): void;
}

/** The subprotocol that the SDK names. */
const SUBPROTOCOL = "mcp";
const CLOSED = "the server closed the connection";

export class SocketTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #sdk: Sdk;
  readonly #options: SocketOptions;
  readonly #abort = new AbortController();
  #socket: WebSocket | null = null;
  #received = 0;
  #isOver = false;

  constructor(sdk: Sdk, options: SocketOptions) {
    this.#sdk = sdk;
    this.#options = options;
  }

  /** Sends the upgrade. Ends with `close`, which the deadline of the handshake calls. */
  async start(): Promise<void> {
    const { url, headers, development, onResponse } = this.#options;
    const guard = { subprotocol: SUBPROTOCOL, signal: this.#abort.signal, development, onResponse };
    const socket = await guardedSocket(url, headers, guard);
    socket.accept();
    if (this.#isOver) {
      socket.close();
      throw new UpstreamFault("cancelled", "it was cancelled");
    }
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("close", () => this.#fail(new UpstreamFault("closed", CLOSED)));
    socket.addEventListener("error", () => this.#fail(new UpstreamFault("closed", CLOSED)));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#socket === null || this.#isOver) throw new UpstreamFault("closed", CLOSED);
    this.#socket.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    // An upgraded connection is closed by its socket.
    if (this.#socket === null) this.#abort.abort();
    this.#end();
  }

  #receive(data: string | ArrayBuffer): void {
    if (this.#isOver) return;
    const message = this.#messageIn(data);
    if (message instanceof UpstreamFault) this.#fail(message);
    else this.onmessage?.(message);
  }

  /** Returns the message, or the fault that it is. Limits count characters, of which a text has at most as many as bytes. */
  #messageIn(data: string | ArrayBuffer): JSONRPCMessage | UpstreamFault {
    if (typeof data !== "string") return new UpstreamFault("protocol", "the server sent a binary message");
    this.#received += data.length;
    if (data.length > UPSTREAM_LIMITS.answerBytes || this.#received > UPSTREAM_LIMITS.streamBytes)
      return new UpstreamFault("too_large", "the server's answer is too large");
    const message = parsed(data);
    if (this.#sdk.isSpecType.JSONRPCMessage(message)) return message;
    return new UpstreamFault("protocol", "the server's answer is not a JSON-RPC message");
  }

  #fail(fault: UpstreamFault): void {
    if (this.#isOver) return;
    this.#options.onFault(fault);
    this.onerror?.(fault);
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.close();
    this.onclose?.();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
