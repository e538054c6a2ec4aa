// The owner whose skills a shared ghost uses, and the skills that an inline spec selects.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, call, keyFor } from "../../../support/call";
import { publishOwn, publishPublic, talk, textOf } from "../../../support/chat-turns";
import { forgetCallers } from "../../../support/isolate";
import { openApiText } from "../../../support/openapi";
import { seedSkill } from "../../../support/registry";
import { crew, GHOSTS, GROUPS, issuesOf, made, put, system } from "./users";

const SKILLS = "/api/v1/kinds/skills";

const catalogOf = async (key: string, route: string) => {
  const answer = await call("GET", `/api/tasks/${route.slice(route.lastIndexOf("/") + 1)}/skills`, { key });
  return (await answer.json<{ skill_refs: Record<string, { skill_id: string }> }>()).skill_refs;
};

beforeAll(async () => {
  await publishPublic({ name: "everyones", body: "The public one." });
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

    // Without a ghost, nothing changes.
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
    forgetCallers();
    const { prompt, warnings } = await chat.turn();
    expect(prompt.system).not.toContain("Own helper.");
    expect(warnings.map(({ code }) => code)).toContain("SKILL_UNAVAILABLE");
  });

  it("list the ghosts that refer to them: visible ones by name, writable ones on removal", async () => {
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

describe("an inline spec", () => {
  it("selects every visible skill unless it lists some; a stored ghost selects none", async () => {
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
    const document = await openApiText();
    expect(document).toContain("with a spec without `skills`, every visible skill is available.");
    expect(document).toContain("`public`: for everybody, written by admins");
    await put(key, "default", "silent", { systemPrompt: "Brief." });
    expect(await names({ ghost: "silent" })).toEqual([]);
  });
});
