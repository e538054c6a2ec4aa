// Yanked versions: names and ranges no longer resolve to them on any path. Their id still does.

import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn, publishPublic, talk, textOf } from "../../../support/chat-turns";
import { hostWith } from "../../../support/mcp-client";
import { form, type SkillFixture, skillZip } from "../../../support/skill";
import { problemOf, SKILLS, type Skill } from "./published";

let ada: string;
let user = 0;
beforeAll(async () => {
  ada = await keyFor("yank-ada");
});
const somebody = () => keyFor(`yank-user-${++user}`);

interface Version {
  version_id: string;
  is_current: boolean;
  yanked_at: string | null;
}

const change = (what: string, id: string, version: string, key: string) =>
  call("POST", `${SKILLS}/${id}/versions/${version}/${what}`, { key });
const yank = async (id: string, version: string, key: string) => {
  const answer = await change("yank", id, version, key);
  expect(answer.status).toBe(200);
  return answer.json<Skill>();
};
const get = async <T>(path: string, key: string) => (await call("GET", path, { key })).json<T>();
const versionsOf = async (id: string, key: string) =>
  (await get<{ items: Version[] }>(`${SKILLS}/${id}/versions`, key)).items;

/** Publishes several versions of a user's own skill, the last one current. Returns the version ids. */
async function grown(key: string, name: string, versions: string[], more: SkillFixture = {}) {
  const made = [];
  for (const version of versions)
    made.push(
      await publishOwn(key, { name, version, body: `Body of ${version}.`, description: `D ${version}.`, ...more }),
    );
  return { id: made[0]!.id, versions: made.map(({ version_id }) => version_id) };
}

describe("a yanked version", () => {
  it("gives way to the newest other one, and stays readable by its id", async () => {
    const { id, versions } = await grown(ada, "stepping", ["1.0.0", "2.0.0", "3.0.0"]);
    const stands = await yank(id, versions[2]!, ada);
    expect(stands).toMatchObject({
      spec: { version: "2.0.0" },
      status: { state: "available", version_id: versions[1] },
    });
    expect((await versionsOf(id, ada)).map((one) => [one.version_id, one.is_current, one.yanked_at !== null])).toEqual([
      [versions[2], false, true],
      [versions[1], true, false],
      [versions[0], false, false],
    ]);
    const found = await get<{ items: Skill[] }>(`${SKILLS}?name=stepping`, ada);
    expect(found.items).toMatchObject([{ spec: { version: "2.0.0", prompt: "Body of 2.0.0." } }]);
    const flat = await get<{ name: string; description: string }[]>(`${SKILLS}/unified`, ada);
    expect(flat.filter(({ name }) => name === "stepping")).toMatchObject([{ description: "D 2.0.0." }]);
    for (const version of [versions[2], "3.0.0"]) {
      const zip = await call("GET", `${SKILLS}/${id}/download?version=${version}`, { key: ada });
      expect([zip.status, zip.headers.get("content-type")]).toEqual([200, "application/zip"]);
      await zip.body?.cancel();
    }
    const audit = await get<{ items: { action: string; after: object }[] }>(
      `/api/v1/audit?resource_id=${id}&action=skill.yank`,
      await keyFor("yank-admin", { role: "admin" }),
    );
    expect(audit.items).toMatchObject([{ after: { version_id: versions[2], current_version_id: versions[1] } }]);
  });

  it("is not chosen by any range: not by a ghost's, a dependency's or an inline spec's", async () => {
    const key = await somebody();
    const { id, versions } = await grown(key, "ranged", ["1.0.0", "1.5.0", "2.0.0"]);
    await publishOwn(key, { name: "needs-it", frontmatter: "dependencies: [ranged@^1.0.0]" });
    const bodyFor = async (range: string) => {
      const chat = await talk({ key }, { spec: { skills: [`ranged@${range}`] } });
      const { warnings } = await chat.turn();
      if (warnings.length > 0) return warnings[0]!.code;
      return textOf(await chat.use("read_skill", { skill_name: "ranged" }));
    };
    expect(await bodyFor("^1.0.0")).toContain("Body of 1.5.0.");
    await yank(id, versions[1]!, key);
    expect(await bodyFor("^1.0.0")).toContain("Body of 1.0.0.");
    expect(await bodyFor("1.5.0")).toBe("SKILL_UNAVAILABLE");
    expect(await bodyFor("*")).toContain("Body of 2.0.0.");
    const chat = await talk({ key });
    await chat.load("needs-it");
    expect((await chat.turn()).prompt.system).toContain("Body of 1.0.0.");
    const json = { metadata: { name: "pins" }, spec: { skills: ["ranged@1.5.0"] } };
    expect(await problemOf(call("POST", "/api/v1/kinds/ghosts", { key, json }))).toMatchObject({
      issues: [{ code: "RANGE_UNSATISFIED" }],
    });
  });

  it("leaves running conversations at their next step, and at the next turn they have the other one", async () => {
    const key = await somebody();
    const { id, versions } = await grown(key, "running", ["1.0.0", "2.0.0"]);
    const [chat, other] = [await talk({ key }), await talk({ key })];
    for (const one of [chat, other]) await one.load("running");
    expect((await (await call("GET", `${chat.route}/prompt`, { key })).json<{ system: string }>()).system).toContain(
      "Body of 2.0.0.",
    );
    await yank(id, versions[1]!, key);
    // A GET already shows the change. The next step records it.
    expect(await get(chat.route, key)).toMatchObject({ active: [], warnings: [{ code: "SKILL_UNLOADED" }] });
    const step = await chat.calls();
    expect(step).toMatchObject({ active: [], warnings: [{ code: "SKILL_UNLOADED", path: "running" }] });
    expect(step.prompt.system).not.toContain("Body of 2.0.0.");
    await chat.load("running");
    expect((await chat.calls()).prompt.system).toContain("Body of 1.0.0.");
    // A conversation that starts a turn first continues with the current version, as after every change.
    const turn = await other.turn();
    expect([turn.prompt.system.includes("Body of 1.0.0."), turn.prompt.system.includes("Body of 2.0.0.")]).toEqual([
      true,
      false,
    ]);
  });

  it("does not take along a conversation that has another version", async () => {
    const key = await somebody();
    const { id, versions } = await grown(key, "apart", ["1.0.0", "2.0.0"]);
    const chat = await talk({ key }, { spec: { skills: ["apart@^1.0.0"] } });
    await chat.load("apart");
    await yank(id, versions[1]!, key);
    expect(await chat.calls()).toMatchObject({ active: [{ skill: "apart", version: "1.0.0" }], warnings: [] });
  });

  it("is gone from MCP clients and from a shared agent at once", async () => {
    const made = await publishPublic({ name: "yank-public", version: "1.0.0", body: "Old words." });
    const next = await publishPublic({ name: "yank-public", version: "2.0.0", body: "New words." });
    const json = { metadata: { name: "yank-agent", namespace: "public" }, spec: { skills: ["yank-public@^2.0.0"] } };
    expect((await call("POST", "/api/v1/kinds/ghosts", { json })).status).toBe(201);
    const bob = await somebody();
    const chat = await talk({ key: bob }, { ghost: "yank-agent" });
    await chat.load("yank-public");
    const host = await hostWith("/mcp", bob);
    const loaded = async () =>
      JSON.stringify(await host.callTool({ name: "load_skill", arguments: { skill_name: "yank-public" } }));
    expect(await loaded()).toContain("New words.");
    expect((await call("POST", `${SKILLS}/${made.id}/versions/${next.version_id}/yank`)).status).toBe(200);
    expect(await loaded()).toContain("Old words.");
    const step = await chat.calls();
    expect(step.active).toEqual([]);
    expect((await chat.turn()).warnings).toMatchObject([{ code: "SKILL_UNAVAILABLE", path: "yank-public" }]);
  });
});

describe("a skill whose versions are all yanked", () => {
  it("is not found by name, hides nothing, and can be read by its owner by id", async () => {
    const key = await somebody();
    await publishPublic({ name: "yank-hidden", body: "Everybody's." });
    const own = await publishOwn(key, { name: "yank-hidden", version: "1.0.0", body: "Mine." });
    const before = await get<{ total: number }>(`${SKILLS}?count=true`, key);
    const stands = await yank(own.id, own.version_id, key);
    expect(stands).toMatchObject({
      status: { state: "yanked", version_id: own.version_id, warnings: [{ code: "YANKED" }] },
    });
    expect(await get(`${SKILLS}/${own.id}`, key)).toMatchObject({ status: { state: "yanked" } });
    expect(await get(`${SKILLS}?count=true`, key)).toMatchObject({ total: before.total - 1, items: [] });
    const invoked = await call("POST", `${SKILLS}/invoke`, { key, json: { skill_name: "yank-hidden" } });
    expect(await invoked.json()).toEqual({ prompt: "Everybody's." });
    const chat = await talk({ key });
    await chat.load("yank-hidden");
    expect((await chat.calls()).prompt.system).toContain("Everybody's.");
    expect((await call("GET", `${SKILLS}/${own.id}/download`, { key })).status).toBe(404);
    expect((await call("GET", `${SKILLS}/${own.id}/download?version=${own.version_id}`, { key })).status).toBe(200);
    // The name still belongs to the skill: a new version or an unyank makes it available again.
    await publishOwn(key, { name: "yank-hidden", version: "2.0.0", body: "Mine again." });
    await chat.turn();
    expect(textOf(await chat.use("read_skill", { skill_name: "yank-hidden" }))).toContain("Mine again.");
    expect((await change("unyank", own.id, own.version_id, key)).status).toBe(200);
    expect((await versionsOf(own.id, key)).map(({ is_current, yanked_at }) => [is_current, yanked_at])).toEqual([
      [true, null],
      [false, null],
    ]);
  });

  it("comes back with its only version when the yank is taken back", async () => {
    const key = await somebody();
    const { id, version_id } = await publishOwn(key, { name: "back", body: "Here again." });
    await yank(id, version_id, key);
    const back = await change("unyank", id, version_id, key);
    expect(await back.json()).toMatchObject({ status: { state: "available", version_id } });
    expect((await get<{ items: object[] }>(SKILLS, key)).items).toHaveLength(1);
    expect((await call("DELETE", `${SKILLS}/${id}`, { key })).status).toBe(204);
  });
});

describe("what does not go with it", () => {
  it("activates no yanked version, and accepts neither its content nor its label again", async () => {
    const key = await somebody();
    const { id, versions } = await grown(key, "stuck", ["1.0.0", "2.0.0"]);
    await yank(id, versions[1]!, key);
    await yank(id, versions[1]!, key);
    const refused = { status: 409, code: "VERSION_YANKED", version_id: versions[1] };
    expect(await problemOf(change("activate", id, versions[1]!, key))).toMatchObject(refused);
    const again = { name: "stuck", version: "2.0.0", body: "Body of 2.0.0.", description: "D 2.0.0." };
    const put = (skill: SkillFixture) => call("PUT", `${SKILLS}/${id}`, { key, body: form(skillZip(skill)) });
    expect(await problemOf(put(again))).toMatchObject(refused);
    expect(await problemOf(put({ ...again, body: "Other." }))).toMatchObject({ code: "VERSION_EXISTS" });
    const admin = await keyFor("yank-admin", { role: "admin" });
    const log = await get<{ items: object[] }>(`/api/v1/audit?resource_id=${id}&action=skill.yank`, admin);
    expect(log.items).toHaveLength(1);
  });

  it("requires its owner, and a version of this skill", async () => {
    const { id, versions } = await grown(ada, "hers", ["1.0.0", "2.0.0"]);
    const bob = await somebody();
    const mine = await publishOwn(bob, { name: "his" });
    expect(await problemOf(change("yank", id, versions[1]!, bob))).toMatchObject({ code: "SKILL_NOT_FOUND" });
    expect(await problemOf(change("yank", mine.id, versions[1]!, bob))).toMatchObject({ code: "VERSION_NOT_FOUND" });
    expect((await call("POST", `${SKILLS}/${id}/versions/${versions[1]}/yank`)).status).toBe(404);
    expect((await versionsOf(id, ada)).every((one) => one.yanked_at === null)).toBe(true);
  });

  it("ends in one state however it races: what is current is never yanked", async () => {
    const key = await somebody();
    const { id, versions } = await grown(key, "racing", ["1.0.0", "2.0.0", "3.0.0"]);
    for (let round = 0; round < 4; round++) {
      await Promise.all([
        change("yank", id, versions[2]!, key),
        change("activate", id, versions[1]!, key),
        change("yank", id, versions[1]!, key),
        change("activate", id, versions[2]!, key),
        change("unyank", id, versions[2]!, key),
      ]);
      const now = await versionsOf(id, key);
      expect(now.filter((one) => one.is_current && one.yanked_at !== null)).toEqual([]);
      expect(now.filter((one) => one.is_current)).toHaveLength(1);
    }
  });

  it("is in an export", async () => {
    const key = await somebody();
    const { id, version_id } = await publishOwn(key, { name: "exported" });
    await yank(id, version_id, key);
    const { user_id } = await get<{ user_id: string }>("/api/v1/me", key);
    const data = await get<{ skills: { id: string; yanked_at: number | null }[] }>(
      `/api/v1/users/${user_id}/export`,
      key,
    );
    expect(data.skills).toMatchObject([{ id: version_id, yanked_at: expect.any(Number) }]);
  });
});
