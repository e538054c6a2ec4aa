// Reports of abuse: users write them within limits, and admins decide each once.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { RATING_LIMITS } from "../../../../src/domain/limits";
import { call, keyFor } from "../../../support/call";
import { publishPublic } from "../../../support/chat-turns";

const S = "/api/v1/kinds/skills";
interface Report {
  id: string;
  skill_name: string;
  rating: { id: string; comment: string | null } | null;
  decision: object | null;
}
const report = (id: string, key: string, more: object = {}) =>
  call("POST", `${S}/${id}/reports`, { key, json: { reason: "malicious", message: "It steals.", ...more } });
const list = async (state: string, query = "") =>
  (await call("GET", `/api/v1/reports?state=${state}${query}`)).json<{ items: Report[]; next_cursor: string | null }>();
const decide = (id: string, json: object) => call("PUT", `/api/v1/reports/${id}/decision`, { json });
const codeOf = async (answer: Response) => [answer.status, (await answer.json<{ code: string }>()).code];

describe("a report", () => {
  it("waits for an admin, who decides it once, and the log has the decision", async () => {
    const { id } = await publishPublic({ name: "reported" });
    const key = await keyFor("rep-ada");
    const made = await (await report(id, key)).json<{ id: string }>();
    expect(await codeOf(await report(id, key))).toEqual([409, "ALREADY_REPORTED"]);
    const open = await list("open");
    expect(open.items.find((one) => one.id === made.id)).toMatchObject({
      ...{ skill_id: id, skill_name: "reported", namespace: "public", rating: null, user_id: "rep-ada" },
      ...{ reason: "malicious", message: "It steals.", decision: null },
    });
    const answers = await Promise.all([
      decide(made.id, { decision: "dismissed", note: "It does not." }),
      decide(made.id, { decision: "resolved" }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const log = await (await call("GET", `/api/v1/audit?resource_id=${made.id}`)).json<{ items: object[] }>();
    expect(log.items).toMatchObject([{ action: "report.decide", after: { skill_id: id } }]);
    expect((await list("open")).items.map((one) => one.id)).not.toContain(made.id);
    expect((await list("decided")).items[0]).toMatchObject({ id: made.id, decision: { decided_by: "admin" } });
    expect((await report(id, key)).status).toBe(201);
  });

  it("about a rating can hide it", async () => {
    const { id } = await publishPublic({ name: "reported-rating" });
    const rating = `rtg_${id}`;
    await env.DB.prepare(
      "INSERT INTO skill_ratings (skill_id, user_id, id, stars, comment, version_id) VALUES (?, 'rep-rater', ?, 1, 'Insult.', '')",
    )
      .bind(id, rating)
      .run();
    const key = await keyFor("rep-bob");
    const { id: about } = await (await report(id, key, { reason: "spam", rating_id: rating })).json<{ id: string }>();
    expect((await list("open")).items.at(-1)).toMatchObject({ id: about, rating: { id: rating, comment: "Insult." } });
    expect((await decide(about, { decision: "rating_hidden", note: "Insult." })).status).toBe(200);
    const seen = await (await call("GET", `${S}/${id}/ratings`, { key })).json<{ items: object[] }>();
    expect(seen.items).toEqual([]);
    // It cannot be reported again by users who do not see it.
    expect(await codeOf(await report(id, key, { rating_id: rating }))).toEqual([404, "RATING_NOT_FOUND"]);
    const { id: other } = await (await report(id, key)).json<{ id: string }>();
    expect((await decide(other, { decision: "rating_hidden" })).status).toBe(400);
  });

  it("is limited per user, also at once, and for skills that the user can see", async () => {
    const key = await keyFor("rep-many");
    const skills = await Promise.all(
      Array.from({ length: RATING_LIMITS.openReports + 2 }, (_, n) => publishPublic({ name: `reported-${n}` })),
    );
    const answers = await Promise.all(skills.map(({ id }) => report(id, key)));
    expect(answers.filter(({ status }) => status === 201).length).toBe(RATING_LIMITS.openReports);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => [409, "TOO_MANY_REPORTS"]));
    expect(await codeOf(await report("skl_none", key))).toEqual([404, "SKILL_NOT_FOUND"]);
    const pages = await list("open", "&limit=5");
    const next = await list("open", `&limit=5&cursor=${pages.next_cursor}`);
    expect(new Set([...pages.items, ...next.items].map((one) => one.id)).size).toBe(10);
  });
});
