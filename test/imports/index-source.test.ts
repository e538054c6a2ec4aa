// Imports from a website's index: which skills are imported, what a second run does, and what is skipped.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { begin, beginIndex, entryOf, fates, flatZip, over, reportOf, SCHEMA, Site } from "../support/import-source";

let site: Site;
let key: string;
let users = 0;
beforeEach(async () => {
  site = new Site();
  Site.open(site);
  key = await keyFor(`importer-${++users}`);
});
afterEach(() => vi.restoreAllMocks());

const own = async () => {
  const answer = await call("GET", "/api/v1/kinds/skills", { key });
  const { items } = await answer.json<{ items: { metadata: { name: string; labels: { id: string } } }[] }>();
  return items.map(({ metadata }) => metadata.name).sort();
};

describe("an import of an index", () => {
  it("imports the skills of an index by digest, and reports them", async () => {
    await site.index([{ name: "one" }, { name: "two", files: { "scripts/go.sh": "echo" } }]);
    const begun = await beginIndex(key, site);
    expect(begun).toMatchObject({ namespace: "default", mirror: false, run: 1, total: null });
    const done = await over(key, begun);
    expect(done).toMatchObject({ state: "done", problem: null, total: 2, cursor: "two", next_at: null });
    expect(done.counts).toEqual({ created: 2, updated: 0, unchanged: 0, refused: 0, failed: 0, removed: 0 });
    expect(await own()).toEqual(["one", "two"]);
    const [item] = done.items;
    const skill = await (await call("GET", `/api/v1/kinds/skills/${item!.skill_id}`, { key })).json();
    expect(skill).toMatchObject({ metadata: { name: "one" }, status: { version_id: item!.version_id } });
  });

  it("imports only missing skills when it is repeated, and a changed digest as a new version", async () => {
    await site.index([{ name: "one" }, { name: "two" }, { name: "three" }]);
    const first = await over(key, await beginIndex(key, site));
    await call("DELETE", `/api/v1/kinds/skills/${first.items.find(({ name }) => name === "three")!.skill_id}`, { key });
    await site.index([{ name: "one" }, { name: "two", body: "Do it better." }, { name: "three" }]);
    site.forget();
    const again = await beginIndex(key, site);
    expect([again.id, again.run]).toEqual([first.id, 2]);
    const second = await over(key, again);
    expect(fates(second)).toEqual({ one: "unchanged", two: "updated", three: "created" });
    expect(site.fetched.sort()).toEqual(["/.well-known/agent-skills/three.zip", "/.well-known/agent-skills/two.zip"]);
    const [two] = second.items.filter(({ name }) => name === "two");
    expect(two!.skill_id).toBe(first.items.find(({ name }) => name === "two")!.skill_id);
    expect(two!.version_id).not.toBe(first.items.find(({ name }) => name === "two")!.version_id);
  });

  it("activates the earlier version if its source returns to it", async () => {
    await site.index([{ name: "back", body: "First." }]);
    const first = await over(key, await beginIndex(key, site));
    await site.index([{ name: "back", body: "Second." }]);
    await over(key, await beginIndex(key, site));
    await site.index([{ name: "back", body: "First." }]);
    const third = await over(key, await beginIndex(key, site));
    expect(third.items[0]!.version_id).toBe(first.items[0]!.version_id);
    const skill = await (await call("GET", `/api/v1/kinds/skills/${third.items[0]!.skill_id}`, { key })).json();
    expect(skill).toMatchObject({ status: { version_id: first.items[0]!.version_id } });
  });

  it("leaves a name alone that did not come from this source, and does not fetch it", async () => {
    const { id } = await publishOwn(key, { name: "mine", body: "Mine." });
    await site.index([{ name: "mine" }, { name: "Mine" }, { name: "fresh" }]);
    const done = await over(key, await beginIndex(key, site));
    expect(fates(done)).toEqual({ mine: "NAME_TAKEN", "Mine#2": "NAME_TWICE", fresh: "created" });
    expect(done.counts).toMatchObject({ refused: 1, failed: 1, created: 1 });
    expect(site.fetched).toEqual(["/.well-known/agent-skills/fresh.zip"]);
    const versions = await (await call("GET", `/api/v1/kinds/skills/${id}/versions`, { key })).json<{ items: [] }>();
    expect(versions.items).toHaveLength(1);
  });

  it("keeps skills that the source removed, and marks them until they return", async () => {
    await site.index([{ name: "stays" }, { name: "goes" }]);
    const first = await over(key, await beginIndex(key, site));
    await site.index([{ name: "stays" }]);
    const second = await over(key, await beginIndex(key, site));
    expect(second.counts).toMatchObject({ removed: 1, unchanged: 1 });
    expect((await reportOf(key, first.id, "?state=removed")).items).toMatchObject([
      { name: "goes", removed_at: expect.any(String), run: 1 },
    ]);
    expect(await own()).toEqual(["goes", "stays"]);
    await site.index([{ name: "stays" }, { name: "goes" }]);
    const third = await over(key, await beginIndex(key, site));
    expect(third.items.map(({ removed_at }) => removed_at)).toEqual([null, null]);
  });

  it("reports the reason for each skill that cannot be imported, and imports the others", async () => {
    const good = flatZip({ name: "lies" });
    await site.index(
      [{ name: "good" }, { name: "broken", files: { "SKILL.md": "no frontmatter" } }],
      [
        await entryOf("lies", flatZip({ name: "another" })),
        await entryOf("absent", good),
        await entryOf("elsewhere", good, { url: "https://cdn.elsewhere.dev/x.zip" }),
        await entryOf("odd", good, { type: "container" }),
        await entryOf("not a name", good),
        { name: "half" },
        17,
      ],
    );
    site.says("/.well-known/agent-skills/lies.zip", good);
    const done = await over(key, await beginIndex(key, site));
    expect(done.state).toBe("done");
    expect(fates(done)).toEqual({
      good: "created",
      broken: "PACKAGE_INVALID",
      lies: "DIGEST_MISMATCH",
      absent: "SOURCE_ABSENT",
      elsewhere: "SOURCE_OTHER_HOST",
      odd: "INDEX_TYPE",
      "not a name": "NAME_INVALID",
      half: "INDEX_ENTRY",
      "#9": "INDEX_ENTRY",
    });
  });

  it("accepts indexes of version 0.1, single files, and prefers the index below the path to that at the root", async () => {
    site.says("/team/.well-known/skills/index.json", { skills: [{ name: "old", files: ["SKILL.md", "refs/a b.md"] }] });
    site.says("/team/.well-known/skills/old/SKILL.md", "---\nname: old\ndescription: Old.\n---\n\nDo.\n");
    site.says("/team/.well-known/skills/old/refs/a%20b.md", "More.");
    const done = await over(key, await begin(key, { source: { type: "index", url: `${site.origin}/team/` } }));
    expect(fates(done)).toEqual({ old: "created" });
    const again = await over(key, await begin(key, { source: { type: "index", url: `${site.origin}/team/` } }));
    expect(fates(again)).toEqual({ old: "unchanged" });

    const text = new TextEncoder().encode("---\nname: single\ndescription: One file.\n---\n\nDo.\n");
    const entry = await entryOf("single", text, { type: "skill-md", url: "/single.md" });
    site.says("/.well-known/agent-skills/index.json", { $schema: SCHEMA, skills: [entry] });
    site.says("/single.md", text);
    expect(fates(await over(key, await beginIndex(key, site)))).toEqual({ single: "created" });
  });

  it("has nothing left in its object when it is done", async () => {
    await site.index([{ name: "tidy" }]);
    const { id } = await over(key, await beginIndex(key, site));
    const { runInDurableObject } = await import("cloudflare:test");
    await vi.waitFor(() =>
      runInDurableObject(env.IMPORTS.getByName(id), async (_, { storage }) => {
        expect([await storage.getAlarm(), (await storage.list()).size]).toEqual([null, 0]);
      }),
    );
  });
});
