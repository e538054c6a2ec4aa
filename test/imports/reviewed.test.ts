// Imports into a scope with required reviews: they submit what they would publish, and a reviewer decides.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { call } from "../support/call";
import { beginIndex, fates, over, Site } from "../support/import-source";
import { crewWith, decide, outcome, pushDraft, REVIEWS, skillIn } from "../support/reviews";

let site: Site;
let crew: Awaited<ReturnType<typeof crewWith>>;
beforeEach(async () => {
  crew = await crewWith("required");
  site = new Site();
  Site.open(site);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const run = async () => fates(await over(crew.mia, await beginIndex(crew.mia, site, { namespace: crew.group })));
const open = async (key: string) => {
  const answer = await call("GET", `${REVIEWS}?state=open&scope=group:${crew.group}`, { key });
  return (await answer.json<{ items: { id: string; name: string; state: string; author: string }[] }>()).items;
};

it("publish nothing themselves, and update what a reviewer has approved in the same way", async () => {
  await site.index([{ name: "imp-a" }, { name: "imp-b" }]);
  expect(await run()).toEqual({ "imp-a": "WAITS_FOR_REVIEW", "imp-b": "WAITS_FOR_REVIEW" });
  expect(await skillIn(crew.dev, crew.group, "imp-a")).toBeNull();
  const submitted = await open(crew.max);
  expect(submitted.map(({ name, author }) => [name, author]).toSorted()).toEqual([
    ["imp-a", crew.id("mia")],
    ["imp-b", crew.id("mia")],
  ]);
  const idOf = (name: string) => submitted.find((one) => one.name === name)?.id ?? "";
  // The member who started the import is the author.
  expect(await outcome(decide(crew.mia, idOf("imp-a"), "approve"))).toBe("403 OWN_REVIEW");
  expect(await outcome(decide(crew.max, idOf("imp-a"), "approve"))).toBe("200");
  expect(await outcome(decide(crew.max, idOf("imp-b"), "reject", { comment: "No." }))).toBe("200");
  const first = await skillIn(crew.dev, crew.group, "imp-a");
  expect(await run()).toEqual({ "imp-a": "unchanged", "imp-b": "REVIEW_REJECTED" });
  expect(await open(crew.max)).toEqual([]);

  await site.index([
    { name: "imp-a", body: "Changed." },
    { name: "imp-b", body: "Better." },
  ]);
  expect(await run()).toEqual({ "imp-a": "WAITS_FOR_REVIEW", "imp-b": "WAITS_FOR_REVIEW" });
  expect(await skillIn(crew.dev, crew.group, "imp-a")).toEqual(first);
  const again = await open(crew.max);
  const next = again.find(({ name }) => name === "imp-a")?.id ?? "";
  expect(await outcome(decide(crew.max, next, "approve"))).toBe("200");
  expect((await skillIn(crew.dev, crew.group, "imp-a"))?.versionId).not.toBe(first?.versionId);
});

it("keep a draft that their user is writing", async () => {
  await pushDraft(crew.mia, { name: "imp-own", body: "In progress." });
  await site.index([{ name: "imp-own" }]);
  expect(await run()).toEqual({ "imp-own": "DRAFT_EXISTS" });
  expect(await open(crew.max)).toEqual([]);
});
