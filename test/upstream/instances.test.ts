// Several addresses of one server: one of them is killed while clients are busy, and returns.

import { describe, expect, it } from "vitest";
import type { UpstreamTarget } from "../../src/domain/servers/memory";
import { textOf } from "../../src/domain/tool";
import type { Upstream } from "../../src/upstream/client";
import { isEjected } from "../../src/upstream/instances";
import { upstream as clientOf, realServer, restart, stopServer } from "../support/upstream";

const CLIENTS = 32;
const AFTERWARDS = 8;

/** Only the order of events matters here, because a busy machine is slower. */
const slow = { connectMs: 60_000, callMs: 60_000 };
const among = (urls: readonly string[], more: Partial<UpstreamTarget> = {}): Upstream =>
  clientOf(urls[0] ?? "", { ...slow, instances: urls.map((url) => ({ url, weight: 1 })), ...more });

describe("one of three instances is killed under 32 clients", () => {
  it("fails no call after its ejection, and none that could be repeated", {
    tags: ["slow"],
    timeout: 120_000,
  }, async () => {
    const names = ["everything:kill-a", "everything:kill-b", "everything:kill-c"];
    const urls = await Promise.all(names.map(realServer));
    const [, killed = ""] = urls;
    const clients = Array.from({ length: CLIENTS }, () => among(urls));
    await Promise.all(clients.map((client) => client.list()));
    const held = new Set(clients.map(({ memory }) => memory.session?.instance));
    expect([...held].sort()).toEqual([0, 1, 2]);

    let isKilled = false;
    const failures: { wasEjected: boolean; reads: boolean; text: string }[] = [];
    const busy = async (client: Upstream, n: number) => {
      for (let left = AFTERWARDS; left > 0; left -= isKilled ? 1 : 0) {
        const reads = n % 2 === 0;
        const wasEjected = isEjected(killed);
        const failed = (text: string) => void failures.push({ wasEjected, reads, text });
        if (reads) await client.ask("resources/list", {}).catch((error: Error) => failed(error.message));
        else {
          const result = await client.call("echo", { message: `${n}` });
          if (result.isError) failed(textOf(result));
          else expect(textOf(result)).toBe(`Echo: ${n}`);
        }
      }
    };
    const working = clients.map(busy);
    await stopServer(names[1] ?? "");
    isKilled = true;
    await Promise.all(working);
    expect(isEjected(killed)).toBe(true);
    expect(failures.filter(({ wasEjected, reads }) => wasEjected || reads)).toEqual([]);
    const after = new Set(clients.map(({ memory }) => memory.session?.instance));
    expect([...after].sort()).toEqual([0, 2]);
  });
});

describe("a session", () => {
  it("stays at its instance, also after it was stored, and is ended there", {
    tags: ["slow"],
    timeout: 60_000,
  }, async () => {
    const urls = await Promise.all(["everything:stay-a", "everything:stay-b"].map(realServer));
    const first = among(urls);
    await first.list();
    const { session } = first.memory;
    const memory = JSON.parse(JSON.stringify(first.memory));
    const target = { ...slow, instances: urls.map((url) => ({ url, weight: 1 })) };
    const second = clientOf(urls[0] ?? "", target, memory);
    for (let n = 0; n < 4; n++) expect(textOf(await second.call("echo", { message: "hi" }))).toBe("Echo: hi");
    expect(second.memory.session).toEqual(session);
    await second.end();
    // The server has forgotten it, so the next call begins another.
    expect(textOf(await second.call("echo", { message: "again" }))).toBe("Echo: again");
    expect(second.memory.session?.id).not.toBe(session?.id);
  });
});

describe("an instance that is down", () => {
  it("does not fail a call that finds it at the handshake, and returns after a probe", {
    tags: ["slow"],
    timeout: 60_000,
  }, async () => {
    const name = "everything:back";
    const [down = "", up = ""] = [await realServer(name), await realServer("everything")];
    await stopServer(name);
    let now = Date.now();
    const urls = [down, up];
    const one = () =>
      clientOf(down, { ...slow, instances: urls.map((url) => ({ url, weight: 1 })) }, undefined, () => now);
    // The choice is random, and one of these meets the instance that is down.
    while (!isEjected(down)) expect(textOf(await one().call("echo", { message: "x" }))).toBe("Echo: x");
    await restart(name);
    expect(textOf(await one().call("echo", { message: "y" }))).toBe("Echo: y");
    expect(isEjected(down)).toBe(true);
    now += 5_000;
    await one().list();
    await expect.poll(() => isEjected(down), { timeout: 30_000 }).toBe(false);
  });

  it("is used if there is no other, and the failure is reported", async () => {
    const name = "everything:alone";
    const url = await realServer(name);
    await stopServer(name);
    const result = await among([url, `${url}?second`]).call("echo", {});
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("cannot be reached");
  });
});
