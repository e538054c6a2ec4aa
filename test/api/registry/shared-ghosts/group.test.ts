// Group ghosts: who can write and use them, and that leaving the group ends access.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn, publishPublic, talk } from "../../../support/chat-turns";
import { serversOf } from "../../../support/servers";
import { faults } from "../../../support/upstream";
import { codeOf, crew, GHOSTS, type Ghost, GROUPS, issuesOf, made, put, ROLES, system } from "./users";

beforeAll(async () => {
  await publishPublic({ name: "everyones", body: "The public one." });
});

describe("a group's ghost", () => {
  it("is written by its Maintainers and Owners, and read and used by every member", async () => {
    const { name, keys } = await crew();
    await publishOwn(keys.Developer, { name: "ours", body: "Ours." }, name);
    const spec = { systemPrompt: "You are of the crew.", skills: ["ours", "everyones"], preload_skills: ["ours"] };
    const refused = await put(keys.Developer, name, "helper", spec);
    expect(await refused.json()).toMatchObject({ status: 403, code: "ROLE_TOO_LOW", group: name, role: "Maintainer" });
    expect((await put(keys.Reporter, name, "helper", spec)).status).toBe(403);
    const post = { key: keys.Developer, json: { metadata: { name: "helper", namespace: name }, spec } };
    expect(await codeOf(await call("POST", GHOSTS, post))).toBe("403 ROLE_TOO_LOW");
    const ghost = await made(await put(keys.Maintainer, name, "helper", spec));
    expect(ghost.metadata).toMatchObject({ namespace: name, name: "helper", labels: { scope: "group" } });
    const again = await put(keys.Owner, name, "helper", { ...spec, systemPrompt: "You are of our crew." });
    expect([again.status, (await made(again)).id]).toEqual([200, ghost.id]);

    for (const role of ROLES) {
      const read = await call("GET", `${GHOSTS}/${ghost.id}`, { key: keys[role] });
      expect(await read.json()).toMatchObject({ spec: { systemPrompt: "You are of our crew." } });
      const list = await (await call("GET", `${GHOSTS}?namespace=${name}`, { key: keys[role] })).json<{
        items: Ghost[];
      }>();
      expect(list.items.map((item) => item.metadata.labels.id)).toEqual([ghost.id]);
      for (const which of ["helper", ghost.id]) {
        const prompt = await system(keys[role], { ghost: which });
        expect(prompt).toContain("You are of our crew.");
        expect(prompt).toContain("Ours.");
      }
    }
    const body = { metadata: { name: "helper" }, spec };
    for (const role of ["Reporter", "Developer"] as const) {
      const path = `${GHOSTS}/${ghost.id}`;
      expect(await codeOf(await call("PUT", path, { key: keys[role], json: body }))).toBe("403 ROLE_TOO_LOW");
      expect(await codeOf(await call("DELETE", path, { key: keys[role] }))).toBe("403 ROLE_TOO_LOW");
    }
    expect((await call("PUT", `${GHOSTS}/${ghost.id}`, { key: keys.Maintainer, json: body })).status).toBe(200);
    expect((await call("DELETE", `${GHOSTS}/${ghost.id}`, { key: keys.Owner })).status).toBe(204);
    expect(await codeOf(await call("GET", `${GHOSTS}/${ghost.id}`, { key: keys.Owner }))).toBe("404 GHOST_NOT_FOUND");
  });

  it("is not found by users outside the group, including admins, by id and by name", async () => {
    const { name, keys } = await crew();
    const { id } = await made(await put(keys.Owner, name, "inner", { systemPrompt: "Ours." }));
    for (const key of [await keyFor("outsider"), undefined]) {
      const who = key === undefined ? {} : { key };
      const strip = async (answer: Response) => (await answer.text()).replace(/"request_id":"[^"]*"/, "");
      for (const method of ["GET", "PUT", "DELETE"]) {
        const json = method === "PUT" ? { json: { metadata: { name: "inner" }, spec: {} } } : {};
        const there = await call(method, `${GHOSTS}/${id}`, { ...who, ...json });
        expect(there.status).toBe(404);
        expect(await strip(there)).toBe(await strip(await call(method, `${GHOSTS}/gho_nothing`, { ...who, ...json })));
      }
      expect(await codeOf(await put(key, name, "inner"))).toBe("404 NAMESPACE_NOT_FOUND");
      expect(await codeOf(await call("GET", `${GHOSTS}?namespace=${name}`, who))).toBe("404 NAMESPACE_NOT_FOUND");
      for (const ghost of [id, "inner"]) {
        const answer = await call("PUT", `/api/v1/conversations/outside-${ghost}`, { ...who, json: { ghost } });
        expect(await codeOf(answer)).toBe("404 GHOST_NOT_FOUND");
      }
    }
  });

  it("disappears at once for a user who leaves: the conversation has a warning and nothing of it", async () => {
    const { name, keys, user } = await crew();
    await publishOwn(keys.Owner, { name: "inside", body: "Inside words." }, name);
    const spec = {
      systemPrompt: "Inner voice.",
      skills: ["inside"],
      preload_skills: ["inside"],
      mcpServers: { inner: { url: `${faults}/ok/none` } },
    };
    const ghost = await made(await put(keys.Owner, name, "voice", spec));
    const chat = await talk({ key: keys.Reporter }, { ghost: "voice" });
    const before = await chat.turn();
    expect(before.prompt.system).toContain("Inside words.");
    await expect.poll(() => chat.tools(), { timeout: 20_000 }).toContain("inner__echo");
    await call("DELETE", `${GROUPS}/${name}/members/${user("Reporter")}`, { key: keys.Owner });
    expect(await serversOf(chat)).toEqual([]);
    expect((await chat.use("inner__echo")).isError).toBe(true);
    const after = await chat.turn();
    expect(after.prompt.system).not.toMatch(/Inner voice|Inside words/);
    expect(after.tools.map((tool) => tool.name)).not.toContain("inner__echo");
    expect(after.warnings).toContainEqual({
      code: "GHOST_NOT_FOUND",
      message: "Agent (ghost) 'voice' not found, so no skills are available. Check the name.",
    });
    expect((await call("GET", `${GHOSTS}/${ghost.id}`, { key: keys.Reporter })).status).toBe(404);
  });

  it("that changes or goes is noticed by every member's conversation", async () => {
    const { name, keys } = await crew();
    const { id } = await made(await put(keys.Owner, name, "shifting", { systemPrompt: "One." }));
    const chat = await talk({ key: keys.Reporter }, { ghost: "shifting" });
    expect((await chat.turn()).prompt.system).toContain("One.");
    await put(keys.Maintainer, name, "shifting", { systemPrompt: "Two." });
    expect((await chat.turn()).prompt.system).toContain("Two.");
    await call("DELETE", `${GHOSTS}/${id}`, { key: keys.Owner });
    expect((await chat.turn()).warnings.map(({ code }) => code)).toEqual(["GHOST_NOT_FOUND"]);
  });

  it("prevents the deletion of its group, and cannot be moved", async () => {
    const { name, keys } = await crew();
    const { id } = await made(await put(keys.Owner, name, "resident"));
    expect(await codeOf(await call("DELETE", `${GROUPS}/${name}`, { key: keys.Owner }))).toBe("409 GROUP_NOT_EMPTY");
    for (const namespace of ["default", "public"]) {
      const json = { metadata: { name: "resident", namespace }, spec: {} };
      const moved = await call("PUT", `${GHOSTS}/${id}`, { key: keys.Owner, json });
      expect([moved.status, await issuesOf(moved)]).toMatchObject([
        400,
        [{ code: "NAMESPACE_FIXED", path: "metadata.namespace" }],
      ]);
    }
    const own = await made(await put(keys.Reporter, "default", "mine"));
    const json = { metadata: { name: "mine", namespace: name }, spec: {} };
    const moved = await call("PUT", `${GHOSTS}/${own.id}`, { key: keys.Reporter, json });
    expect([moved.status, await issuesOf(moved)]).toMatchObject([400, [{ code: "NAMESPACE_FIXED" }]]);
    const same = { metadata: { name: "renamed", namespace: name }, spec: {} };
    expect((await call("PUT", `${GHOSTS}/${id}`, { key: keys.Owner, json: same })).status).toBe(200);
    expect((await call("DELETE", `${GHOSTS}/${id}`, { key: keys.Owner })).status).toBe(204);
    expect((await call("DELETE", `${GROUPS}/${name}`, { key: keys.Owner })).status).toBe(204);
  });

  it("has a unique name within its group, in any spelling", async () => {
    const { name, keys } = await crew();
    await put(keys.Owner, name, "Straße");
    expect(await codeOf(await put(keys.Maintainer, name, "STRASSE"))).toBe("409 NAME_CONFLICT");
    const post = { key: keys.Owner, json: { metadata: { name: "straße", namespace: name }, spec: {} } };
    expect(await codeOf(await call("POST", GHOSTS, post))).toBe("409 NAME_CONFLICT");
    expect((await put(keys.Owner, "default", "STRASSE")).status).toBe(201);
  });

  it("is not erased or exported with its author, whose name leaves it", async () => {
    const { name, keys, user } = await crew();
    const { id } = await made(await put(keys.Maintainer, name, "legacy", { systemPrompt: "Stays." }));
    await put(keys.Maintainer, "default", "gone", { systemPrompt: "Goes." });
    const author = user("Maintainer");
    const exported = await (await call("GET", `/api/v1/users/${author}/export`)).json<{ ghosts: { name: string }[] }>();
    expect(exported.ghosts.map((ghost) => ghost.name)).toEqual(["gone"]);
    const erased = await (await call("DELETE", `/api/v1/users/${author}`)).json<{ erased: { ghosts: number } }>();
    expect(erased.erased.ghosts).toBe(1);
    const left = await made(await call("GET", `${GHOSTS}/${id}`, { key: keys.Reporter }));
    expect(left.spec.systemPrompt).toBe("Stays.");
    expect(JSON.stringify(left)).not.toContain(author);
  });

  it("is audited with its scope", async () => {
    const { name, keys } = await crew();
    const { id } = await made(await put(keys.Owner, name, "watched", { systemPrompt: "Private words." }));
    await put(keys.Owner, name, "watched", { systemPrompt: "Other private words." });
    await call("DELETE", `${GHOSTS}/${id}`, { key: keys.Owner });
    const log = await call("GET", `/api/v1/audit?resource_id=${id}`);
    const { items } = await log.json<{ items: object[] }>();
    const facts = { namespace: name, name: "watched", scope: `group:${name}` };
    expect(items).toMatchObject([
      { action: "ghost.delete", before: facts },
      { action: "ghost.update", after: facts },
      { action: "ghost.create", after: facts },
    ]);
    expect(JSON.stringify(items)).not.toMatch(/private words/i);
  });

  it("counts against its group's room, not against its author's", async () => {
    const { name, keys, user } = await crew();
    const rows = JSON.stringify(Array.from({ length: 2_000 }, (_, n) => n));
    const fill = (owner: string, shared: string | null) =>
      env.DB.prepare(
        `INSERT INTO ghosts (id, user_id, shared, namespace, name, folded, spec)
         SELECT ?1 || '-' || value, ?1, ?2, 'x', value, value, '{}' FROM json_each(?3)`,
      )
        .bind(owner, shared, rows)
        .run();
    await fill(user("Owner"), null);
    expect(await codeOf(await put(keys.Owner, "default", "more"))).toBe("409 QUOTA_EXCEEDED");
    expect((await put(keys.Owner, name, "more")).status).toBe(201);
    await fill("somebody", `group:${name}`);
    const full = await put(keys.Maintainer, name, "even-more");
    expect(await full.json()).toMatchObject({ status: 409, code: "QUOTA_EXCEEDED", limit: 2_000, used: 2_001 });
    expect((await put(keys.Maintainer, "default", "more")).status).toBe(201);
  });
});
