// Skills that an MCP server of the gateway offers (SEP-2640): review, approval by digest, and the end of their server.

import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import {
  approve,
  BODY,
  FORM,
  FORM_BODY,
  type Listed,
  list,
  only,
  resource,
  serve,
  URI,
} from "../support/offered-skills";
import { form, zip } from "../support/skill";
import { methods, scripted } from "../support/upstream";

const turn = async (id: string, key: string, skills?: string[]) => {
  const more = skills === undefined ? {} : { preload: skills };
  const answer = await call("POST", `/api/v1/conversations/${id}/turns`, { key, json: { conversation: {}, ...more } });
  return answer.json<{ prompt: unknown; warnings: { code: string; message: string }[] }>();
};
const reads = async (name: string) =>
  (await methods(`/scripted/${name}`)).filter((method) => method === "resources/read").length;

describe("a skill of a server", () => {
  it("is listed without reading its files, and nobody has it before its approval", async () => {
    await serve("skl-list");
    expect(await only("skl-list")).toEqual({
      ...{ uri: URI, name: "skl-list-tides", description: "Reads tide tables.", state: "new", problem: null },
      ...{ digest: expect.stringMatching(/^sha256:/), files: 2, skill_id: null },
      bytes: BODY.length + FORM_BODY.length,
      resources: [
        { path: "SKILL.md", bytes: BODY.length, digest: expect.stringMatching(/^sha256:/) },
        { path: "references/FORM.md", bytes: FORM_BODY.length, digest: expect.stringMatching(/^sha256:/) },
      ],
    });
    expect(await reads("skl-list")).toBe(0);
    const found = await call("GET", "/api/v1/kinds/skills?name=skl-list-tides", { key: await keyFor("skl-nobody") });
    expect(JSON.stringify(await found.json())).not.toContain("skl-list-tides");
  });

  it("is published as it was reviewed, with its source, and loads without its server", async () => {
    await serve("skl-load");
    const answer = await approve("skl-load", await only("skl-load"));
    expect([answer.status, answer.status === 200 ? "" : await answer.clone().text()]).toEqual([200, ""]);
    const approved = await answer.json<Listed>();
    expect(approved).toMatchObject({ name: "skl-load-tides", state: "approved", skill_id: expect.any(String) });
    expect(await only("skl-load")).toMatchObject({ state: "approved", skill_id: approved.skill_id });
    const skill = await (await call("GET", `/api/v1/kinds/skills/${approved.skill_id}`)).json();
    expect(skill).toMatchObject({
      status: { source: { type: "mcp", server: "skl-load", url: URI, digest: approved.digest } },
    });
    const before = await reads("skl-load");
    const key = await keyFor("skl-reader");
    const loading = { id: "c1", name: "load_skill", arguments: { skill_name: "skl-load-tides" } };
    await turn("skl-chat", key);
    const loaded = await call("POST", "/api/v1/conversations/skl-chat/tool-calls", { key, json: { calls: [loading] } });
    expect(await loaded.text()).toContain("Ask for the port first.");
    const file = await call("GET", `/api/v1/kinds/skills/${approved.skill_id}/files/references/FORM.md`, { key });
    expect(await file.text()).toBe(FORM_BODY);
    expect(await reads("skl-load")).toBe(before);
  });

  it("needs another approval after a change, also with the same version, and keeps the approved content until then", async () => {
    await serve("skl-change");
    const first = await only("skl-change");
    expect((await approve("skl-change", first)).status).toBe(200);
    const body = BODY.replace("first", "and the day first");
    await serve("skl-change", { body });
    const changed = await only("skl-change");
    expect(changed).toMatchObject({ state: "changed", name: "skl-change-tides" });
    expect(changed.digest).not.toBe(first.digest);
    const content = async () => (await call("GET", `/api/v1/kinds/skills/${changed.skill_id}/files/SKILL.md`)).text();
    expect(await content()).toBe(BODY);
    // The digest that was reviewed first is not that of the content now.
    const stale = await approve("skl-change", first);
    expect([stale.status, (await stale.json<{ code: string }>()).code]).toEqual([409, "SERVER_SKILL_CHANGED"]);
    expect((await approve("skl-change", changed)).status).toBe(200);
    expect(await content()).toBe(body);
    // The server returns to its first content, which is approved again and becomes current.
    await serve("skl-change");
    expect(await only("skl-change")).toMatchObject({ state: "changed", digest: first.digest });
    expect((await approve("skl-change", first)).status).toBe(200);
    expect(await content()).toBe(BODY);
    expect(await only("skl-change")).toMatchObject({ state: "approved" });
  });

  it.each([
    [
      "the digest",
      { body: BODY.replace("port", "bank"), listed: { body: BODY } },
      "the digest of 'SKILL.md' differs",
      1,
    ],
    ["the size", { body: `${BODY}more`, listed: { body: BODY } }, "bytes instead of", 1],
    ["the frontmatter", { listed: { description: "Harmless." } }, "the frontmatter of 'SKILL.md' differs", 1],
    ["another file", { listed: { form: "Other text.\n" } }, "'references/FORM.md' has", 2],
  ])("is not approved if %s differs, and nothing further is read", async (what, change, text, read) => {
    const name = `skl-${what.replaceAll(" ", "-")}`;
    await serve(name, change);
    const answer = await approve(name, await only(name));
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ code: "SERVER_SKILL_INVALID", detail: expect.stringContaining(text) });
    expect(await reads(name)).toBe(read);
    expect(await only(name)).toMatchObject({ state: "new" });
  });

  it.each([
    ["a file outside its folder", [URI, "skill://other/x.md"]],
    ["a path that leaves its folder", [URI, "skill://tides/../x.md"]],
    ["an encoded path that leaves its folder", [URI, "skill://tides/%2e%2e/x.md"]],
    ["an encoded slash", [URI, "skill://tides/a%2Fb.md"]],
    ["no SKILL.md", [FORM]],
  ])("with %s is unusable", async (_, uris) => {
    const resources = await Promise.all(uris.map((uri) => resource(uri, "x")));
    const frontmatter = { name: "tides", description: "Reads tide tables." };
    await serve("skl-paths", { skills: [{ uri: URI, frontmatter, resources }] });
    const one = await only("skl-paths");
    expect(one).toMatchObject({ state: "unusable", problem: expect.any(String) });
    expect((await approve("skl-paths", one)).status).toBe(409);
  });

  it("takes no name of another skill", async () => {
    const markdown = "---\nname: skl-taken-tides\ndescription: Not of a server.\n---\n\nMine.\n";
    const body = form(zip({ "skl-taken-tides/SKILL.md": markdown }));
    expect((await call("POST", "/api/v1/kinds/skills/public", { body })).status).toBe(201);
    await serve("skl-taken");
    const answer = await approve("skl-taken", await only("skl-taken"));
    expect(await answer.json()).toMatchObject({ status: 409, code: "NAME_TAKEN" });
  });

  it("is withdrawn if the server does not offer it any more, and an unknown one cannot be approved", async () => {
    await serve("skl-gone");
    const one = await only("skl-gone");
    await approve("skl-gone", one);
    await serve("skl-gone", { skills: [] });
    expect(await only("skl-gone")).toMatchObject({ state: "withdrawn", name: "skl-gone-tides", digest: null });
    const answer = await approve("skl-gone", one);
    expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([404, "SERVER_SKILL_NOT_FOUND"]);
  });

  it("leaves the catalog with its server, and conversations receive a warning", async () => {
    await serve("skl-end");
    await approve("skl-end", await only("skl-end"));
    const key = await keyFor("skl-user");
    const loading = { id: "c1", name: "load_skill", arguments: { skill_name: "skl-end-tides" } };
    await turn("skl-ending", key);
    await call("POST", "/api/v1/conversations/skl-ending/tool-calls", { key, json: { calls: [loading] } });
    expect((await call("DELETE", "/api/v1/mcp-servers/skl-end")).status).toBe(204);
    const after = await turn("skl-ending", key);
    expect(after.warnings).toContainEqual(expect.objectContaining({ code: "SKILL_UNLOADED", path: "skl-end-tides" }));
    const again = await call("POST", "/api/v1/conversations/skl-ending/tool-calls", {
      key,
      json: { calls: [{ ...loading, id: "c2" }] },
    });
    expect(await again.text()).toContain("is not available");
  });
});

describe("who can", () => {
  it("only admins list and approve", async () => {
    await serve("skl-admins");
    const { uri, digest } = await only("skl-admins");
    const key = await keyFor("skl-plain");
    const path = "/api/v1/mcp-servers/skl-admins/skills";
    expect((await call("GET", path, { key })).status).toBe(403);
    expect((await call("POST", path, { key, json: { uri, digest } })).status).toBe(403);
  });

  it("nobody claims a server as the source of an upload", async () => {
    const source = JSON.stringify({ type: "mcp", server: "skl-load", url: "https://x.example.com/" });
    const bytes = zip({ "skl-claim/SKILL.md": "---\nname: skl-claim\ndescription: x\n---\n\ny\n" });
    const body = form(bytes, { namespace: "default", source });
    expect((await call("POST", "/api/v1/kinds/skills/upload", { body })).status).toBe(400);
  });

  it("a server without the extension offers nothing", async () => {
    const url = await scripted("skl-none", {
      "skills/list": {
        headers: { "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":@id,"error":{"code":-32601,"message":"Method not found"}}',
      },
    });
    await call("PUT", "/api/v1/mcp-servers/skl-none", { json: { url } });
    expect(await list("skl-none")).toEqual([]);
  });
});
