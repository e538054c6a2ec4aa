// The way out by itself: as a proxy uses it, with streams that stand and with redirects.

import { beforeEach, describe, expect, it } from "vitest";
import { UpstreamFault } from "../../src/upstream/fault";
import { type Guard, guardedFetch } from "../../src/upstream/fetch";
import { expectNoConnections, faults, forget, seen } from "../support/upstream";

const OPEN: Guard = { development: true, headersMs: null, totalMs: null, bytes: null };

beforeEach(forget);

function post(fault: string, guard: Partial<Guard> = {}, init: RequestInit = {}): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize" });
  const headers = { "content-type": "application/json", authorization: "Bearer secret" };
  return guardedFetch(`${faults}/${fault}/connect`, { method: "POST", headers, body, ...init }, { ...OPEN, ...guard });
}

async function kind(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error) => (error instanceof UpstreamFault ? error.kind : String(error)),
  );
}

describe("guardedFetch", () => {
  it("judges the URL before anything leaves", async () => {
    const refused = (url: string, development: boolean) => kind(guardedFetch(url, {}, { ...OPEN, development }));
    expect(await refused("http://10.0.0.1/", true)).toBe("refused");
    expect(await refused(`${faults}/ok/none`, false)).toBe("refused");
    expect(await seen("/ok/none")).toEqual([]);
  });

  it("passes an answer on as it is", async () => {
    const response = await post("ok");
    expect(response.status).toBe(200);
    expect(response.headers.get("mcp-session-id")).toBe("session-1");
    expect(await response.json()).toMatchObject({ id: 1, result: { serverInfo: { name: "faults" } } });
    expect((await post("s429")).headers.get("retry-after")).toBe("7");
  });

  it("does not allow changing the host or the connection options", async () => {
    const headers = { host: "inner.example.com", connection: "upgrade", upgrade: "h2c", "x-mine": "1" };
    await (await post("ok", {}, { headers })).text();
    const [sent] = await seen("/ok/connect");
    expect(sent?.headers).toMatchObject({ host: new URL(faults).host, "x-mine": "1" });
    expect(sent?.headers).not.toHaveProperty("upgrade");
  });

  it("follows a redirect within the origin and no other, and not for ever", async () => {
    expect(await (await post("moved")).json()).toMatchObject({ result: {} });
    expect((await seen("/ok/none"))[0]).toMatchObject({ http: "POST", headers: { authorization: "Bearer secret" } });
    for (const fault of ["private", "other", "circle", "found"]) expect(await kind(post(fault))).toBe("refused");
  });

  it("ends a slow body at its deadline, and an open stream with its signal", { tags: ["slow"] }, async () => {
    const ends = async (fault: string) => {
      expect(await kind((await post(fault, { totalMs: 2_000 })).text())).toBe("timeout");
      // The deadline of the headers has passed, and the stream stands.
      const page = new AbortController();
      const response = await post(fault, { headersMs: 1_500 }, { signal: page.signal });
      setTimeout(() => page.abort(), 1_700);
      expect(await kind(response.text())).toBe("cancelled");
    };
    await Promise.all(["drip", "dripjson", "headers"].map(ends));
    expect(await kind(post("hang", { headersMs: 200 }))).toBe("timeout");
    expect(await kind(post("hang", {}, { signal: AbortSignal.abort() }))).toBe("cancelled");
  });

  it("ends a body that is too large, with an error for the reader", async () => {
    const told: string[] = [];
    const response = await post("big", { bytes: 1_048_576, onFault: (fault) => told.push(fault.message) });
    expect(await kind(response.text())).toBe("too_large");
    expect(told).toEqual(["the server's answer is too large (limit 1 MiB)"]);
  });

  it("closes the connection when the body is not read further", async () => {
    await (await post("drip")).body?.cancel();
    await (await post("big")).body?.cancel();
    await expectNoConnections();
  });
});
