// Group routes: creation, membership, the rights of each role, and that a lost role applies from the next request.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { talk } from "../../support/chat-turns";
import { seedSkill, seedVersion } from "../../support/registry";
import { form, skillZip } from "../../support/skill";

const GROUPS = "/api/v1/groups";
const SKILLS = "/api/v1/kinds/skills";
const ROLES = ["Reporter", "Developer", "Maintainer", "Owner"] as const;

let groups = 0;

/** Creates a group with one member of each role and returns the members' keys. */
async function groupOf(name = `crew-${++groups}`) {
  expect((await call("POST", GROUPS, { json: { name } })).status).toBe(201);
  const keys = {} as Record<(typeof ROLES)[number], string>;
  for (const role of ROLES) {
    const user = `${role}-${name}`;
    expect((await setRole(name, user, role)).status).toBe(201);
    keys[role] = await keyFor(user);
  }
  // The admin who created the group leaves it, so that no group role adds to the admin's rights.
  expect((await call("DELETE", `${GROUPS}/${name}/members/admin`)).status).toBe(204);
  return { name, keys, user: (role: (typeof ROLES)[number]) => `${role}-${name}` };
}

const setRole = (group: string, user: string, role: string, key?: string) =>
  call("PUT", `${GROUPS}/${group}/members/${user}`, { ...(key === undefined ? {} : { key }), json: { role } });
const codeOf = async (answer: Response) => `${answer.status} ${(await answer.json<{ code: string }>()).code}`;
const upload = (key: string, namespace: string, name = "tool", body = "Do it.") =>
  call("POST", `${SKILLS}/upload`, { key, body: form(skillZip({ name, body }), { namespace }) });

describe("a group", () => {
  it("is made, shown, renamed and deleted by its owner", async () => {
    const made = await call("POST", GROUPS, { json: { name: "made", display_name: "Made here" } });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ name: "made", display_name: "Made here", role: "Owner" });
    expect(await codeOf(await call("POST", GROUPS, { json: { name: "MADE" } }))).toBe("409 GROUP_EXISTS");
    expect(await (await call("GET", `${GROUPS}/made`)).json()).toMatchObject({ role: "Owner", created_by: "admin" });
    const renamed = await call("PUT", `${GROUPS}/made`, { json: { display_name: "Renamed" } });
    expect(await renamed.json()).toMatchObject({ name: "made", display_name: "Renamed" });
    expect((await call("DELETE", `${GROUPS}/made`)).status).toBe(204);
    expect(await codeOf(await call("GET", `${GROUPS}/made`))).toBe("404 GROUP_NOT_FOUND");
  });

  it("has a name that means nothing else", async () => {
    for (const name of ["default", "public", "Gateway", "..", ".hidden", "a b", "a/b", "", "x".repeat(65), "é"]) {
      expect((await call("POST", GROUPS, { json: { name } })).status).toBe(400);
    }
  });

  it("is an admin's to make, unless the settings say otherwise", async () => {
    const key = await keyFor("founder");
    expect(await codeOf(await call("POST", GROUPS, { key, json: { name: "founded" } }))).toBe("403 ADMIN_ONLY");
    expect((await call("GET", `${GROUPS}?all=true`, { key })).status).toBe(403);
  });

  it("is not deleted while it has skills, and is deleted with its secrets", async () => {
    const { name, keys } = await groupOf();
    const { id } = await seedSkill({ name: "kept", scope: `group:${name}` });
    expect(await codeOf(await call("DELETE", `${GROUPS}/${name}`, { key: keys.Owner }))).toBe("409 GROUP_NOT_EMPTY");
    expect((await call("DELETE", `${SKILLS}/${id}`, { key: keys.Owner })).status).toBe(204);
    const secret =
      "INSERT INTO secrets (id, scope, name, hosts, key_id, iv, ciphertext, created_by) VALUES (?, ?, ?, '[]', '', '', '', '')";
    await env.DB.prepare(secret).bind("sec_1", `group:${name}`, "TOKEN").run();
    await env.DB.prepare(secret).bind("sec_2", "group:other", "TOKEN").run();
    expect((await call("DELETE", `${GROUPS}/${name}`, { key: keys.Owner })).status).toBe(204);
    const { results } = await env.DB.prepare("SELECT id FROM secrets").all();
    expect(results).toEqual([{ id: "sec_2" }]);
    expect((await (await call("GET", "/api/v1/me", { key: keys.Owner })).json<{ groups: string[] }>()).groups).toEqual(
      [],
    );
  });

  it("is listed page by page: own groups, and all for an admin", async () => {
    const key = await keyFor("member-of-three");
    for (const name of ["list-a", "list-b", "list-c"]) {
      await call("POST", GROUPS, { json: { name } });
      await setRole(name, "member-of-three", "Reporter");
    }
    const first = await (await call("GET", `${GROUPS}?limit=2`, { key })).json<{
      items: object[];
      next_cursor: string;
    }>();
    expect(first.items).toMatchObject([
      { name: "list-a", role: "Reporter" },
      { name: "list-b", role: "Reporter" },
    ]);
    const rest = await call("GET", `${GROUPS}?cursor=${first.next_cursor}`, { key });
    expect(await rest.json()).toMatchObject({ items: [{ name: "list-c" }], next_cursor: null });
    const { name } = await groupOf();
    const all = await (await call("GET", `${GROUPS}?all=true`)).json<{ items: { name: string; role: unknown }[] }>();
    expect(all.items.find((group) => group.name === name)?.role).toBeNull();
  });

  it("is visible to its members and admins only", async () => {
    const { name, keys } = await groupOf();
    const outsider = await keyFor("outsider");
    for (const path of ["", "/members"]) {
      const there = await call("GET", `${GROUPS}/${name}${path}`, { key: outsider });
      const missing = await call("GET", `${GROUPS}/never-made${path}`, { key: outsider });
      const [a, b] = [await there.json<object>(), await missing.json<object>()];
      expect({ ...a, request_id: "" }).toEqual({ ...b, request_id: "" });
      expect((await call("GET", `${GROUPS}/${name}${path}`, { key: keys.Reporter })).status).toBe(200);
      expect((await call("GET", `${GROUPS}/${name}${path}`)).status).toBe(200);
    }
  });
});

describe("roles", () => {
  it.each([
    ["Reporter", { publish: 403, change: 403, activate: 403, delete: 403, rename: 403, members: 403 }],
    ["Developer", { publish: 201, change: 200, activate: 403, delete: 403, rename: 403, members: 403 }],
    ["Maintainer", { publish: 201, change: 200, activate: 200, delete: 204, rename: 403, members: 201 }],
    ["Owner", { publish: 201, change: 200, activate: 200, delete: 204, rename: 200, members: 201 }],
  ] as const)("%s", async (role, expected) => {
    const { name, keys } = await groupOf();
    const key = keys[role];
    const first = await seedSkill({ name: "tool", scope: `group:${name}`, version: "1.0.0" });
    const skill = await seedVersion(first, { version: "2.0.0" });
    const one = `${SKILLS}/${skill.id}`;
    expect((await call("GET", one, { key })).status).toBe(200);
    const update = { key, body: form(skillZip({ name: "tool", version: "3.0.0" })) };
    const seen = {
      publish: (await upload(key, name, "fresh")).status,
      change: (await call("PUT", one, update)).status,
      activate: (await call("POST", `${one}/versions/${first.versionId}/activate`, { key })).status,
      delete: (await call("DELETE", one, { key })).status,
      rename: (await call("PUT", `${GROUPS}/${name}`, { key, json: { display_name: "x" } })).status,
      members: (await setRole(name, "newcomer", "Reporter", key)).status,
    };
    expect(seen).toEqual(expected);
  });

  it("say what they lack, and never to an admin outside the group more than to anybody", async () => {
    const { name, keys } = await groupOf();
    const refused = await upload(keys.Reporter, name);
    expect(await refused.json()).toMatchObject({ code: "ROLE_TOO_LOW", group: name, role: "Developer" });
    const { id } = await seedSkill({ name: "inner", scope: `group:${name}` });
    expect((await call("GET", `${SKILLS}/${id}`)).status).toBe(404);
    expect((await call("PUT", `${SKILLS}/${id}`, { body: form(skillZip({ name: "inner" })) })).status).toBe(404);
    // Deleting harmful content is the only write that does not require read access.
    expect((await call("DELETE", `${SKILLS}/${id}`)).status).toBe(204);
  });

  it("can be assigned by a Maintainer below the own role, and all by an Owner", async () => {
    const { name, keys, user } = await groupOf();
    const by = async (key: string, who: string, role: string) => (await setRole(name, who, role, key)).status;
    // A Maintainer cannot appoint Owners or Maintainers, including themselves, and cannot change existing ones.
    expect(await by(keys.Maintainer, user("Maintainer"), "Owner")).toBe(403);
    expect(await by(keys.Maintainer, user("Developer"), "Maintainer")).toBe(403);
    expect(await by(keys.Maintainer, user("Owner"), "Reporter")).toBe(403);
    expect(await by(keys.Maintainer, user("Maintainer"), "Reporter")).toBe(403);
    expect((await call("DELETE", `${GROUPS}/${name}/members/${user("Owner")}`, { key: keys.Maintainer })).status).toBe(
      403,
    );
    expect(await by(keys.Maintainer, user("Reporter"), "Developer")).toBe(200);
    expect(await by(keys.Owner, user("Developer"), "Owner")).toBe(200);
    expect(await by(keys.Reporter, user("Reporter"), "Owner")).toBe(403);
    // Users cannot add themselves to a group.
    const outsider = await keyFor("self-invited");
    expect(await by(outsider, "self-invited", "Reporter")).toBe(404);
    expect((await call("GET", `${GROUPS}/${name}/members`, { key: outsider })).status).toBe(404);
  });

  it("always leave an owner, also when two owners go at once", async () => {
    const { name, keys, user } = await groupOf();
    const leave = (who: string, key?: string) =>
      call("DELETE", `${GROUPS}/${name}/members/${who}`, key === undefined ? {} : { key });
    expect(await codeOf(await leave(user("Owner"), keys.Owner))).toBe("409 LAST_OWNER");
    expect(await codeOf(await setRole(name, user("Owner"), "Reporter", keys.Owner))).toBe("409 LAST_OWNER");
    expect(await codeOf(await leave(user("Owner")))).toBe("409 LAST_OWNER");
    expect((await setRole(name, user("Owner"), "Owner", keys.Owner)).status).toBe(200);
    await setRole(name, user("Developer"), "Owner", keys.Owner);
    const both = await Promise.all([leave(user("Owner"), keys.Owner), leave(user("Developer"), keys.Developer)]);
    expect(both.map((answer) => answer.status).sort()).toEqual([204, 409]);
    const { items } = await (await call("GET", `${GROUPS}/${name}/members`)).json<{ items: { role: string }[] }>();
    expect(items.filter((member) => member.role === "Owner")).toHaveLength(1);
  });

  it("may be left by oneself", async () => {
    const { name, keys, user } = await groupOf();
    expect((await call("DELETE", `${GROUPS}/${name}/members/${user("Reporter")}`, { key: keys.Reporter })).status).toBe(
      204,
    );
    expect((await call("GET", `${GROUPS}/${name}`, { key: keys.Reporter })).status).toBe(404);
    expect(await codeOf(await call("DELETE", `${GROUPS}/${name}/members/nobody`, { key: keys.Owner }))).toBe(
      "404 MEMBER_NOT_FOUND",
    );
  });

  it("are held by so many groups and no more", async () => {
    await env.DB.batch([
      ...Array.from({ length: 64 }, (_, index) => [
        env.DB.prepare("INSERT INTO groups (name, folded, created_by) VALUES (?1, ?1, 'x')").bind(`full-${index}`),
        env.DB.prepare(
          "INSERT INTO group_members (group_name, user_id, role, created_by) VALUES (?, 'joiner', 'Reporter', 'x')",
        ).bind(`full-${index}`),
      ]).flat(),
    ]);
    const { name } = await groupOf();
    expect(await codeOf(await setRole(name, "joiner", "Reporter"))).toBe("409 TOO_MANY_GROUPS");
    expect((await setRole("full-1", "joiner", "Developer")).status).toBe(200);
    const key = await keyFor("joiner");
    expect((await call("GET", `${SKILLS}/unified`, { key })).status).toBe(200);
    expect((await call("POST", "/api/v1/conversations/full/turns", { key, json: { conversation: {} } })).status).toBe(
      200,
    );
  });

  it("come with a key whose groups an admin names, and end with the membership, not with the key", async () => {
    const key = await keyFor("keyed", { groups: ["by-key"] });
    const me = () => call("GET", "/api/v1/me", { key }).then((answer) => answer.json());
    expect(await me()).toMatchObject({ groups: ["by-key"], memberships: [{ group: "by-key", role: "Developer" }] });
    expect((await upload(key, "by-key")).status).toBe(201);
    await setRole("by-key", "keyed", "Reporter");
    await keyFor("keyed", { groups: ["by-key"] });
    expect(await me()).toMatchObject({ memberships: [{ group: "by-key", role: "Reporter" }] });
    expect((await call("DELETE", `${GROUPS}/by-key/members/keyed`)).status).toBe(204);
    expect(await me()).toMatchObject({ groups: [], memberships: [] });
    expect(await codeOf(await upload(key, "by-key"))).toBe("404 NAMESPACE_NOT_FOUND");
    // Only admins create keys, so no other user can join a group through a key.
    const own = await call("POST", "/api/v1/keys", { key, json: { user_id: "keyed", groups: ["by-key"] } });
    expect(own.status).toBe(403);
    expect(await codeOf(await call("POST", "/api/v1/keys", { json: { user_id: "keyed", groups: ["BY-KEY"] } }))).toBe(
      "409 GROUP_EXISTS",
    );
  });
});

describe("a group's skills", () => {
  it("rank between own and public skills, groups joined earlier first", async () => {
    const [early, late] = [await groupOf(), await groupOf()];
    for (const { name } of [early, late]) await setRole(name, "joined-both", "Reporter");
    for (const [scope, names] of Object.entries({
      public: ["everywhere", "grouped", "shown"],
      [`group:${late.name}`]: ["everywhere", "grouped", "late-only"],
      [`group:${early.name}`]: ["everywhere", "grouped"],
      "user:joined-both": ["everywhere"],
    }))
      for (const name of names) await seedSkill({ name: `rank-${name}`, scope, body: scope });
    const key = await keyFor("joined-both");
    const invoke = async (name: string) =>
      (
        await (
          await call("POST", `${SKILLS}/invoke`, { key, json: { skill_name: `rank-${name}` } })
        ).json<{ prompt: string }>()
      ).prompt;
    expect(await invoke("everywhere")).toBe("user:joined-both");
    expect(await invoke("grouped")).toBe(`group:${early.name}`);
    expect(await invoke("shown")).toBe("public");
    expect(await invoke("late-only")).toBe(`group:${late.name}`);
    const unified = await call("GET", `${SKILLS}/unified?scope=group&group_name=${late.name}`, { key });
    const items = (await unified.json<{ name: string; namespace: string }[]>()).filter(({ name }) =>
      name.startsWith("rank-"),
    );
    expect(items.map(({ name, namespace }) => `${name} ${namespace}`)).toEqual([
      `rank-everywhere ${late.name}`,
      `rank-grouped ${late.name}`,
      `rank-late-only ${late.name}`,
      "rank-shown default",
    ]);
  });

  it("come into a conversation and leave it with the membership, at once", async () => {
    const { name } = await groupOf();
    await seedSkill({ name: "crew-tool", scope: `group:${name}`, body: "Crew only." });
    const key = await keyFor("coming-and-going");
    const chat = await talk({ key });
    expect((await chat.turn()).prompt.system).not.toContain("crew-tool");
    await setRole(name, "coming-and-going", "Reporter");
    expect((await chat.load("crew-tool")).isError).toBeUndefined();
    expect((await chat.turn()).prompt.system).toContain("Crew only.");
    await call("DELETE", `${GROUPS}/${name}/members/coming-and-going`);
    const { prompt, active } = await chat.turn();
    expect(prompt.system).not.toContain("rew");
    expect(active).toEqual([]);
    expect((await chat.load("crew-tool")).isError).toBe(true);
  });

  it("are a service's, too, when it acts for a member", async () => {
    const { name, user } = await groupOf();
    const { id } = await seedSkill({ name: "for-service", scope: `group:${name}` });
    const service = await keyFor("the-service", { scopes: ["act_as"] });
    expect((await call("GET", `${SKILLS}/${id}`, { key: service, as: user("Reporter") })).status).toBe(200);
    expect((await call("GET", `${SKILLS}/${id}`, { key: service, as: "somebody-else" })).status).toBe(404);
    expect((await call("GET", `${SKILLS}/${id}`, { key: service })).status).toBe(404);
  });
});

describe("sharing", () => {
  let group: Awaited<ReturnType<typeof groupOf>>;
  beforeAll(async () => {
    group = await groupOf();
  });
  const share = (key: string, id: string, group_name = group.name) =>
    call("POST", `${SKILLS}/${id}/share`, { key, json: { group_name } });

  it("publishes the current version into the group, as a skill of its own", async () => {
    const { keys, name, user } = group;
    const own = await (await upload(keys.Developer, "default", "shared", "First.")).json<{
      metadata: { labels: { id: string } };
      status: object;
    }>();
    const id = own.metadata.labels.id;
    const answer = await share(keys.Developer, id);
    expect(answer.status).toBe(201);
    const copy = await answer.json<typeof own>();
    expect(copy).toMatchObject({
      metadata: { name: "shared", namespace: name, labels: { user_id: user("Developer") } },
    });
    expect(copy.metadata.labels.id).not.toBe(id);
    expect(copy.status).toMatchObject({ fileHash: (own.status as { fileHash: string }).fileHash });
    expect((await share(keys.Developer, id)).status).toBe(200);
    expect((await call("GET", `${SKILLS}/${copy.metadata.labels.id}`, { key: keys.Reporter })).status).toBe(200);
    expect((await call("GET", `${SKILLS}/${id}`, { key: keys.Reporter })).status).toBe(404);
    await upload(keys.Developer, "default", "shared", "Second.");
    expect(
      await (await call("GET", `${SKILLS}/${copy.metadata.labels.id}`, { key: keys.Reporter })).json(),
    ).toMatchObject({
      spec: { prompt: "First." },
    });
  });

  it("requires a visible skill and the right to publish in the group", async () => {
    const { keys } = group;
    const own = await (await upload(keys.Reporter, "default", "unshared")).json<{
      metadata: { labels: { id: string } };
    }>();
    const id = own.metadata.labels.id;
    expect(await codeOf(await share(keys.Reporter, id))).toBe("403 ROLE_TOO_LOW");
    expect(await codeOf(await share(keys.Developer, id))).toBe("404 SKILL_NOT_FOUND");
    expect(await codeOf(await share(keys.Reporter, id, "never-made"))).toBe("404 NAMESPACE_NOT_FOUND");
    expect((await share(keys.Reporter, id, "default")).status).toBe(400);
  });
});
