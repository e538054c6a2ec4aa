// Recorded test results on a submission: which ones, compared with what, and who sees them.

import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { call } from "../../support/call";
import { crewWith, decide, readReview, SKILLS, skillIn, submitted } from "../../support/reviews";

let crew: Awaited<ReturnType<typeof crewWith>>;
const to = () => ({ namespace: crew.group });
const text = (version: string) => ({ name: "tides", version, body: `Text of ${version}.` });

beforeAll(async () => {
  crew = await crewWith("required");
});

/** Submits a version and has it approved. Returns the skill's id. */
async function approved(version: string): Promise<string> {
  const { id } = await submitted(crew.dev, text(version), to());
  expect((await decide(crew.mia, id, "approve")).status).toBe(200);
  return (await skillIn(crew.dev, crew.group, "tides"))?.id ?? "";
}

async function record(skillId: string, content: object, results: Record<string, boolean>): Promise<void> {
  const cases = Object.entries(results).map(([name, passed]) =>
    passed ? { name, passed } : { name, passed, reason: `${name} did not load` },
  );
  const json = { ...content, runner: "skillgate test", cases };
  expect((await call("POST", `${SKILLS}/${skillId}/evals`, { key: crew.mia, json })).status).toBe(201);
}

it("shows reviewers the newest results of exactly the submitted content, and which cases passed before", async () => {
  const skillId = await approved("1.0.0");
  const current = (await skillIn(crew.dev, crew.group, "tides"))?.versionId;
  await record(skillId, { version_id: current }, { "loads at high tide": true, "loads at low tide": true });
  const next = await submitted(crew.dev, text("2.0.0"), to());
  // Results of other content do not count.
  expect((await readReview(crew.mia, next.id)).test_results).toBeNull();
  const digest = await env.DB.prepare("SELECT digest FROM versions WHERE zip_sha256 = ?")
    .bind(next.zip_sha256)
    .first<string>("digest");
  await record(
    skillId,
    { digest },
    { "loads at high tide": false, "loads at low tide": false, "loads at noon": false },
  );
  await record(skillId, { digest }, { "loads at high tide": true, "loads at low tide": false, "loads at noon": false });
  const seen = await readReview(crew.mia, next.id);
  expect(seen.test_results).toEqual({
    recorded_by: crew.id("mia"),
    recorded_at: expect.stringMatching(/^\d{4}-/),
    ...{ runner: "skillgate test", model: null, passed: 1, failed: 2 },
    failing: ["loads at low tide", "loads at noon"].map((name) => ({ name, reason: `${name} did not load` })),
    regressions: { version_id: current, version: "1.0.0", cases: ["loads at low tide"] },
  });
  // The author is no reviewer of the group, and does not see its figures.
  expect((await readReview(crew.dev, next.id)).test_results).toBeNull();
  // The decision is explained by the same results later.
  expect((await decide(crew.mia, next.id, "approve")).status).toBe(200);
  expect((await readReview(crew.max, next.id)).test_results).toEqual(seen.test_results);
});

it("shows nothing for a new skill, which has no earlier version", async () => {
  const made = await submitted(crew.dev, { name: "reefs", body: "One." }, to());
  expect((await readReview(crew.mia, made.id)).test_results).toBeNull();
});
