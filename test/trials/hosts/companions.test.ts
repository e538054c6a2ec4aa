// `supergateway --stateful` starts a process per session: counts them before, during and after conversations.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anyPort } from "../../../scripts/local/port.mjs";
import { type Gateway, startShared, until } from "../../smoke/launcher";
import { root } from "../../support/harness";

const CONVERSATIONS = Array.from({ length: 10 }, (_, n) => `session-${n}`);
/** Marks the command line of each process that the bridge starts. */
const MARK = `--of-the-trial-${process.pid}`;
const PATIENT = { timeout: 20_000 };

let gateway: Gateway;
let bridge: ChildProcess;
let url: string;

beforeAll(async () => {
  const port = await anyPort();
  url = `http://127.0.0.1:${port}/mcp`;
  const server = path.join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
  const script = path.join(import.meta.dirname, "node_modules/supergateway/dist/index.js");
  const options = ["--outputTransport", "streamableHttp", "--stateful", "--port", `${port}`, "--logLevel", "none"];
  const args = [script, "--stdio", `${process.execPath} ${server} ${MARK}`, ...options];
  bridge = spawn(process.execPath, args, { stdio: "ignore", detached: true });
  await until("the bridge listens", () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  gateway = await startShared();
  await ask("PUT", "mcp-servers/stdio", { url });
});
afterAll(async () => {
  if (bridge?.pid === undefined || bridge.exitCode !== null) return;
  const ended = once(bridge, "exit");
  process.kill(-bridge.pid, "SIGKILL");
  await ended;
});

async function ask(method: string, route: string, body: object = {}): Promise<string> {
  const headers = { "content-type": "application/json" };
  const sent = method === "DELETE" ? {} : { headers, body: JSON.stringify(body) };
  const answer = await gateway.fetch(`/api/v1/${route}`, { method, ...sent });
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return text;
}

/** Returns the number of session processes, without the shells that started them. */
async function sessions(): Promise<number> {
  const lines = await Promise.all(
    (await readdir("/proc"))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.startsWith(process.execPath) && line.endsWith(`\0${MARK}\0`)).length;
}

/** A tool call in each conversation, which then has a session. */
async function callInEach(): Promise<void> {
  for (const id of CONVERSATIONS) {
    const turn = () => ask("POST", `conversations/${id}/turns`, { conversation: {} });
    await expect.poll(turn, PATIENT).toContain("stdio__read_graph");
    const calls = [{ id: "c1", name: "stdio__read_graph", arguments: {} }];
    expect(await ask("POST", `conversations/${id}/tool-calls`, { calls })).toContain("entities");
  }
}

describe("supergateway --stateful", () => {
  it("a session each, none after them", async () => {
    expect(await sessions()).toBe(0);
    await callInEach();
    await expect.poll(sessions, PATIENT).toBe(CONVERSATIONS.length);
    for (const id of CONVERSATIONS) await ask("DELETE", `conversations/${id}`);
    await expect.poll(sessions, PATIENT).toBe(0);
  });

  it("none after a test", async () => {
    for (let n = 0; n < 3; n++) expect(await ask("POST", "mcp-servers/stdio/test")).toContain('"reachable":true');
    await expect.poll(sessions, PATIENT).toBe(0);
  });

  it("none of what is switched off", async () => {
    await callInEach();
    await expect.poll(sessions, PATIENT).toBe(CONVERSATIONS.length);
    await ask("PUT", "mcp-servers/stdio", { url, enabled: false });
    for (const id of CONVERSATIONS) await ask("POST", `conversations/${id}/turns`);
    await expect.poll(sessions, PATIENT).toBe(0);
  });
});
