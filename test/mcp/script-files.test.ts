// Files of scripts for MCP hosts: stored for a conversation's URL. Without a conversation, the result only mentions them.

import { beforeEach, describe, expect, it } from "vitest";
import { SCRIPT_FILES } from "../../src/domain/code/script-limits";
import { call, keyFor } from "../support/call";
import { dropAllFiles, keptIds, publishFiler, type ToldRun } from "../support/filer";
import { type Era, host, hostWith } from "../support/mcp-client";

async function run(client: Awaited<ReturnType<typeof host>>, args: string[], more: object = {}): Promise<ToldRun> {
  const asked = { skill_name: "filer", script_path: "scripts/run.js", args, ...more };
  const answer = await client.callTool({ name: "execute_skill_script", arguments: asked });
  return answer.structuredContent as unknown as ToldRun;
}

beforeEach(async () => {
  await dropAllFiles();
  await publishFiler();
});

describe.each(["legacy", "modern"] satisfies Era[])("a %s host", (era) => {
  it("without a conversation returns small files, and stores nothing", async () => {
    const client = await host("/mcp", "files-host", era);
    const written = await run(client, ["write", "a.txt"]);
    expect(written.files).toEqual([
      { path: "/workspace/a.txt", size: 16, type: "text/plain", text: "content of a.txt" },
    ]);
    const { files } = await run(client, ["big", "a.bin", "3"]);
    expect(files).toEqual([
      { path: "/workspace/a.bin", size: 3, type: "application/octet-stream", base64: btoa("\xff\xff\xff") },
    ]);
    const large = await run(client, ["big", "large.bin", String(SCRIPT_FILES.inlineBytes)]);
    expect([large.files, large.left]).toEqual([[], [{ path: "/workspace/large.bin", reason: "NO_CONVERSATION" }]]);
    expect((await run(client, ["list"], { files: [{ path: "in", text: "side" }] })).stdout).toBe("in=side\n");
    expect((await run(client, ["list"], { files: [{ path: "in", kept: "fil_1" }] })).issues).toMatchObject([
      { code: "FILE_NOT_KEPT", path: "files.0.kept" },
    ]);
    expect(await keptIds()).toEqual({ rows: [], objects: [] });
    await client.close();
  });

  it("of a conversation are stored, and one is passed on", async () => {
    const client = await host("/mcp/files-chat", "files-host", era);
    const [file] = (await run(client, ["write", "a.txt"])).files;
    expect(file?.address).toBe(`/api/v1/conversations/files-chat/files/${file?.id}`);
    const again = await run(client, ["list"], { files: [{ path: "b.txt", kept: file?.address }] });
    expect(again.stdout).toBe("b.txt=content of a.txt\n");
    const key = await keyFor("files-host");
    expect(await (await call("GET", file?.address ?? "", { key })).text()).toBe("content of a.txt");
    await client.close();
  });
});

it("a key for MCP alone runs scripts, and downloads nothing", async () => {
  const key = await keyFor("files-narrow", { scopes: ["mcp"] });
  const client = await hostWith("/mcp/files-narrow", key);
  const [file] = (await run(client, ["write", "a.txt"])).files;
  expect((await call("GET", file?.address ?? "", { key })).status).toBe(403);
  await client.close();
});
