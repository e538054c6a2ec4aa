// The source of a version: sent with the upload, stored and returned with the version, and deleted with it.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { form, skillZip } from "../../../support/skill";
import { idOf, problemOf, published, SKILLS, type Skill, upload } from "./published";

type Sourced = Skill & { status: { source?: Record<string, string> } };
const GIT = {
  type: "git",
  url: "https://github.com/owner/repo",
  path: "skills/tide",
  ref: "main",
  commit: "0123456789abcdef0123456789abcdef01234567",
};
const sent = (source: unknown) => ({ source: JSON.stringify(source) });
const rows = async (versionId: string) =>
  (await env.DB.prepare("SELECT source FROM version_sources WHERE version_id = ?").bind(versionId).all()).results;

let alice: string;
let bob: string;

beforeAll(async () => {
  alice = await keyFor("source-alice", { groups: ["source-team"] });
  bob = await keyFor("source-bob", { groups: ["source-team"] });
});

describe("the source of a version", () => {
  it("is shown with the skill and in the list of versions, each with its own", async () => {
    const first = (await published({ name: "tide", version: "1.0.0" }, { key: alice }, sent(GIT))) as Sourced;
    expect(first.status.source).toEqual({ ...GIT, taken_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
    const body = form(skillZip({ name: "tide", version: "1.1.0" }));
    const second = await call("PUT", `${SKILLS}/${idOf(first)}`, { key: alice, body });
    expect(await second.json<Sourced>()).toMatchObject({ spec: { version: "1.1.0" } });
    const shown = await (await call("GET", `${SKILLS}/${idOf(first)}`, { key: alice })).json<Sourced>();
    // A version uploaded without a source is the user's own work.
    expect(shown.status).not.toHaveProperty("source");
    const listed = await call("GET", `${SKILLS}/${idOf(first)}/versions`, { key: alice });
    const { items } = await listed.json<{ items: { version: string; source?: object }[] }>();
    expect(items.map(({ version, source }) => [version, source])).toEqual([
      ["1.1.0", undefined],
      ["1.0.0", first.status.source],
    ]);
  });

  it("comes with every way to publish, and never with a draft", async () => {
    const admin = {};
    const zip = (version: string) => skillZip({ name: "source-ways", version });
    const index = { type: "index", url: "https://site.example/.well-known/agent-skills/index.json" };
    for (const [method, path, version] of [
      ["POST", "public", "1.0.0"],
      ["POST", "public/upload", "1.0.1"],
    ] as const) {
      const answer = await call(method, `${SKILLS}/${path}`, { ...admin, body: form(zip(version), sent(index)) });
      expect((await answer.json<Sourced>()).status.source).toMatchObject(index);
    }
    const found = await call("GET", `${SKILLS}?name=source-ways`, admin);
    const { items } = await found.json<{ items: Sourced[] }>();
    expect(items[0]?.status.source).toMatchObject(index);
    const path = `${SKILLS}/public/${idOf(items[0]!)}/upload`;
    const renewed = await call("PUT", path, { ...admin, body: form(zip("1.0.2"), sent(index)) });
    expect((await renewed.json<Sourced>()).status.source).toMatchObject(index);
    const draft = await call("PUT", `${SKILLS}/drafts/source-ways`, {
      ...admin,
      body: form(zip("2.0.0"), sent(index)),
    });
    expect(draft.status).toBe(400);
  });

  it("goes with a skill that is shared, and stands in the record of each", async () => {
    const own = (await published({ name: "source-shared" }, { key: alice }, sent(GIT))) as Sourced;
    const body = JSON.stringify({ group_name: "source-team" });
    const headers = { "content-type": "application/json" };
    const shared = await call("POST", `${SKILLS}/${idOf(own)}/share`, { key: alice, body, headers });
    expect((await shared.json<Sourced>()).status.source).toEqual(own.status.source);
    const seen = await call("GET", `${SKILLS}?namespace=source-team`, { key: bob });
    expect((await seen.json<{ items: Sourced[] }>()).items[0]?.status.source?.url).toBe(GIT.url);
    const { results } = await env.DB.prepare(
      "SELECT json_extract(after, '$.source') AS source FROM audit WHERE action = 'skill.publish' AND after LIKE '%source-shared%'",
    ).all();
    expect(results).toEqual([{ source: GIT.url }, { source: GIT.url }]);
  });

  it("of content that is there already stays what it was", async () => {
    const plain = await published({ name: "source-late" }, { key: alice });
    const again = await upload({ name: "source-late" }, { key: alice }, sent(GIT));
    expect([again.status, (await again.json<Sourced>()).status.source]).toEqual([200, undefined]);
    expect(await rows(plain.status.version_id)).toEqual([]);
  });

  it("is part of what an Idempotency-Key stands for", async () => {
    const headers = { "idempotency-key": "source-once" };
    const first = await upload({ name: "source-once" }, { key: alice, headers }, sent(GIT));
    const again = await upload({ name: "source-once" }, { key: alice, headers }, sent(GIT));
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(await again.json()).toEqual(await first.json());
    const other = await upload({ name: "source-once" }, { key: alice, headers }, sent({ ...GIT, ref: "v2" }));
    expect(await problemOf(other)).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  });

  it("goes with its skill, and is in its owner's export", async () => {
    const skill = (await published({ name: "source-gone" }, { key: alice }, sent(GIT))) as Sourced;
    const exported = await call("GET", "/api/v1/users/source-alice/export", { key: alice });
    const { skills } = await exported.json<{ skills: { skill: string; source: unknown }[] }>();
    expect(skills.find(({ skill: name }) => name === "source-gone")?.source).toEqual(skill.status.source);
    expect(await rows(skill.status.version_id)).toHaveLength(1);
    expect((await call("DELETE", `${SKILLS}/${idOf(skill)}`, { key: alice })).status).toBe(204);
    expect(await rows(skill.status.version_id)).toEqual([]);
  });

  it.each([
    ["no JSON", "{", "form.source"],
    ["a text", '"https://a.example/"', "form.source"],
    ["a token in its address", JSON.stringify({ ...GIT, url: "https://token@github.com/a/b" }), "form.source.url"],
    ["a time of its own", JSON.stringify({ ...GIT, taken_at: "1970-01-01T00:00:00Z" }), "form.source.taken_at"],
    ["more than there is room for", JSON.stringify({ ...GIT, path: "a".repeat(5_000) }), "form.source"],
  ])("that is %s is refused, and nothing is published", async (_, source, path) => {
    const refused = await upload({ name: "source-refused" }, { key: alice }, { source });
    const { code, issues } = await problemOf(refused);
    expect([code, issues?.[0]?.path]).toEqual(["INVALID_REQUEST", path]);
    const found = await call("GET", `${SKILLS}?name=source-refused`, { key: alice });
    expect((await found.json<{ items: unknown[] }>()).items).toEqual([]);
  });
});
