// Skills through the extension `io.modelcontextprotocol/skills`, checked by the SDK's own client.

import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { publicSigningKeySchema } from "../../src/domain/attestation/statement";
import { verifyVersion } from "../../src/domain/attestation/verify";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { type Era, host, post } from "../support/mcp-client";

let users = 0;
const someone = () => `skills-user-${++users}`;

interface Page {
  result: {
    skills: {
      uri: string;
      frontmatter: Record<string, unknown>;
      resources: { uri: string; digest: string; size: number }[];
    }[];
    nextCursor?: string;
  };
}

async function rpc<T>(user: string, method: string, params: object = {}): Promise<T> {
  const text = await (await post("/mcp", user, { jsonrpc: "2.0", id: 1, method, params })).text();
  return JSON.parse(text.startsWith("{") ? text : (/^data: (.+)$/m.exec(text)?.[1] ?? ""));
}

const attestationIn = (entry: { _meta?: Record<string, unknown> | undefined } | undefined) =>
  z.object({ url: z.string(), digest: z.string() }).parse(entry?._meta?.["skill-gateway/attestation"]);

describe.each<Era>(["legacy", "modern"])("the skills extension, %s era", (era) => {
  it("lists entries that verify, and reads their files", async () => {
    const user = someone();
    const key = await keyFor(user);
    const png = new Uint8Array([137, 80, 78, 71, 0, 255]);
    await publishOwn(key, {
      name: "guide",
      description: "Shows the way.",
      frontmatter: "license: MIT\nx-custom: {deep: [1, true]}",
      files: { "references/map one.md": "# Map\n", "assets/logo.png": png },
    });
    const client = await host("/mcp", user, era);
    const skills = new SkillsClient(client);
    const { skills: listed } = await skills.list();
    const entry = listed.find(({ uri }) => uri === "skill://guide/SKILL.md");
    expect(entry?.frontmatter).toMatchObject({
      name: "guide",
      description: "Shows the way.",
      license: "MIT",
      "x-custom": { deep: [1, true] },
    });
    const { url, digest } = attestationIn(entry);
    const envelope = await (await call("GET", new URL(url).pathname, { key })).json();
    const keySet = await (await call("GET", "/.well-known/jwks.json")).json<{ keys: unknown[] }>();
    const keys = keySet.keys.map((one) => publicSigningKeySchema.parse(one));
    const signed = await verifyVersion(envelope, keys, { zipSha256: digest.replace("sha256:", ""), name: "guide" });
    expect(signed).toHaveProperty("statement");
    const uris = (entry?.resources === "dynamic" ? [] : (entry?.resources ?? [])).map(({ uri }) => uri).sort();
    expect(uris).toEqual([
      "skill://guide/SKILL.md",
      "skill://guide/assets/logo.png",
      "skill://guide/references/map%20one.md",
    ]);
    for (const uri of uris) await client.readResource({ uri });
    expect((await client.readResource({ uri: "skill://guide/references/map%20one.md" })).contents).toMatchObject([
      { text: "# Map\n", mimeType: "text/markdown" },
    ]);
    expect((await client.readResource({ uri: "skill://guide/assets/logo.png" })).contents).toMatchObject([
      { blob: "iVBORwD/", mimeType: "image/png" },
    ]);
    await client.close();
  });
});

describe("the skills extension", () => {
  it("lists only conforming skills, and returns others by get", async () => {
    const user = someone();
    const key = await keyFor(user);
    await publishOwn(key, { name: "strict-one" });
    await publishOwn(key, { name: "wiki_submit" });
    const listed = await rpc<Page>(user, "skills/list");
    const mine = listed.result.skills.map(({ uri }) => uri).filter((uri) => /strict-one|wiki_submit/.test(uri));
    expect(mine).toEqual(["skill://strict-one/SKILL.md"]);
    expect(await rpc(user, "skills/get", { uri: "skill://wiki_submit/SKILL.md" })).toMatchObject({
      result: { skill: { frontmatter: { name: "wiki_submit" } } },
    });
    for (const uri of [
      "skill://absent/SKILL.md",
      "skill://strict-one/other.md",
      "skill://strict-one",
      "file:///etc/passwd",
      "skill://%zz/SKILL.md",
    ])
      expect(await rpc(user, "skills/get", { uri })).toMatchObject({ error: { code: -32602 } });
  });

  it("reads folders, and nothing else", async () => {
    const user = someone();
    await publishOwn(await keyFor(user), { name: "tree", files: { "a/b/c.txt": "c", "a/d.txt": "dd" } });
    const read = (uri: string) =>
      rpc<{ result?: { resources: { uri: string; name: string; mimeType: string; size?: number }[] }; error?: object }>(
        user,
        "resources/directory/read",
        { uri },
      );
    expect((await read("skill://tree")).result?.resources.map(({ name, mimeType }) => `${name} ${mimeType}`)).toEqual([
      "SKILL.md text/markdown",
      "a inode/directory",
    ]);
    expect((await read("skill://tree/a")).result?.resources).toEqual([
      { uri: "skill://tree/a/b", name: "b", mimeType: "inode/directory" },
      { uri: "skill://tree/a/d.txt", name: "d.txt", mimeType: "text/plain", size: 2 },
    ]);
    for (const uri of ["skill://tree/SKILL.md", "skill://tree/x", "skill://absent", "skill://tree/../tree"])
      expect(await read(uri)).toMatchObject({ error: { code: -32602 } });
  });

  it("goes through a catalog page by page", { tags: ["slow"] }, async () => {
    const user = someone();
    const key = await keyFor(user);
    const names = Array.from({ length: 105 }, (_, index) => `page-${String(index).padStart(3, "0")}`);
    for (const name of names) await publishOwn(key, { name });
    const first = await rpc<Page>(user, "skills/list");
    const second = await rpc<Page>(user, "skills/list", { cursor: first.result.nextCursor });
    const seen = [...first.result.skills, ...second.result.skills].map(({ frontmatter }) => String(frontmatter.name));
    expect(seen.filter((name) => name.startsWith("page-"))).toEqual(names);
    expect(new Set(seen).size).toBe(seen.length);
    expect(await rpc(user, "skills/list", { cursor: "forged" })).toMatchObject({ error: { code: -32602 } });
  });
});

describe("the skills extension", () => {
  it("does not list a skill whose frontmatter others read otherwise, and serves it by get", async () => {
    const user = someone();
    const key = await keyFor(user);
    await publishOwn(key, { name: "repaired", frontmatter: "compatibility: needs: node" });
    await publishOwn(key, { name: "endless", frontmatter: "x-limit: .inf" });
    await publishOwn(key, { name: "aliased", frontmatter: "x-one: &one {a: 1}\nx-two: *one" });
    const { result } = await rpc<Page>(user, "skills/list");
    const mine = result.skills.map(({ uri }) => uri).filter((uri) => /repaired|endless|aliased/.test(uri));
    expect(mine).toEqual(["skill://aliased/SKILL.md"]);
    expect(await rpc(user, "skills/get", { uri: "skill://repaired/SKILL.md" })).toMatchObject({
      result: { skill: { frontmatter: { compatibility: "needs: node" } } },
    });
    // Only the exact spelling is accepted.
    expect(await rpc(user, "skills/get", { uri: "skill://repaired/skill.md" })).toMatchObject({
      error: { code: -32602 },
    });
  });
});
