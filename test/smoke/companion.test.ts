// An MCP server over stdio behind the bridge in docs/mcp.md, started and registered as printed there.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { anyPort } from "../../scripts/local/port.mjs";
import { blocksOf, root } from "../support/printed";
import { newPlace, start, until } from "./launcher";

const KEY = "a-key-of-the-companion";
let bridge: ChildProcess | null = null;
afterEach(async () => {
  if (bridge?.pid === undefined || bridge.exitCode !== null) return;
  const ended = once(bridge, "exit");
  // Also kills the child processes.
  process.kill(-bridge.pid, "SIGKILL");
  await ended;
});

/** Returns the block of the page that contains this text, with a free port. */
function printed(words: string, port: number): string {
  const block = blocksOf("docs/mcp.md").find(({ language, code }) => language === "sh" && code.includes(words));
  if (block === undefined) throw new Error(`docs/mcp.md has no block with ${words}.`);
  return block.code.replaceAll("8808", `${port}`);
}

it("serves its tools to a conversation, and nobody without its key", { timeout: 120_000 }, async () => {
  const port = await anyPort();
  const env = { ...process.env, COMPANION_KEY: KEY };
  bridge = spawn("sh", ["-c", printed("npx mcp-proxy", port)], { cwd: root, env, stdio: "ignore", detached: true });
  const url = `http://127.0.0.1:${port}/mcp`;
  const status = () =>
    fetch(url, { method: "POST", body: "{}" }).then(
      (answer) => answer.status,
      () => null,
    );
  expect(await until("the bridge listens", status)).toBe(401);

  const gateway = await start(await newPlace()).ready();
  const there = { ...env, GATEWAY_KEY: gateway.key, GW: `${gateway.url}/api/v1` };
  const put = spawnSync("sh", ["-c", printed("mcp-servers/memory", port)], { env: there, encoding: "utf8" });
  expect(put.stdout).toContain('"name":"memory"');

  const json = { "content-type": "application/json" };
  const ask = async (route: string, body: object) => {
    const at = `/api/v1/conversations/companion/${route}`;
    const answer = await gateway.fetch(at, { method: "POST", headers: json, body: JSON.stringify(body) });
    return answer.text();
  };
  await until("its tools are there", async () =>
    (await ask("turns", { conversation: {} })).includes("memory__create_entities"),
  );
  const entities = [{ name: "the gateway", entityType: "program", observations: ["speaks to a local command"] }];
  const made = await ask("tool-calls", {
    calls: [{ id: "c1", name: "memory__create_entities", arguments: { entities } }],
  });
  expect(made).toContain("speaks to a local command");
});
