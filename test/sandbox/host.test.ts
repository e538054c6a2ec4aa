// The host interface when code calls it directly, without the harness.

import { describe, expect, it } from "vitest";
import { CODE_LIMITS } from "../../src/domain/limits";
import type { BrowserLink } from "../../src/sandbox/browser-link";
import { Host, HostCall } from "../../src/sandbox/host";

function made(link: Partial<BrowserLink> = {}, ms = 30_000) {
  const seen: unknown[] = [];
  const line = new HostCall({
    readFile: async (path) => {
      if (path === "large.bin") return new Uint8Array(CODE_LIMITS.readBytes / 4);
      return path === "a.txt" ? new TextEncoder().encode("a") : null;
    },
    log: (text) => seen.push(text),
    ended: () => {},
    browserLink: {
      request: async (asked) => {
        seen.push(asked);
        return { success: true };
      },
      emit: (...told) => seen.push(told),
      ...link,
    },
    deadline: Date.now() + ms,
  });
  return { line, host: new Host(line), seen };
}

describe("a host", () => {
  it("answers nothing after its call has ended", async () => {
    const { line, host, seen } = made();
    expect(await host.readFile("a.txt", undefined)).toEqual({ value: "a" });
    line.close();
    for (const late of [
      () => host.readFile("a.txt", undefined),
      () => host.log("late"),
      () => host.emit("late", "1"),
      () => host.request("late", "1", undefined),
    ])
      expect(await late()).toEqual({ error: "The call has ended." });
    await host.write("stdout", "late");
    expect({ seen, output: line.output }).toEqual({ seen: [], output: { stdout: "", stderr: "" } });
    await host.over();
  });

  it("stops a call with too many requests", async () => {
    const { line, host } = made();
    for (let n = 0; n < CODE_LIMITS.hostCalls; n++) await host.readFile("a.txt", undefined);
    expect(await host.readFile("a.txt", undefined)).toEqual({ error: "it called the gateway more than 1000 times" });
    expect(await line.stopped.promise).toBe("it called the gateway more than 1000 times");
  });

  it("reads a bounded number of bytes for one call", async () => {
    const { host } = made();
    for (let n = 0; n < 4; n++) expect(await host.readFile("large.bin", "bytes")).toHaveProperty("value");
    expect(await host.readFile("a.txt", undefined)).toEqual({ error: "The call read too much data." });
  });

  it.each<[string, (host: Host) => Promise<unknown>]>([
    ["a path that is no text", (host) => host.readFile(["a.txt"], undefined)],
    ["an encoding nobody knows", (host) => host.readFile("a.txt", "latin1")],
    ["a file that is not there", (host) => host.readFile("../a.txt", undefined)],
    ["a log that is no text", (host) => host.log({ toString: () => "x" })],
    ["an action that is no name", (host) => host.emit("<script>", "1")],
    ["an action without end", (host) => host.request("x".repeat(129), "1", undefined)],
    ["a payload that is no text", (host) => host.request("ask", { a: 1 }, undefined)],
    ["a payload that is no JSON", (host) => host.request("ask", "{", undefined)],
    ["a payload without end", (host) => host.emit("ask", JSON.stringify("x".repeat(CODE_LIMITS.payloadChars)))],
    ["a time that is none", (host) => host.request("ask", "1", "soon")],
    ["a time that is over", (host) => host.request("ask", "1", -1)],
    ["no time at all", (host) => host.request("ask", "1", Number.NaN)],
    ["a schema that is no text", (host) => host.request("ask", "1", undefined, undefined, { type: "object" })],
    ["a schema that is no JSON", (host) => host.request("ask", "1", undefined, undefined, "{")],
    ["a schema that is no object", (host) => host.request("ask", "1", undefined, undefined, "[]")],
    ["a schema that is null", (host) => host.request("ask", "1", undefined, undefined, "null")],
    [
      "a schema without end",
      (host) => host.request("ask", "1", undefined, undefined, JSON.stringify({ title: "\u00e9".repeat(8 * 1024) })),
    ],
    ["a wish for a page that is neither yes nor no", (host) => host.request("ask", "1", undefined, "true")],
  ])("refuses %s", async (_, ask) => {
    const { host, seen } = made();
    expect(await ask(host)).toEqual({ error: expect.any(String) });
    expect(seen).toEqual([]);
  });

  it("limits the number of lines, their length and the output", async () => {
    const { line, host, seen } = made();
    for (let n = 0; n < CODE_LIMITS.logLines + 10; n++) await host.log("x".repeat(CODE_LIMITS.logChars + 10));
    expect(seen.length).toBe(CODE_LIMITS.logLines);
    expect(String(seen[0]).length).toBe(CODE_LIMITS.logChars);
    for (let n = 0; n < 20; n++) await host.write("stdout", "x".repeat(10_000));
    await host.write("stdin", "x");
    expect(line.output.stdout.length).toBe(CODE_LIMITS.outputChars + 1);
  });

  it("waits for a page only if requested, and asks nothing in the last second", async () => {
    const { host, seen } = made();
    await host.request("one", '{"request_id":"req_x"}', 5_000);
    await host.request("two", "null", undefined, true);
    expect(seen).toMatchObject([
      { action: "one", timeoutMs: 5_000, requireClient: false },
      { action: "two", requireClient: true },
    ]);
    const late = made({}, 900);
    const told = await late.host.request("ask", "1", undefined);
    expect(told).toEqual({ value: '{"success":false,"error":"No time is left to ask the user."}' });
    expect(late.seen).toEqual([]);
  });
});
