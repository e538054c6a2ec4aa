// The network of the served Worker: public addresses, and the hosts of models that the operator allows.

import { once } from "node:events";
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openRuntime, workerConfig } from "../../../scripts/local/runtime.mjs";
import { OUTBOUND, outboundWorker, resolveDestinations } from "../../../scripts/serve/worker.mjs";

const SOURCE = `export default {
  async fetch(request) {
    try {
      const answer = await fetch(decodeURIComponent(request.headers.get("x-target")), { redirect: request.headers.get("x-redirect") ?? "manual" });
      return new Response(await answer.text(), { status: answer.status });
    } catch (error) {
      return new Response(String(error), { status: 502 });
    }
  },
};
`;
const CONFIG = { compatibility_date: "2026-10-20", compatibility_flags: ["global_fetch_strictly_public"] };

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer(({ url = "" }, response) => {
    const [, host] = /^\/to\/(.+)$/.exec(url) ?? [];
    if (host === undefined) return response.end("reached");
    return response.writeHead(302, { location: `http://${host}:${port}/` }).end();
  });
  await once(server.listen(0, "::"), "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** Requests every URL from a Worker that reaches these networks. */
async function reach(
  allowed: Awaited<ReturnType<typeof resolveDestinations>>,
  urls: string[],
  redirect = "manual",
): Promise<string[]> {
  const main = {
    config: workerConfig(CONFIG, "main", { "main.js": SOURCE }),
    dev: { outboundService: { type: "worker", worker: OUTBOUND } },
  };
  const served = { key: "", allowed };
  const { miniflare, stop } = openRuntime({
    label: "the Worker of a test",
    workers: [main, outboundWorker(CONFIG, served)],
    owner: "test",
  });
  try {
    await miniflare.ready;
    const headers = (url: string) => ({ "x-target": encodeURIComponent(url), "x-redirect": redirect });
    return await Promise.all(
      urls.map(async (url) => {
        const answer = await miniflare.dispatchFetch("http://gateway/", { headers: headers(url) });
        return answer.status === 200 ? answer.text() : `${answer.status}`;
      }),
    );
  } finally {
    await stop();
  }
}

/** Spellings of addresses of this machine and of private networks. */
const SPELLINGS = (
  "127.0.0.1 127.1 127.0.1 127.0.0.1. 127.1. 2130706433 0x7f000001 0x7f.1 0x7f.0.0.1 0X7F.0x0.0x0.0x1 0177.0.0.1 0177.1 017700000001 " +
  "127.0.0.2 127.1.2.3 127.255.255.254 0.0.0.0 0 0x0 localhost LOCALHOST localhost. ⓛⓞⓒⓐⓛⓗⓞⓢⓣ １２７.０.０.１ 127。0。0。1 ①②⑦.⓪.⓪.① %31%32%37.0.0.1 " +
  "[::1] [0:0:0:0:0:0:0:1] [0000::0001] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] " +
  "10.0.0.1 172.16.0.1 192.168.0.1 169.254.169.254 100.64.0.1 [fe80::1] [fc00::1] [fd00::1]"
).split(" ");

/** Whether Node reaches the server of this test. */
async function isReached(host: string): Promise<boolean> {
  const sent = get(`http://${host}:${port}/`, { agent: false });
  return once(sent, "response").then(
    ([response]) => response.resume().statusCode === 200,
    () => false,
  );
}

it("reaches no address of this machine or a private network, in any spelling", { tags: ["slow"] }, async () => {
  expect(SPELLINGS.length).toBeGreaterThanOrEqual(40);
  const found = await reach(
    await resolveDestinations([]),
    SPELLINGS.map((host) => `http://${host}:${port}/`),
    "follow",
  );
  expect(found).toEqual(SPELLINGS.map(() => "502"));
  // The server does answer to most of these.
  const local = SPELLINGS.filter((host) => /^(?:127\.|localhost|\[::1\])/.test(new URL(`http://${host}`).hostname));
  const reached = await Promise.all(local.map(isReached));
  expect(reached.filter(Boolean).length).toBeGreaterThan(20);
});

it("follows no redirect from an allowed host to an address of this machine", async () => {
  const allowed = await resolveDestinations([`http://127.0.0.1:${port}`]);
  const urls = ["127.0.0.2", "localhost", "[::1]"].map((host) => `http://127.0.0.1:${port}/to/${host}`);
  expect(await reach(allowed, urls, "follow")).toEqual(["502", "502", "502"]);
  expect(await reach(allowed, [`http://127.0.0.1:${port}/to/127.0.0.1`], "follow")).toEqual(["reached"]);
});

it("reaches the hosts that the operator allows, and no others through them", async () => {
  const allowed = await resolveDestinations([`http://127.0.0.1:${port}`]);
  const hosts = ["127.0.0.1", "127.0.0.2", "localhost", "127.1.", "[::ffff:127.0.0.1]"];
  const found = await reach(
    allowed,
    hosts.map((host) => `http://${host}:${port}/`),
  );
  // `127.1.` is the same origin in another spelling. Another name of the same address is not allowed.
  expect(found).toEqual(["reached", "502", "502", "reached", "502"]);
  expect(await reach(allowed, [`http://127.0.0.1:${port + 1}/`])).toEqual(["502"]);
});

it("resolves the names of allowed hosts, and keeps unknown names out", async () => {
  const names: Record<string, string[]> = { "ollama.lan": ["10.0.0.5", "fd00::5"], "gone.lan": [] };
  const origins = ["http://ollama.lan:11434", "http://gone.lan", "http://10.0.0.5:8000", "http://[fd00::7]"];
  expect(await resolveDestinations(origins, async (name) => names[name] ?? [])).toEqual([
    { origin: "http://ollama.lan:11434", addresses: ["10.0.0.5", "fd00::5"] },
    { origin: "http://gone.lan", addresses: [] },
    { origin: "http://10.0.0.5:8000", addresses: ["10.0.0.5"] },
    { origin: "http://[fd00::7]", addresses: ["fd00::7"] },
  ]);
});
