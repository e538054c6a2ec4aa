// The server of `npm run serve` in front of a simulated Worker.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, request as sendRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { anyPort } from "../../../scripts/local/port.mjs";
import { createFront } from "../../../scripts/serve/front.mjs";

const origin = new URL("https://skills.example.org");
const HOST = { host: origin.host };

let worker: Server;
let front: ReturnType<typeof createFront>;
let port: number;
/** What the Worker received last. */
let seen: { url: string; headers: IncomingHttpHeaders; body: string };

beforeAll(async () => {
  worker = createServer(async (request, response) => {
    if (request.url?.endsWith("/cut")) return request.socket.destroy();
    let body = "";
    for await (const part of request) body += part;
    seen = { url: request.url ?? "", headers: request.headers, body };
    return response.setHeader("x-answer", "1").end("answer");
  });
  await once(worker.listen(0, "127.0.0.1"), "listening");
  port = await anyPort();
  const workerPort = (worker.address() as AddressInfo).port;
  front = createFront({ origin, host: "127.0.0.1", port, workerPort, key: "k", isProxy: () => false, say: () => {} });
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

it("closes the connection after a refusal whose body it did not read", async () => {
  const next = "GET /smuggled HTTP/1.1\r\nHost: skills.example.org\r\n\r\n";
  const answer = await raw(`POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n${next}`);
  expect(answer).toMatch(/^HTTP\/1\.1 421 /);
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
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
