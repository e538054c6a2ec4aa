// Tests that the MCP Inspector lists the gateway's tools and verifies its skills.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { type Gateway, newPlace, start } from "../../smoke/launcher";
import { root } from "../../support/harness";

/** Real skills to publish. Without the folder the rest of the test still runs; a folder that CORPORA names must exist. */
const corpora = process.env.CORPORA ?? path.join(root, "..", "shared", "corpora");

it("the inspector verifies every skill that is listed, digests too", { timeout: 240_000 }, async () => {
  const gateway = await start(await newPlace()).ready();
  // One of the clean ones has the name of a built-in skill, and another version; of the quirky ones some are refused.
  await publishAll(gateway, "clean", [200, 201, 409]);
  await publishAll(gateway, "quirky", [200, 201, 409, 422]);
  for (const era of ["legacy", "modern"]) {
    const tools = await inspect(gateway, era, "--method", "tools/list", "--format", "json");
    expect([tools.code, tools.output.slice(0, 400)]).toEqual([0, expect.stringContaining("load_skill")]);
    const skills = await inspect(gateway, era, "--method", "skills/list", "--verify", "--require-digests");
    expect([skills.code, skills.output.slice(-2_000)]).toEqual([0, expect.anything()]);
    expect(skills.output).toContain("skill://mermaid-diagram/SKILL.md");
    // One of the quirky skills, whose frontmatter only this gateway can parse.
    expect(skills.output).not.toContain("skill://skillvet/SKILL.md");
  }
  const wrong = await inspect(gateway, "legacy", "--method", "tools/call", "--tool-name", "no-such-tool");
  expect(wrong.code).not.toBe(0);
});

async function publishAll(gateway: Gateway, kind: string, accepted: number[]): Promise<void> {
  const folder = path.join(corpora, kind);
  if (process.env.CORPORA === undefined && !existsSync(folder)) return;
  const files = (await readdir(folder)).filter((name) => name.endsWith(".zip"));
  for (const file of files) {
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(await readFile(path.join(folder, file)))]), file);
    const answer = await gateway.fetch("/api/v1/kinds/skills/public", { method: "POST", body: form });
    expect(accepted, await answer.clone().text()).toContain(answer.status);
  }
}

function inspect(gateway: Gateway, era: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const inspector = path.join(
    import.meta.dirname,
    "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
  );
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
