// MCP servers over WebSocket, of revision 2025-11-25: `/socket/<fault>`. The frames are written here, because the tests need faulty ones.

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; arguments?: Record<string, unknown>; _meta?: { progressToken?: string | number } };
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;

/** Accepts an upgrade, or rejects it with the status in the path: `/socket/s401`. */
export function acceptSocket(request: IncomingMessage, socket: Duplex): void {
  const fault = (request.url ?? "").split("/")[2] ?? "";
  socket.on("error", () => undefined);
  const status = /^s(\d{3})$/.exec(fault)?.[1];
  if (status !== undefined) {
    finish(socket, `HTTP/1.1 ${status} No\r\nretry-after: 7\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    return;
  }
  const key = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${GUID}`).digest("base64");
  const subprotocol = request.headers["sec-websocket-protocol"];
  const chosen = subprotocol === undefined ? "" : `sec-websocket-protocol: ${subprotocol}\r\n`;
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${key}\r\n${chosen}\r\n`,
  );
  let held = Buffer.alloc(0);
  socket.on("data", (data: Buffer) => {
    held = Buffer.concat([held, data]);
    for (let frame = readFrame(held); frame !== null; frame = readFrame(held)) {
      held = held.subarray(frame.size);
      if (frame.opcode === CLOSE) finish(socket, frameOf(CLOSE, Buffer.alloc(0)));
      if (frame.opcode === PING) socket.write(frameOf(10, frame.payload));
      if (frame.opcode === TEXT) answer(fault, JSON.parse(frame.payload.toString()), request, socket);
    }
  });
}

/** Sends the last data, and closes the connection. */
function finish(socket: Duplex, data: string | Buffer): void {
  socket.end(data, () => socket.destroy());
}

function answer(fault: string, message: Message, request: IncomingMessage, socket: Duplex): void {
  const { id, method, params } = message;
  if (id === undefined) return;
  const write = (opcode: number, payload: Buffer): void => {
    socket.write(frameOf(opcode, payload));
  };
  const send = (value: object): void => write(TEXT, Buffer.from(JSON.stringify(value)));
  const result = (value: object): void => send({ jsonrpc: "2.0", id, result: value });
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    result({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "socket", version: "1" } });
  } else if (method === "tools/list") {
    const inputSchema = { type: "object" };
    result({ tools: ["echo", "headers"].map((name) => ({ name, description: `${name}.`, inputSchema })) });
  } else if (method !== "tools/call") {
    send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
  } else if (fault === "drop") {
    socket.destroy();
  } else if (fault === "binary") {
    write(BINARY, Buffer.from("{}"));
  } else if (fault === "text") {
    write(TEXT, Buffer.from("not JSON"));
  } else if (fault === "large") {
    write(TEXT, Buffer.alloc(9 * 1024 * 1024, "x"));
  } else if (fault !== "hang") {
    const progressToken = params?._meta?.progressToken;
    if (progressToken !== undefined)
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } });
    const text = params?.name === "headers" ? JSON.stringify(request.headers) : `Echo: ${params?.arguments?.message}`;
    result({ content: [{ type: "text", text }] });
  }
}

/** Returns the first frame of a client, whose payload is masked; `null` if it is incomplete. */
function readFrame(data: Buffer): { opcode: number; payload: Buffer; size: number } | null {
  if (data.length < 6) return null;
  const [short, extra] = [data[1]! & 127, { 126: 2, 127: 8 }[data[1]! & 127] ?? 0];
  if (data.length < 6 + extra) return null;
  const length = extra === 2 ? data.readUInt16BE(2) : extra === 8 ? Number(data.readBigUInt64BE(2)) : short;
  const start = 2 + extra + 4;
  if (data.length < start + length) return null;
  const mask = data.subarray(start - 4, start);
  const payload = Buffer.from(data.subarray(start, start + length).map((byte, at) => byte ^ mask[at % 4]!));
  return { opcode: data[0]! & 15, payload, size: start + length };
}

function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 128 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
