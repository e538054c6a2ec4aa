// Public ghosts over HTTP, and which ghost a name refers to.

import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishPublic, talk } from "../../../support/chat-turns";
import { seedGhost } from "../../../support/registry";
import { codeOf, crew, GHOSTS, type Ghost, made, put, system } from "./users";

beforeAll(async () => {
  await publishPublic({ name: "everyones", body: "The public one." });
});

describe("a public ghost", () => {
  it("is written by admins only, and read and used by everybody", async () => {
    const key = await keyFor("anybody");
    const spec = { systemPrompt: "For all.", skills: ["everyones"] };
    expect(await codeOf(await put(key, "public", "guide", spec))).toBe("403 ADMIN_ONLY");
    const post = { key, json: { metadata: { name: "guide", namespace: "public" }, spec } };
    expect(await codeOf(await call("POST", GHOSTS, post))).toBe("403 ADMIN_ONLY");
    const ghost = await made(await put(undefined, "public", "guide", spec));
    expect(ghost.metadata).toMatchObject({ namespace: "public", labels: { user_id: "0", scope: "public" } });
    const path = `${GHOSTS}/${ghost.id}`;
    expect(await (await call("GET", path, { key })).json()).toMatchObject({ spec });
    expect(await codeOf(await call("DELETE", path, { key }))).toBe("403 ADMIN_ONLY");
    expect(await codeOf(await call("PUT", path, { key, json: { metadata: { name: "guide" }, spec: {} } }))).toBe(
      "403 ADMIN_ONLY",
    );
    const list = await (await call("GET", `${GHOSTS}?namespace=public`, { key })).json<{ items: Ghost[] }>();
    expect(list.items.map((item) => item.metadata.name)).toContain("guide");
    expect(await system(key, { ghost: "guide" })).toContain("For all.");
    expect(await system(key, { ghost: ghost.id })).toContain("For all.");
    expect((await call("PUT", path, { json: { metadata: { name: "guide" }, spec } })).status).toBe(200);
  });

  it("serves the users of a back end with one key, who have no ghosts of their own", async () => {
    await put(undefined, "public", "researcher", { systemPrompt: "You find out.", skills: ["everyones"] });
    const service = await keyFor("a-back-end", { scopes: ["act_as", "conversations"] });
    for (const as of ["visitor-1", "visitor-2"]) {
      const json = { key: "m1", history: [], format: "openai", conversation: { ghost: "researcher" } };
      const turn = await call("POST", "/api/v1/conversations/chat/turns", { key: service, as, json });
      expect(turn.status).toBe(200);
      const step = await turn.json<{ prompt: { messages: { content: string }[] }; warnings: object[] }>();
      expect(step.prompt.messages[0]?.content).toContain("You find out.");
      expect(step.prompt.messages[0]?.content).toContain("everyones");
      expect(step.warnings).toEqual([]);
      const calls = [{ id: "1", name: "load_skill", arguments: { skill_name: "everyones" } }];
      const next = await call("POST", "/api/v1/conversations/chat/tool-calls", { key: service, as, json: { calls } });
      expect(await next.json()).toMatchObject({ loaded_skills: ["everyones"] });
    }
    const admin = await keyFor("an-admin-service", { role: "admin", scopes: ["act_as", "ghosts"] });
    const write = { key: admin, as: "visitor-1", json: { spec: {} } };
    expect(await codeOf(await call("PUT", `${GHOSTS}/by-name/public/researcher`, write))).toBe("403 ADMIN_ONLY");
  });

  it("is what an MCP host is narrowed to", async () => {
    await publishPublic({ name: "beside" });
    await put(undefined, "public", "narrow", { systemPrompt: "Only one.", skills: ["everyones"] });
    const key = await keyFor("mcp-host");
    const ask = async (method: string) => {
      const answer = await exports.default.fetch("https://gateway.test/mcp?ghost=narrow", {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": "2025-11-25",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} }),
      });
      return answer.text();
    };
    const listed = await ask("skills/list");
    expect(listed).toContain("everyones");
    expect(listed).not.toContain("beside");
  });
});

describe("a ghost's name", () => {
  it("resolves to an own one before a group's before a public one", async () => {
    const { name, keys } = await crew();
    const stranger = await keyFor("by-name-stranger");
    await put(undefined, "public", "namesake", { systemPrompt: "Public." });
    const group = await made(await put(keys.Owner, name, "namesake", { systemPrompt: "Group." }));
    const own = await made(await put(keys.Reporter, "default", "namesake", { systemPrompt: "Own." }));
    expect(await system(stranger, { ghost: "namesake" })).toContain("Public.");
    expect(await system(keys.Developer, { ghost: "namesake" })).toContain("Group.");
    expect(await system(keys.Reporter, { ghost: "namesake" })).toContain("Own.");
    expect(await system(keys.Reporter, { ghost: group.id })).toContain("Group.");
    const chat = await talk({ key: keys.Reporter }, { ghost: "namesake" });
    await chat.turn();
    await call("DELETE", `${GHOSTS}/${own.id}`, { key: keys.Reporter });
    expect((await chat.turn()).prompt.system).toContain("Group.");
    const { items } = await (await call("GET", `${GHOSTS}?name=namesake`, { key: keys.Developer })).json<{
      items: Ghost[];
    }>();
    expect(items.map(({ metadata }) => `${metadata.labels.scope} ${metadata.namespace}`)).toEqual([
      `group ${name}`,
      "public public",
    ]);
  });

  it("in a group's namespace stays the user's own where it was before, also when a script saves it again", async () => {
    const { name, keys, user } = await crew();
    const id = await seedGhost(user("Maintainer"), "before", { systemPrompt: "Mine alone." });
    await env.DB.prepare("UPDATE ghosts SET namespace = ? WHERE id = ?").bind(name, id).run();
    const again = await made(await put(keys.Maintainer, name, "before", { systemPrompt: "Still mine." }));
    expect(again).toMatchObject({ id, metadata: { namespace: name, labels: { scope: "user" } } });
    expect((await call("GET", `${GHOSTS}/${id}`, { key: keys.Owner })).status).toBe(404);
    const group = await made(await put(keys.Owner, name, "before", { systemPrompt: "Of all." }));
    expect(group.metadata.labels.scope).toBe("group");
    expect(await system(keys.Maintainer, { ghost: "before" })).toContain("Still mine.");
    expect(await system(keys.Reporter, { ghost: "before" })).toContain("Of all.");
    const both = await (await call("GET", `${GHOSTS}?namespace=${name}&limit=1`, { key: keys.Maintainer })).json<{
      items: Ghost[];
      next_cursor: string;
    }>();
    const rest = await (
      await call("GET", `${GHOSTS}?namespace=${name}&cursor=${both.next_cursor}`, { key: keys.Maintainer })
    ).json<{ items: Ghost[] }>();
    expect([...both.items, ...rest.items].map((item) => item.metadata.labels.id).sort()).toEqual([id, group.id].sort());
    const home = { metadata: { name: "before", namespace: "default" }, spec: {} };
    const moved = await call("PUT", `${GHOSTS}/${id}`, { key: keys.Maintainer, json: home });
    expect((await made(moved)).metadata).toMatchObject({ namespace: "default", labels: { scope: "user" } });
  });

  it("is listed page by page over all that the caller may read", async () => {
    const { name, keys } = await crew();
    for (const one of ["b", "a"]) await put(keys.Owner, name, one);
    for (const one of ["c", "a"]) await put(keys.Reporter, "default", one);
    const seenNames: string[] = [];
    let cursor: string | null = null;
    do {
      const query = cursor === null ? "" : `&cursor=${cursor}`;
      const answer: Response = await call("GET", `${GHOSTS}?limit=1${query}`, { key: keys.Reporter });
      const page: { items: Ghost[]; next_cursor: string | null } = await answer.json();
      seenNames.push(...page.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
      cursor = page.next_cursor;
    } while (cursor !== null);
    const here = seenNames.filter((one) => !one.startsWith("public/"));
    expect(here).toEqual([`${name}/a`, `${name}/b`, "default/a", "default/c"]);
    expect(new Set(seenNames).size).toBe(seenNames.length);
    const skipped = await call("GET", `${GHOSTS}?skip=1&limit=2`, { key: keys.Reporter });
    const { items } = await skipped.json<{ items: Ghost[] }>();
    expect(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([`${name}/b`, "default/a"]);
  });
});
