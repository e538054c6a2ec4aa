// The network of the served Worker: public addresses, and the hosts of models that the operator allows.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openRuntime, workerConfig } from "../../../scripts/local/runtime.mjs";
import { OUTBOUND, outboundWorker, reachableNetworks } from "../../../scripts/serve/worker.mjs";

const SOURCE = `export default {
  async fetch(request) {
    try {
      const answer = await fetch(request.headers.get("x-target"), { redirect: request.headers.get("x-redirect") ?? "manual" });
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
  server = createServer((_, response) => response.end("reached"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** Requests every URL from a Worker that reaches these networks. */
async function reach(allowed: string[], urls: string[], redirect = "manual"): Promise<string[]> {
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
    const headers = (url: string) => ({ "x-target": url, "x-redirect": redirect });
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

it("reaches no address of this machine, by number or name", async () => {
  const hosts = [
    "127.0.0.1",
    "localhost",
    "127.1",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",
    "127.0.0.2",
  ];
  const found = await reach(
    await reachableNetworks([]),
    hosts.map((host) => `http://${host}:${port}/`),
    "follow",
  );
  expect(found).toEqual(hosts.map(() => "502"));
});

it("reaches the hosts that the operator allows, and no others through them", async () => {
  const allowed = await reachableNetworks([`http://127.0.0.1:${port}`]);
  expect(await reach(allowed, [`http://127.0.0.1:${port}/`, `http://127.0.0.2:${port}/`])).toEqual(["reached", "502"]);
});

it("resolves the names of allowed hosts, and keeps unknown names out", async () => {
  const names: Record<string, string[]> = { "ollama.lan": ["10.0.0.5", "fd00::5"], "gone.lan": [] };
  const origins = ["http://ollama.lan:11434", "http://gone.lan", "http://10.0.0.5:8000", "http://[fd00::7]"];
  expect(await reachableNetworks(origins, async (name) => names[name] ?? [])).toEqual([
    "public",
    "10.0.0.5/32",
    "fd00::5/128",
    "fd00::7/128",
  ]);
});
