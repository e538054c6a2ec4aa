// Ghosts that are shared: a group's and public ones, through the doors. Who writes and who uses them, which one a name means, whose
// skills and secrets they have, and that leaving the group ends it.

import { env, exports } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { seedGhost, seedSkill } from "../support/registry";
import { gatewayServers, serverSkill, serversOf } from "../support/servers";
import { publishOwn, publishPublic, talk, textOf } from "../support/talk";
import { faults, forget, seen } from "../support/upstream";

const GHOSTS = "/api/v1/kinds/ghosts";
const GROUPS = "/api/v1/groups";
const SKILLS = "/api/v1/kinds/skills";
const ROLES = ["Reporter", "Developer", "Maintainer", "Owner"] as const;

interface Ghost {
  metadata: { name: string; namespace: string; labels: { id: string; user_id: string; scope: string } };
  spec: { systemPrompt: string; skills?: string[]; preload_skills?: string[] };
}

let count = 0;

/** A group with one member of each role, and their keys. */
async function crew() {
  const name = `crew-${++count}`;
  await call("POST", GROUPS, { json: { name } });
  const keys = {} as Record<(typeof ROLES)[number], string>;
  for (const role of ROLES) {
    await call("PUT", `${GROUPS}/${name}/members/${role}-${name}`, { json: { role } });
    keys[role] = await keyFor(`${role}-${name}`);
  }
  await call("DELETE", `${GROUPS}/${name}/members/admin`);
  return { name, keys, user: (role: (typeof ROLES)[number]) => `${role}-${name}` };
}

const put = (key: string | undefined, namespace: string, name: string, spec: object = {}) =>
  call("PUT", `${GHOSTS}/by-name/${namespace}/${name}`, { ...(key === undefined ? {} : { key }), json: { spec } });
async function made(answer: Response): Promise<Ghost & { id: string }> {
  const ghost = await answer.clone().json<Ghost>();
  if (!answer.ok) throw new Error(await answer.text());
  return { ...ghost, id: ghost.metadata.labels.id };
}
const codeOf = async (answer: Response) => `${answer.status} ${(await answer.json<{ code: string }>()).code}`;
const issuesOf = async (answer: Response) =>
  (await answer.json<{ issues: { code: string; message: string; path: string }[] }>()).issues;
const system = async (key: string, settings: object) => (await (await talk({ key }, settings)).turn()).prompt.system;
const catalogOf = async (key: string, route: string) => {
  const answer = await call("GET", `/api/tasks/${route.slice(route.lastIndexOf("/") + 1)}/skills`, { key });
  return (await answer.json<{ skill_refs: Record<string, { skill_id: string }> }>()).skill_refs;
};

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

  it("is as missing to who is outside, an admin too, by id and by name", async () => {
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

  it("goes at once for who leaves: the conversation says so and has nothing of it left", async () => {
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
      message: "Ghost 'voice' is gone, so there are no skills.",
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

  it("keeps its group from being deleted, and stays where it is", async () => {
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

  it("keeps its name apart from others of its group, however it is written", async () => {
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

  it("serves the users of a back end with one key, who have none of their own", async () => {
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
  it("means one's own over a group's over a public one", async () => {
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

describe("the skills of a shared ghost", () => {
  it("are the group's and public ones; what only its author sees is refused when it is saved", async () => {
    const { name, keys } = await crew();
    await publishOwn(keys.Owner, { name: "private-notes", body: "Mine." });
    const refused = await put(keys.Owner, name, "leaky", { skills: ["everyones", "private-notes", "nowhere"] });
    expect(refused.status).toBe(400);
    const issues = await issuesOf(refused);
    expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
      "SKILL_NOT_SHARED spec.skills[1]",
      "UNKNOWN_SKILL spec.skills[2]",
    ]);
    expect(issues[0]?.message).toContain("Share it with the group");
    const preloaded = await put(keys.Owner, name, "leaky", { skills: ["*"], preload_skills: ["private-notes"] });
    expect(await issuesOf(preloaded)).toMatchObject([{ code: "SKILL_NOT_SHARED", path: "spec.preload_skills[0]" }]);

    const other = await crew();
    await call("PUT", `${GROUPS}/${name}/members/${other.user("Owner")}`, {
      key: keys.Owner,
      json: { role: "Maintainer" },
    });
    await publishOwn(other.keys.Owner, { name: "other-crews" }, other.name);
    const foreign = await put(other.keys.Owner, name, "leaky", { skills: ["other-crews"] });
    expect(await issuesOf(foreign)).toMatchObject([{ code: "SKILL_NOT_SHARED" }]);

    await publishOwn(keys.Owner, { name: "groups-only" }, name);
    await publishOwn(ADMIN_KEY, { name: "admins-own" });
    await call("POST", GROUPS, { json: { name: `admins-of-${name}` } });
    await publishOwn(ADMIN_KEY, { name: "admins-groups" }, `admins-of-${name}`);
    for (const skill of ["admins-groups", "admins-own"]) {
      const open = await put(undefined, "public", "leaky", { skills: [skill] });
      expect(await issuesOf(open)).toMatchObject([{ code: "SKILL_NOT_SHARED", path: "spec.skills[0]" }]);
    }
    expect((await put(keys.Owner, "default", "fine", { skills: ["private-notes", "groups-only"] })).status).toBe(201);
  });

  it("are the same for everybody, whatever a user has of the same name", async () => {
    const { name, keys } = await crew();
    const shared = await publishOwn(keys.Owner, { name: "report", body: "The group's report." }, name);
    const own = await publishOwn(keys.Reporter, { name: "report", body: "My own report." });
    const extra = await publishOwn(keys.Reporter, { name: "diary", body: "Mine." });
    await put(keys.Owner, name, "listing", { skills: ["report"], preload_skills: ["report"] });
    await put(keys.Owner, name, "all", { skills: ["*"] });
    await put(undefined, "public", "public-all", { skills: ["*"] });

    const listing = await talk({ key: keys.Reporter }, { ghost: "listing" });
    const { prompt } = await listing.turn();
    expect(prompt.system).toContain("The group's report.");
    expect(prompt.system).not.toContain("My own report.");
    expect((await catalogOf(keys.Reporter, listing.route)).report?.skill_id).toBe(shared.id);

    const all = await talk({ key: keys.Reporter }, { ghost: "all" });
    await all.turn();
    const found = await catalogOf(keys.Reporter, all.route);
    expect(found.report?.skill_id).toBe(shared.id);
    expect(Object.keys(found)).toContain("everyones");
    expect(found).not.toHaveProperty("diary");
    expect((await all.load("diary")).isError).toBe(true);
    expect(textOf(await all.use("read_skill", { skill_name: "report" }))).toContain("The group's report.");
    expect(textOf(await all.use("find_skill", { query: "diary" }))).not.toContain("- **diary**");

    const open = await talk({ key: keys.Reporter }, { ghost: "public-all" });
    await open.turn();
    expect(await catalogOf(keys.Reporter, open.route)).not.toHaveProperty("report");

    // Without a ghost everything is as it was.
    const plain = await talk({ key: keys.Reporter });
    await plain.turn();
    const mine = await catalogOf(keys.Reporter, plain.route);
    expect([mine.report?.skill_id, mine.diary?.skill_id]).toEqual([own.id, extra.id]);
  });

  it("do not bring in the user's own by a dependency, nor once the ghost's is gone", async () => {
    const { name, keys, user } = await crew();
    await seedSkill({ name: "needy", scope: `group:${name}`, dependencies: ["helper-skill"] });
    const helper = await seedSkill({ name: "helper-skill", scope: `group:${name}` });
    await seedSkill({ name: "helper-skill", scope: `user:${user("Reporter")}`, body: "Own helper." });
    await put(keys.Owner, name, "needing", { skills: ["needy", "helper-skill"] });
    const chat = await talk({ key: keys.Reporter }, { ghost: "needing" });
    await chat.turn();
    await chat.load("needy");
    const status = await (await call("GET", `${chat.route}/prompt`, { key: keys.Reporter })).text();
    expect(status).toContain("Follow helper-skill.");
    await env.DB.batch([
      env.DB.prepare("DELETE FROM skills WHERE id = ?").bind(helper.id),
      env.DB.prepare("UPDATE counters SET value = value + 1 WHERE scope = ?").bind(`group:${name}`),
    ]);
    const { prompt, warnings } = await chat.turn();
    expect(prompt.system).not.toContain("Own helper.");
    expect(warnings.map(({ code }) => code)).toContain("SKILL_UNAVAILABLE");
  });

  it("know who refers to them: what one may read by name, what one may write on removal", async () => {
    const { name, keys } = await crew();
    const { id } = await publishOwn(keys.Owner, { name: "used" }, name);
    const group = await made(await put(keys.Owner, name, "user-of-it", { skills: ["used@*", "everyones"] }));
    const own = await made(await put(keys.Developer, "default", "own-user", { skills: ["used"] }));
    const deleted = await call("DELETE", `${SKILLS}/${id}`, { key: keys.Maintainer });
    expect(await deleted.json()).toMatchObject({
      code: "SKILL_REFERENCED",
      referenced_ghosts: [{ id: group.id, name: "user-of-it", namespace: name }],
      hidden_count: 1,
    });
    const seenBy = async (key: string) =>
      (await call("GET", `${SKILLS}/${id}/references`, { key })).json<{
        referenced_ghosts: { id: string }[];
        hidden_count: number;
      }>();
    expect((await seenBy(keys.Reporter)).referenced_ghosts.map((ghost) => ghost.id)).toEqual([group.id]);
    const both = await seenBy(keys.Developer);
    expect([both.referenced_ghosts.map((ghost) => ghost.id).sort(), both.hidden_count]).toEqual([
      [group.id, own.id].sort(),
      0,
    ]);
    const chat = await talk({ key: keys.Reporter }, { ghost: "user-of-it" });
    await chat.turn();
    const remove = async (key: string) =>
      (await call("POST", `${SKILLS}/${id}/remove-references`, { key })).json<{ affected_ghosts: { id: string }[] }>();
    expect((await remove(keys.Developer)).affected_ghosts.map((ghost) => ghost.id)).toEqual([own.id]);
    expect((await remove(keys.Reporter)).affected_ghosts).toEqual([]);
    expect((await remove(keys.Maintainer)).affected_ghosts.map((ghost) => ghost.id)).toEqual([group.id]);
    const left = await made(await call("GET", `${GHOSTS}/${group.id}`, { key: keys.Reporter }));
    expect(left.spec.skills).toEqual(["everyones"]);
    expect((await chat.turn()).prompt.system).not.toContain("**used**");
    expect((await call("DELETE", `${SKILLS}/${id}`, { key: keys.Maintainer })).status).toBe(204);
  });
});

describe("the secrets of a shared ghost's servers", () => {
  const secret = "$" + "{{secrets.SHARED_TOKEN}}";
  const server = {
    told: { url: `${faults.replace("127.0.0.1", "localhost")}/ok/shared`, headers: { "x-api-key": secret } },
  };
  const values = { user: "members-own-value", group: "the-groups-value", gateway: "the-gateways-value" };
  const plant = async (key: string | undefined, scope: keyof typeof values, group_name?: string) => {
    const json = { value: values[scope], hosts: ["localhost"], scope, ...(group_name ? { group_name } : {}) };
    const who = key === undefined ? {} : { key };
    expect((await call("PUT", "/api/v1/secrets/SHARED_TOKEN", { ...who, json })).status).toBeLessThan(300);
  };
  const sent = async () => [...new Set((await seen("/ok/shared")).map(({ headers }) => headers["x-api-key"]))];
  beforeEach(async () => {
    await forget();
    await gatewayServers({});
  });

  it("are the group's, and never the user's own or the gateway's", async () => {
    const { name, keys } = await crew();
    await plant(keys.Reporter, "user");
    await plant(undefined, "gateway");
    await put(keys.Owner, name, "caller", { skills: [], mcpServers: server });
    const chat = await talk({ key: keys.Reporter }, { ghost: "caller" });
    const without = await chat.turn();
    expect(without.warnings.map(({ message }) => message)).toEqual([
      `MCP server 'told' of the ghost is not available: there is no secret 'SHARED_TOKEN' of the group '${name}' for it.`,
    ]);
    expect(JSON.stringify([without, await serversOf(chat)])).not.toMatch(/members-own-value|the-gateways-value/);
    expect(await sent()).toEqual([]);
    await plant(keys.Maintainer, "group", name);
    await chat.turn();
    expect((await chat.use("told__echo")).isError).toBeUndefined();
    expect(await sent()).toEqual([values.group]);
    // The same entry in a ghost of one's own has one's own, as before.
    await forget();
    const own = await talk({ key: keys.Reporter }, { spec: { mcpServers: server } });
    await own.turn();
    expect(await sent()).toEqual([values.user]);
  });

  it("of a public one are the gateway's only", async () => {
    const { name, keys } = await crew();
    await call("DELETE", "/api/v1/secrets/SHARED_TOKEN?scope=gateway");
    await plant(keys.Reporter, "user");
    await plant(keys.Maintainer, "group", name);
    await put(undefined, "public", "caller", { skills: [], mcpServers: server });
    const chat = await talk({ key: keys.Reporter }, { ghost: "caller" });
    const without = await chat.turn();
    expect(without.warnings.map(({ message }) => message)).toEqual([
      "MCP server 'told' of the ghost is not available: there is no secret 'SHARED_TOKEN' of the gateway for it.",
    ]);
    expect(await sent()).toEqual([]);
    await plant(undefined, "gateway");
    await chat.turn();
    expect(await sent()).toEqual([values.gateway]);
  });

  it("are filled as the conversation is now: a change of ghost changes whose they are", async () => {
    const { name, keys } = await crew();
    await plant(keys.Reporter, "user");
    await plant(keys.Maintainer, "group", name);
    await put(keys.Owner, name, "changing", { mcpServers: server });
    const chat = await talk({ key: keys.Reporter }, { spec: { mcpServers: server } });
    await chat.turn();
    expect(await sent()).toEqual([values.user]);
    await forget();
    await chat.turn({ conversation: { ghost: "changing" } });
    expect((await chat.use("told__echo")).isError).toBeUndefined();
    expect(await sent()).toEqual([values.group]);
  });

  it("do not reach the servers of skills and of the gateway, which keep their own rule", async () => {
    const { name, keys } = await crew();
    await plant(keys.Reporter, "user");
    await publishOwn(keys.Owner, serverSkill("brings", server), name);
    await put(keys.Owner, name, "bringer", { skills: ["brings"] });
    const chat = await talk({ key: keys.Reporter }, { ghost: "bringer" });
    await chat.turn();
    await chat.load("brings");
    expect(await sent()).toEqual([values.user]);
  });
});

describe("an inline spec", () => {
  it("takes every visible skill unless it names some; a stored ghost takes none", async () => {
    const key = await keyFor("inline");
    await publishOwn(key, { name: "inline-own", body: "Own words." });
    const names = async (settings: object) => {
      const chat = await talk({ key }, settings);
      await chat.turn();
      return Object.keys(await catalogOf(key, chat.route));
    };
    const all = await names({});
    expect(all).toContain("inline-own");
    expect(await names({ spec: { systemPrompt: "Brief." } })).toEqual(all);
    expect(await names({ spec: { skills: [] } })).toEqual([]);
    expect(await names({ spec: { skills: ["inline-own"] } })).toEqual(["inline-own"]);
    const preloaded = await system(key, { spec: { preload_skills: ["inline-own"] } });
    expect(preloaded).toContain("Own words.");
    const document = JSON.stringify(await (await call("GET", "/openapi.json")).json());
    expect(document).toContain("Neither, or a spec without `skills`: every visible skill.");
    expect(document).toContain("`public`: everybody's, written by admins");
    await put(key, "default", "silent", { systemPrompt: "Brief." });
    expect(await names({ ghost: "silent" })).toEqual([]);
  });
});
