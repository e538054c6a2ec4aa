// The server of `npm run serve` in front of a simulated Worker.

import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { anyPort } from "../../../scripts/local/port.mjs";
import type { Problem } from "../../../scripts/serve/disk.mjs";
import { createFront } from "../../../scripts/serve/front.mjs";

const origin = new URL("https://skills.example.org");
const HOST = { host: origin.host };

let worker: Server;
let front: ReturnType<typeof createFront>;
let port: number;
/** Why changes are rejected. */
let problem: Problem | null = null;
/** An answer that the test ends. */
let slow: ServerResponse | null = null;
/** What the Worker received last. */
let seen: { url: string; headers: IncomingHttpHeaders; body: string };

beforeAll(async () => {
  worker = createServer(async (request, response) => {
    if (request.url?.endsWith("/cut")) return request.socket.destroy();
    if (request.url?.endsWith("/slow")) {
      slow = response;
      return;
    }
    let body = "";
    try {
      for await (const part of request) body += part;
    } catch {
      // The server has ended a request whose body is too large.
      return;
    }
    seen = { url: request.url ?? "", headers: request.headers, body };
    return response.setHeader("x-answer", "1").end("answer");
  });
  await once(worker.listen(0, "127.0.0.1"), "listening");
  port = await anyPort();
  const workerPort = (worker.address() as AddressInfo).port;
  const isProxy = () => false;
  const storageProblem = () => problem;
  front = createFront({
    origin,
    host: "127.0.0.1",
    port,
    workerPort,
    key: "k",
    isProxy,
    say: () => {},
    storageProblem,
  });
  await front.listen();
});
afterAll(async () => {
  await front?.stop();
  worker?.close();
});

async function ask(method: string, path: string, headers: Record<string, string> = {}, parts: string[] = []) {
  const sent = sendRequest({ host: "127.0.0.1", port, method, path, headers: { ...HOST, ...headers } });
  for (const part of parts) sent.write(part);
  sent.end();
  const [response] = await once(sent, "response");
  let text = "";
  for await (const part of response) text += part;
  return { status: response.statusCode as number, text };
}

async function until(isTrue: () => boolean) {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** Sends bytes and returns everything until the server closes the connection. */
async function raw(text: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.write(text);
  let answer = "";
  for await (const part of socket) answer += part;
  return answer;
}

it("passes the public URL, the client's address and the body, of a known length and in chunks", async () => {
  expect(await ask("POST", "/a?b=1", { "content-length": "5" }, ["hello"])).toEqual({ status: 200, text: "answer" });
  expect(seen).toMatchObject({ url: "https://skills.example.org/a?b=1", body: "hello" });
  expect(seen.headers).toMatchObject({ host: "skills.example.org", "cf-connecting-ip": "127.0.0.1" });
  expect(JSON.parse(String(seen.headers["mf-cf-blob"]))).toEqual({ front: "k" });
  expect((await ask("POST", "/a", { "transfer-encoding": "chunked" }, ["one ", "two"])).status).toBe(200);
  expect(seen).toMatchObject({ body: "one two", headers: { "transfer-encoding": "chunked" } });
  expect((await ask("HEAD", "/a")).text).toBe("");
  expect((await ask("DELETE", "/a")).status).toBe(200);
});

it("answers 503 if the Worker's connection breaks, and goes on", async () => {
  expect(await ask("GET", "/cut")).toMatchObject({ status: 503, text: expect.stringContaining("GATEWAY_RESTARTING") });
  expect((await ask("GET", "/a")).status).toBe(200);
});

it.each([
  ["in chunks", { "transfer-encoding": "chunked" }],
  ["of a declared length", { "content-length": String(80 * 2 ** 20) }],
])("answers 413 to a body %s that is too large, and goes on", async (_, headers) => {
  const parts = Array.from({ length: 80 }, () => "x".repeat(2 ** 20));
  const answer = await ask("POST", "/a", headers as Record<string, string>, parts);
  expect(answer).toMatchObject({ status: 413, text: expect.stringContaining("BODY_TOO_LARGE") });
  expect((await ask("POST", "/a", { "content-length": "5" }, ["hello"])).status).toBe(200);
});

it("ends a body that is far too large", async () => {
  const sent = sendRequest({ host: "127.0.0.1", port, method: "POST", path: "/a", headers: HOST });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    sent.on("close", resolve);
    sent.on("response", (response) => resolve(void response.resume()));
  }).then(() => {
    hasEnded = true;
  });
  // The connection is reset while this still writes.
  sent.on("error", () => {});
  const part = Buffer.alloc(2 ** 20);
  let written = 0;
  while (!hasEnded) {
    written += part.length;
    if (!sent.write(part)) await Promise.race([once(sent, "drain").catch(() => {}), ended]);
  }
  sent.destroy();
  expect(written).toBeLessThan(400 * 2 ** 20);
});

it("rejects changes while the disk is full, and passes reads and deletions", async () => {
  problem = { status: 507, code: "DISK_FULL", detail: "The disk of the gateway is full." };
  try {
    for (const method of ["POST", "PUT", "PATCH"])
      expect(await ask(method, "/a", { "content-length": "2" }, ["{}"])).toMatchObject({
        status: 507,
        text: expect.stringContaining('"code":"DISK_FULL"'),
      });
    // A client that reads the answer after it has sent everything.
    const parts = Array.from({ length: 16 }, () => "x".repeat(2 ** 20));
    expect((await ask("POST", "/a", { "transfer-encoding": "chunked" }, parts)).status).toBe(507);
    for (const method of ["GET", "HEAD", "DELETE"]) expect((await ask(method, "/a")).status).toBe(200);
    expect((await ask("POST", "/console/api/session", { "content-length": "2" }, ["{}"])).status).toBe(200);
  } finally {
    problem = null;
  }
});

it("lets requests wait during a pause, and begins it when no answer is open", async () => {
  const begun = ask("GET", "/slow");
  await until(() => slow !== null);
  const paused = front.pause();
  // A pause waits for this answer, and other requests continue until then.
  expect((await ask("GET", "/a")).status).toBe(200);
  slow?.end("late");
  await paused;
  expect(await begun).toEqual({ status: 200, text: "late" });
  let isAnswered = false;
  const waiting = ask("GET", "/a").finally(() => {
    isAnswered = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toBe(false);
  front.resume();
  expect((await waiting).status).toBe(200);
});

it("does not take the body of a refused request for the next one", async () => {
  const body = "GET /smuggled HTTP/1.1\r\nHost: skills.example.org\r\n\r\n";
  const refused = `POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const next = "GET /next HTTP/1.1\r\nHost: skills.example.org\r\nConnection: close\r\n\r\n";
  const answer = await raw(refused + next);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 421", "HTTP/1.1 200"]);
  expect(seen.url).toBe("https://skills.example.org/next");
});

it.each([
  [
    "two lengths of one body",
    "POST / HTTP/1.1\r\nHost: skills.example.org\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
  ],
  ["a header without a name", "GET / HTTP/1.1\r\nHost: skills.example.org\r\n: a\r\n\r\n", 400],
  [
    "an upgrade to another protocol",
    "GET / HTTP/1.1\r\nHost: skills.example.org\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    400,
  ],
  ["headers that are too large", `GET / HTTP/1.1\r\nHost: skills.example.org\r\nA: ${"a".repeat(40_000)}\r\n\r\n`, 431],
])("rejects %s", async (_, text, status) => {
  expect(await raw(text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});
