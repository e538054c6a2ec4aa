// WebSockets on a real workerd: a page that does not read, and forged tickets.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Gateway, newPlace, start, until } from "./launcher";

const MiB = 1024 * 1024;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Returns a text frame in the format of a client. */
function framed(text: string): Buffer {
  const data = Buffer.from(text);
  const mask = randomBytes(4);
  const masked = Uint8Array.from(data, (byte: number, at) => byte ^ mask[at % 4]!);
  return Buffer.concat([Buffer.from([0x81, 0x80 | data.length]), mask, masked]);
}

/** Opens a WebSocket by hand, so that tests control when data is read. */
async function upgraded(gateway: Gateway, conversation: string): Promise<Socket> {
  const { hostname, port, host } = new URL(gateway.url);
  const socket = connect({ host: hostname, port: Number(port) });
  closing.push(() => socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  const lines = [
    `GET /api/v1/conversations/${conversation}/socket HTTP/1.1`,
    `Host: ${host}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Protocol: skill-gateway.v1",
    `Authorization: Bearer ${gateway.key}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const [answer] = await once(socket, "data");
  expect(String(answer)).toContain(" 101 ");
  socket.pause();
  return socket;
}

/** Reads until the close frame. Returns the number of bytes and the close code. */
async function drained(socket: Socket): Promise<{ bytes: number; code: number }> {
  const parts: Buffer[] = [];
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    parts.push(part);
    const all = Buffer.concat(parts);
    for (let at = 0; at + 2 <= all.length; ) {
      const short = all[at + 1]! & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (at + head + 2 > all.length) break;
      const length =
        short < 126 ? short : short === 126 ? all.readUInt16BE(at + 2) : Number(all.readBigUInt64BE(at + 2));
      if ((all[at]! & 0x0f) === 8) return { bytes: at, code: all.readUInt16BE(at + head) };
      at += head + length;
    }
  }
  throw new Error("it ended without a word");
}

async function residentMiB(pid: number): Promise<number> {
  const [, kB] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kB) / 1024;
}

/** The fields of a response that these tests read. */
interface Told {
  code: string;
  ticket: string;
  request_id: string;
  items: { request_id: string }[];
}

async function send(gateway: Gateway, method: string, route: string, body?: unknown) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { "content-type": "application/json" };
  const answer = await gateway.fetch(`/api/v1/conversations${route}`, { method, headers, ...init });
  const text = await answer.text();
  return { status: answer.status, told: JSON.parse(text === "" ? "{}" : text) as Told };
}

/** Connects a page that reads all messages. */
function pageOf(gateway: Gateway, conversation: string, ticket: string): WebSocket {
  const url = `${gateway.url.replace("http", "ws")}/api/v1/conversations/${conversation}/socket`;
  return new WebSocket(url, ["skill-gateway.v1", `ticket.${ticket}`]);
}

it.skipIf(!existsSync("/proc/self/status"))(
  "keeps no more than 2 MiB for a page that does not read, and closes it (needs /proc for what workerd takes)",
  async () => {
    const run = start(await newPlace());
    const gateway = await run.ready();
    const { pid } = (await run.lock()).runtime;
    await send(gateway, "POST", "", { id: "c" });
    const question = { action: "a", payload: "x".repeat(255 * 1024), wait_ms: 0, timeout_ms: 3_600_000 };
    const ask = () => send(gateway, "POST", "/c/requests", question);
    const asked: string[] = [];
    let answer = await ask();
    for (; answer.status === 202; answer = await ask()) asked.push(answer.told.request_id);
    expect([asked.length, answer.status, answer.told.code]).toEqual([4, 429, "TOO_MUCH_PENDING"]);

    // A socket that reads receives everything in the meantime.
    const { ticket } = (await send(gateway, "POST", "/c/tickets", {})).told;
    const reader = pageOf(gateway, "c", ticket);
    closing.push(() => reader.close());
    let requests = 0;
    reader.addEventListener("message", ({ data }) => {
      const text = String(data);
      if (text.startsWith('{"type":"skill:request"')) requests++;
      if (text.startsWith('{"type":"mark"')) reader.send(text);
    });
    reader.addEventListener("open", () => reader.send('{"type":"hello"}'));
    await until("the reader has heard what waits", () => requests === asked.length);

    const before = await residentMiB(pid);
    const deaf: Socket[] = [];
    for (let n = 0; n < 40; n++) {
      const socket = await upgraded(gateway, "c");
      socket.write(framed('{"type":"hello"}'));
      deaf.push(socket);
    }
    // Frees one request at a time, so that 8 MiB are sent to every socket.
    const cancel = (id: string) => send(gateway, "DELETE", `/c/requests/${id}`);
    await cancel(asked[0]!);
    for (let n = 0; n < 32; n++) await cancel((await ask()).told.request_id);
    await until("the reader has heard all", () => requests === asked.length + 32);
    expect((await residentMiB(pid)) - before).toBeLessThan(200);
    expect(reader.readyState).toBe(WebSocket.OPEN);
    for (const { bytes, code } of await Promise.all(deaf.map(drained))) {
      expect(code).toBe(4408);
      expect(bytes).toBeGreaterThan(0.9 * MiB);
      expect(bytes).toBeLessThan(2.1 * MiB);
    }
  },
);

it("looks for no conversation on behalf of 2 000 tickets that it did not make", async () => {
  const place = await newPlace();
  const gateway = await start(place, { env: { RATE_LIMITS: "false" } }).ready();
  const objects = path.join(place.state, "v3", "do", "skill-gateway-Conversation");
  const files = async () => (await readdir(objects)).filter((name) => !name.startsWith("metadata.")).sort();
  const before = await files();
  const open = async (n: number) => {
    const claims = Buffer.from(JSON.stringify(["admin", `forged-${n}`])).toString("base64url");
    const parts = [claims, randomBytes(32).toString("hex"), randomBytes(32).toString("base64url")];
    const [{ code }] = await once(
      pageOf(gateway, `forged-${n}`, parts.slice(0, n % 2 === 0 ? 3 : 2).join(".")),
      "close",
    );
    return code;
  };
  const codes = new Map<number, number>();
  for (let n = 0; n < 2_000; n += 20) {
    for (const code of await Promise.all(Array.from({ length: 20 }, (_, more) => open(n + more)))) {
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  }
  expect([...codes]).toEqual([[4401, 2_000]]);
  expect(await files()).toEqual(before);
  // Shows that the check above reads the folder in which objects are stored.
  await send(gateway, "POST", "", { id: "c" });
  expect((await files()).length).toBeGreaterThan(before.length);
});
