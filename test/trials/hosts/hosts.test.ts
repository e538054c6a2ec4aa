// `npm run try:hosts`: real MCP hosts with the configuration from docs/mcp.md and a scripted model. Checks the tools and results that each
// host passes to its model.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEverything } from "../../../bench/peers.mjs";
import { type Gateway, startShared, until } from "../../smoke/launcher";
import { root } from "../../support/harness";
import { HOSTS, type Host, seat } from "./hosts";
import { type Chat, type Model, type Step, startModel } from "./model";
import { startRelay } from "./relay";

const SKILL = "mermaid-diagram";
const FILE = "references/pie.md";
const LOAD: Step = { tool: "load_skill", input: { skill_name: SKILL } };
const READ: Step = { tool: "read_skill", input: { skill_name: SKILL, file_path: FILE } };
const ECHO: Step = { tool: "everything__echo", input: { message: "hello from a host" } };
const REFERENCE = { tool: "read_mermaid_reference", input: { name: "flowchart" } };
const THROUGH: Step = { tool: "call_skill_tool", input: { name: REFERENCE.tool, arguments: REFERENCE.input } };
/** The longest time that a host may wait for a list or for `initialize` while a server does not respond. The server has 10 s to connect. */
const DELAY_MS = 2_000;

let gateway: Gateway;
let model: Model;
let everything: { url: string; stop(): Promise<void> };
let instructions: string[];
let file: string[];
let chats = 0;

beforeAll(async () => {
  [everything, model, gateway] = [await startEverything(), await startModel(), await startShared()];
  await serve("everything", everything.url);
  const lines = async (name: string) =>
    (await readFile(path.join(root, "skills", SKILL, name), "utf8"))
      .replace(/^---\n[\s\S]*?\n---\n/, "")
      .split("\n")
      .filter((line) => line.trim() !== "");
  [instructions, file] = [await lines("SKILL.md"), await lines(FILE)];
});
afterAll(async () => {
  await model?.close();
  await everything?.stop();
});

async function serve(name: string, url: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ url });
  const answer = await gateway.fetch(`/api/v1/mcp-servers/${name}`, { method: "PUT", headers, body });
  expect([answer.status, await answer.text()]).toEqual([201, expect.anything()]);
}

/** Creates a conversation in advance, so that its servers are connected even on a busy machine. */
async function prime(route: string): Promise<void> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const list = async () => (await gateway.fetch(route, { method: "POST", headers, body })).text();
  await until("the server's tools are listed", async () => (await list()).includes(ECHO.tool));
}

/** One chat: a process of the host that ends after its last step. */
async function chat(
  host: Host,
  route: string,
  steps: readonly Step[],
  { thinksMs = 0, at = gateway.url }: { thinksMs?: number; at?: string } = {},
): Promise<Chat> {
  const mark = `trial-${++chats}-of-${host.name}`;
  const seated = await seat(host, { url: at + route, key: gateway.key, model: model.url });
  try {
    const expected = model.expect(mark, steps, thinksMs);
    const { code, text } = await seated.ask(`This is ${mark}. Go on.`);
    expect([code, expected.heard.length > 0], text).toEqual([0, true]);
    return expected;
  } finally {
    await seated.leave();
  }
}

/** Returns the lines that are missing in the model's input, which may be JSON. */
const missing = (lines: string[], told: string) =>
  lines.filter((line) => !told.includes(line) && !told.includes(JSON.stringify(line).slice(1, -1)));

describe.each(HOSTS)("$title", (host) => {
  const url = `/mcp/project-of-${host.name}`;
  let first: Chat;
  beforeAll(async () => {
    await prime(url);
    first = await chat(host, url, [LOAD, READ, ECHO, THROUGH]);
  }, 240_000);

  it("names the skills", () => {
    expect(first.heard[0]?.text).toContain(SKILL);
  });

  it("load_skill", () => {
    expect(missing(instructions, first.resultOf(0))).toEqual([]);
  });

  it("read_skill", () => {
    expect(missing(file, first.resultOf(1))).toEqual([]);
  });

  it("tool of a server", () => {
    expect(first.resultOf(2)).toContain("Echo: hello from a host");
  });

  it("tool of a skill", () => {
    expect(first.resultOf(3)).toMatch(/flowchart/i);
  });

  it("second chat", async () => {
    const second = await chat(host, url, [LOAD]);
    expect(missing(instructions, second.resultOf(0))).toEqual([]);
  });

  // The host receives the notification while its model works on another call.
  it(host.missesChanges === null ? "changed list" : `changed list (${host.missesChanges})`, async () => {
    const changed = await chat(host, `${url}-dynamic?tool_mode=dynamic`, [LOAD, READ, REFERENCE], { thinksMs: 1_500 });
    if (host.missesChanges === null) expect(changed.resultOf(2)).toMatch(/flowchart/i);
    else expect(changed.problem).toContain(`no ${REFERENCE.tool}`);
  });

  it("silent server", async () => {
    const [relay, silent] = [await startRelay(gateway.url), await startSilent()];
    try {
      await prime(`${url}-silent`);
      await serve("silent", silent.url);
      const there = await chat(host, `${url}-silent`, [ECHO], { at: relay.url });
      expect(there.resultOf(0)).toContain("Echo: hello from a host");
      const before = relay.waits.filter(({ method }) => /list$|^initialize$|discover$/.test(method));
      expect([silent.connections() > 0, before.some(({ method }) => method === "tools/list")]).toEqual([true, true]);
      expect(before.filter(({ ms }) => ms > DELAY_MS)).toEqual([]);
    } finally {
      await gateway.fetch("/api/v1/mcp-servers/silent", { method: "DELETE" });
      silent.close();
      relay.close();
    }
  });
});

/** A server that accepts connections and never responds. */
async function startSilent() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    connections: () => sockets.length,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
