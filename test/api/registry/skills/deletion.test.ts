// The right to delete a skill, and the references that block it. Private use by others never blocks it.

import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn, talk } from "../../../support/chat-turns";
import { problemOf, SKILLS } from "./published";

const GHOSTS = "/api/v1/kinds/ghosts";
const ROLES = ["Reporter", "Developer", "Maintainer", "Owner"] as const;
type Role = (typeof ROLES)[number];

let groups = 0;

/** A group with one member of each role, and no admin in it. */
async function crew() {
  const group = `deleting-${++groups}`;
  await call("POST", "/api/v1/groups", { json: { name: group } });
  const keys = {} as Record<Role, string>;
  for (const role of ROLES) {
    await setRole(group, `${role}-of-${group}`, role);
    keys[role] = await keyFor(`${role}-of-${group}`);
  }
  await call("DELETE", `/api/v1/groups/${group}/members/admin`);
  return { group, keys };
}

const setRole = (group: string, user: string, role: Role) =>
  call("PUT", `/api/v1/groups/${group}/members/${user}`, { json: { role } });

const ghostOf = async (key: string, name: string, skills: string[], namespace = "default") => {
  const json = { metadata: { name, namespace }, spec: { skills } };
  const answer = await call("POST", GHOSTS, { key, json });
  expect(answer.status).toBe(201);
};

const remove = (id: string, key?: string, query = "") =>
  call("DELETE", `${SKILLS}/${id}${query}`, key === undefined ? {} : { key });

describe("a group's skill", () => {
  it("is deleted by its Owner whatever private ghosts say, and the group after it", async () => {
    const { group, keys } = await crew();
    const { id } = await publishOwn(keys.Maintainer, { name: "held" }, group);
    await ghostOf(keys.Reporter, "private", ["held"]);
    const chat = await talk({ key: keys.Reporter }, { ghost: "private" });
    expect((await chat.turn()).warnings).toEqual([]);

    expect((await remove(id, keys.Owner)).status).toBe(204);
    const { warnings } = await chat.turn();
    expect(warnings).toMatchObject([{ code: "SKILL_UNAVAILABLE", path: "held" }]);
    expect(warnings[0]?.message).toContain("Skill 'held' is not available");
    expect((await call("DELETE", `/api/v1/groups/${group}`, { key: keys.Owner })).status).toBe(204);
    // The ghost is unchanged for its owner, and can be saved without the name.
    const json = { metadata: { name: "private" }, spec: { skills: [] } };
    expect((await call("PUT", `${GHOSTS}/by-name/default/private`, { key: keys.Reporter, json })).status).toBe(200);
  });

  it("is held by the group's own ghosts, until they let it go", async () => {
    const { group, keys } = await crew();
    const { id } = await publishOwn(keys.Developer, { name: "held" }, group);
    await ghostOf(keys.Owner, "shared", ["held"], group);
    await ghostOf(keys.Reporter, "private", ["held"]);
    const refused = await problemOf(remove(id, keys.Owner));
    expect(refused).toMatchObject({
      status: 409,
      code: "SKILL_REFERENCED",
      referenced_ghosts: [{ name: "shared", namespace: group }],
      hidden_count: 1,
    });
    // A Developer can delete their own skill, but cannot remove it from the group's ghosts.
    expect(await problemOf(remove(id, keys.Developer))).toMatchObject({ code: "SKILL_REFERENCED" });
    const taken = await call("POST", `${SKILLS}/${id}/remove-references`, { key: keys.Owner });
    expect(await taken.json()).toMatchObject({ removed_count: 1, affected_ghosts: [{ name: "shared" }] });
    expect((await remove(id, keys.Owner)).status).toBe(204);
  });

  it("is prevented by a private ghost of the user who deletes it, as a reminder", async () => {
    const { group, keys } = await crew();
    const { id } = await publishOwn(keys.Owner, { name: "held" }, group);
    await ghostOf(keys.Owner, "mine", ["held"]);
    expect(await problemOf(remove(id, keys.Owner))).toMatchObject({ referenced_ghosts: [{ name: "mine" }] });
    await call("POST", `${SKILLS}/${id}/remove-references`, { key: keys.Owner });
    expect((await remove(id, keys.Owner)).status).toBe(204);
  });

  it("is not prevented by a former member either", async () => {
    const { group, keys } = await crew();
    const { id } = await publishOwn(keys.Owner, { name: "held" }, group);
    await ghostOf(keys.Reporter, "private", ["held"]);
    const member = `/api/v1/groups/${group}/members/Reporter-of-${group}`;
    expect((await call("DELETE", member, { key: keys.Reporter })).status).toBe(204);
    expect((await remove(id, keys.Maintainer)).status).toBe(204);
  });

  it("is allowed for its publisher while a Developer, and otherwise from Maintainer", async () => {
    const { group, keys } = await crew();
    const mine = await publishOwn(keys.Developer, { name: "mine" }, group);
    const theirs = await publishOwn(keys.Maintainer, { name: "theirs" }, group);
    expect(await problemOf(remove(theirs.id, keys.Developer))).toMatchObject({ code: "ROLE_TOO_LOW" });
    // Publishing a version of another user's skill does not make the Developer its owner.
    await publishOwn(keys.Developer, { name: "theirs", body: "Other." }, group);
    expect(await problemOf(remove(theirs.id, keys.Developer))).toMatchObject({ code: "ROLE_TOO_LOW" });
    const lowered = await publishOwn(keys.Developer, { name: "lowered" }, group);
    expect((await remove(mine.id, keys.Developer)).status).toBe(204);
    await setRole(group, `Developer-of-${group}`, "Reporter");
    expect(await problemOf(remove(lowered.id, keys.Developer))).toMatchObject({ code: "ROLE_TOO_LOW" });
    await call("DELETE", `/api/v1/groups/${group}/members/Developer-of-${group}`);
    expect(await problemOf(remove(lowered.id, keys.Developer))).toMatchObject({ status: 404 });
  });
});

describe("moderation", () => {
  let ada: string;
  beforeAll(async () => {
    ada = await keyFor("moderated-ada");
  });

  it("lets an admin delete a user's skill, without showing it, and writes down whose it was", async () => {
    const { id } = await publishOwn(ada, { name: "harmful" });
    await ghostOf(ada, "uses-harmful", ["harmful"]);
    const chat = await talk({ key: ada }, { ghost: "uses-harmful" });
    expect((await chat.load("harmful")).isError).toBeUndefined();
    for (const rest of ["", "/versions", "/download", "/files", "/references"])
      expect((await call("GET", `${SKILLS}/${id}${rest}`)).status).toBe(404);
    expect((await remove(id)).status).toBe(204);
    expect(await problemOf(remove(id))).toMatchObject({ status: 404, code: "SKILL_NOT_FOUND" });
    expect((await chat.turn()).active).toEqual([]);

    const log = await call("GET", `/api/v1/audit?action=skill.delete&resource_id=${id}`);
    const { items } = await log.json<{ items: { user_id: string; before: object; after: object }[] }>();
    expect(items).toMatchObject([
      {
        user_id: "admin",
        before: { name: "harmful", scope: "user", user_id: expect.stringMatching(/^usr_/) },
        after: { moderated: true },
      },
    ]);
    expect(JSON.stringify(items)).not.toContain("moderated-ada");
  });

  it("is no one else's: not a user's, not a service's that acts for one, not a key's without the scope", async () => {
    const { id } = await publishOwn(ada, { name: "harmless" });
    const bob = await keyFor("moderated-bob");
    const service = await keyFor("moderating-service", { role: "admin", scopes: ["act_as"] });
    const narrow = await keyFor("moderating-admin", { role: "admin", scopes: ["skills:read"] });
    const there = await problemOf(remove(id, bob));
    expect(there).toEqual({ ...(await problemOf(remove("skl_none", bob))), request_id: expect.any(String) });
    expect((await call("DELETE", `${SKILLS}/${id}`, { key: service, as: "moderated-bob" })).status).toBe(404);
    expect((await remove(id, narrow)).status).toBe(403);
    expect((await remove(id, ada)).status).toBe(204);
  });

  it("reaches a group's skill too, also one that the group's ghosts use", async () => {
    const { group, keys } = await crew();
    const { id } = await publishOwn(keys.Owner, { name: "harmful" }, group);
    await ghostOf(keys.Owner, "shared", ["harmful"], group);
    expect((await remove(id)).status).toBe(204);
  });
});
