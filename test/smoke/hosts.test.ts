// The gateway's MCP server before hosts that nobody here wrote: the SDK's clients of both lines, and the inspector.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, it } from "vitest";
import { type Gateway, newPlace, start } from "./launcher";

const root = path.join(import.meta.dirname, "..", "..");
const corpus = path.join(root, "..", "shared", "corpora", "clean");

const textOf = (result: unknown) =>
  (result as { content: { text?: string }[] }).content.map(({ text }) => text ?? "").join("\n");
const headersOf = ({ key }: Gateway) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

it("the SDK's clients load a skill, call its tool and read its files", async () => {
  const gateway = await start(await newPlace()).ready();
  const at = (path: string) => new URL(path, gateway.url);

  const old = new ClientV1({ name: "v1", version: "1" });
  // Its own types do not allow `undefined` where its transport has it.
  await old.connect(new TransportV1(at("/mcp/v1"), headersOf(gateway)) as Parameters<ClientV1["connect"]>[0]);
  expect(old.getInstructions()).toContain("**json-table**");
  expect((await old.listTools()).tools.map(({ name }) => name)).toContain("call_skill_tool");
  const loaded = await old.callTool({ name: "load_skill", arguments: { skill_name: "mermaid-diagram" } });
  expect(textOf(loaded)).toContain("read_mermaid_reference");
  const call = { name: "read_mermaid_reference", arguments: { reference: "flowchart" } };
  expect(textOf(await old.callTool({ name: "call_skill_tool", arguments: call }))).toMatch(/flowchart/i);
  await old.close();

  for (const mode of ["legacy", "auto"] as const) {
    const client = new Client({ name: "v2", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(at(`/mcp/v2-${mode}`), headersOf(gateway)));
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    const table = { skill_name: "json-table", script_path: "scripts/table.js", input: '[{"a":1},{"a":2}]' };
    expect(textOf(await client.callTool({ name: "execute_skill_script", arguments: table }))).toContain("| 1 |");
    const { contents } = await client.readResource({ uri: "skill://json-table/scripts/table.js" });
    expect(contents).toMatchObject([{ mimeType: "text/javascript" }]);
    await client.close();
  }
});

it("the inspector verifies every skill that is listed, digests too", { timeout: 240_000 }, async () => {
  const gateway = await start(await newPlace()).ready();
  const files = existsSync(corpus) ? (await readdir(corpus)).filter((name) => name.endsWith(".zip")) : [];
  for (const file of files) {
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(await readFile(path.join(corpus, file)))]), file);
    const answer = await gateway.fetch("/api/v1/kinds/skills/public", { method: "POST", body: form });
    // One of them has the name of a built-in skill, and another version.
    expect([200, 201, 409], await answer.clone().text()).toContain(answer.status);
  }
  for (const era of ["legacy", "modern"]) {
    const tools = await inspect(gateway, era, "--method", "tools/list", "--format", "json");
    expect([tools.code, tools.output.slice(0, 400)]).toEqual([0, expect.stringContaining("load_skill")]);
    const skills = await inspect(gateway, era, "--method", "skills/list", "--verify", "--require-digests");
    expect([skills.code, skills.output.slice(-2_000)]).toEqual([0, expect.anything()]);
    expect(skills.output).toContain("skill://mermaid-diagram/SKILL.md");
  }
  const wrong = await inspect(gateway, "legacy", "--method", "tools/call", "--tool-name", "no-such-tool");
  expect(wrong.code).not.toBe(0);
});

function inspect(gateway: Gateway, era: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const inspector = path.join(root, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const target = ["--server-url", `${gateway.url}/mcp`, "--transport", "http", "--protocol-era", era];
  const key = ["--header", `Authorization: Bearer ${gateway.key}`, "--stored-auth-only"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [inspector, "--cli", ...target, ...key, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
