// Ratings: who can rate a skill, the averages, answers, hiding, and what remains of an erased user.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn, publishPublic, talk } from "../../../support/chat-turns";
import { holdClockAtNoon, pass, releaseClock } from "../../../support/clock";
import { runCron, sendCounts } from "../../../support/skill-use";

const S = "/api/v1/kinds/skills";
beforeEach(holdClockAtNoon);
afterEach(releaseClock);

interface Listed {
  summary: { count: number; average: number | null; score: number };
  own: { id: string; stars: number; comment: string | null; hidden: object | null } | null;
  can_rate: boolean;
  cannot_rate_because: string | null;
  items: {
    id: string;
    stars: number;
    comment: string | null;
    answer: { text: string } | null;
    hidden: object | null;
  }[];
  next_cursor: string | null;
}

const ratingsOf = async (id: string, key?: string, query = ""): Promise<Listed> => {
  const answer = await call("GET", `${S}/${id}/ratings${query}`, key === undefined ? {} : { key });
  expect(answer.status).toBe(200);
  return answer.json();
};
const rate = (id: string, key: string, stars: number, comment: string | null = null) =>
  call("PUT", `${S}/${id}/ratings/own`, { key, json: { stars, comment } });
const codeOf = async (answer: Response) => [answer.status, (await answer.json<{ code: string }>()).code];
/** Inserts the fact that a user loaded a skill. */
const use = (user: string, id: string) =>
  env.DB.prepare("INSERT INTO skill_users (user_id, skill_id, day) VALUES (?, ?, ?)").bind(user, id, Date.now()).run();
async function rater(user: string, id: string): Promise<string> {
  await use(user, id);
  return keyFor(user);
}

describe("a rating", () => {
  it("is allowed once a conversation has reported that the user loaded the skill, for half a year", async () => {
    const { id } = await publishPublic({ name: "rated" });
    const key = await keyFor("rate-ada");
    expect(await ratingsOf(id, key)).toMatchObject({ can_rate: false, cannot_rate_because: "not_used", own: null });
    expect(await codeOf(await rate(id, key, 5))).toEqual([403, "SKILL_NOT_USED"]);
    const chat = await talk({ key });
    await chat.turn();
    await chat.load("rated");
    expect((await rate(id, key, 5)).status).toBe(403);
    await sendCounts(chat, "rate-ada");
    expect(await ratingsOf(id, key)).toMatchObject({ can_rate: true, cannot_rate_because: null });
    const rated = await rate(id, key, 4, "  Works.  ");
    expect([rated.status, await rated.json()]).toMatchObject([200, { stars: 4, comment: "Works.", is_own: true }]);
    pass(181 * 24 * 60 * 60_000);
    await runCron();
    expect(await codeOf(await rate(id, key, 5))).toEqual([403, "SKILL_NOT_USED"]);
    expect((await ratingsOf(id, key)).own?.stars).toBe(4);
  });

  it("does not follow from preloading, from another skill of the same name, or from other users", async () => {
    const { id } = await publishPublic({ name: "same-name" });
    const key = await keyFor("rate-bob");
    await publishOwn(key, { name: "same-name", body: "Mine." });
    const chat = await talk({ key });
    await chat.turn();
    await chat.load("same-name");
    await sendCounts(chat, "rate-bob");
    await use("rate-somebody", id);
    expect(await codeOf(await rate(id, key, 1))).toEqual([403, "SKILL_NOT_USED"]);
  });

  it("is refused for one's own skills and for skills that one published", async () => {
    const key = await keyFor("rate-maker", { role: "admin" });
    const answer = await call("GET", "/api/v1/me", { key });
    expect(answer.status).toBe(200);
    const own = await publishOwn(key, { name: "private-one" });
    await use("rate-maker", own.id);
    expect(await codeOf(await rate(own.id, key, 5))).toEqual([409, "OWN_SKILL"]);
    await call("POST", "/api/v1/groups", { json: { name: "rate-team" } });
    const dev = await keyFor("rate-dev", { groups: ["rate-team"] });
    const shared = await publishOwn(dev, { name: "team-one" }, "rate-team");
    await use("rate-dev", shared.id);
    expect(await codeOf(await rate(shared.id, dev, 5))).toEqual([409, "OWN_SKILL"]);
    expect(await codeOf(await rate(shared.id, await rater("rate-outside", shared.id), 1))).toEqual([
      404,
      "SKILL_NOT_FOUND",
    ]);
  });

  it("counts once per user, however many requests arrive at once", async () => {
    const { id } = await publishPublic({ name: "raced" });
    const key = await rater("rate-race", id);
    await Promise.all([1, 2, 3, 4, 5, 5, 4, 3].map((stars) => rate(id, key, stars)));
    const { summary, items } = await ratingsOf(id, key);
    expect([summary.count, items.length]).toEqual([1, 1]);
    expect(summary.average).toBe(items[0]?.stars);
  });

  it.each([0, 6, 2.5, "5", null, -1])("of %j stars is refused", async (stars) => {
    const { id } = await publishPublic({ name: "star-limits" });
    const answer = await call("PUT", `${S}/${id}/ratings/own`, { key: await keyFor("rate-stars"), json: { stars } });
    expect(answer.status).toBe(400);
  });

  it("stores a comment as it is written, up to its limit", async () => {
    const { id } = await publishPublic({ name: "commented" });
    const key = await rater("rate-comment", id);
    const text = '<script>alert(1)</script> \u202Eevil "quoted"';
    expect(await (await rate(id, key, 3, text)).json()).toMatchObject({ comment: text });
    expect(await (await rate(id, key, 3, " \n ")).json()).toMatchObject({ comment: null });
    expect((await rate(id, key, 3, "x".repeat(2_001))).status).toBe(400);
  });
});

describe("the averages", () => {
  it("follow each change of a rating: new, replaced, hidden, shown, deleted, erased with its user", async () => {
    const { id } = await publishPublic({ name: "averaged" });
    const [ada, bob, eve] = await Promise.all(["avg-ada", "avg-bob", "avg-eve"].map((user) => rater(user, id)));
    const sum = async () => Object.values((await ratingsOf(id)).summary);
    expect(await sum()).toEqual([0, null, 3.5]);
    await rate(id, ada!, 5);
    await rate(id, bob!, 2);
    // (5 × 3.5 + 7) / 7
    expect(await sum()).toEqual([2, 3.5, 3.5]);
    await rate(id, bob!, 4);
    expect(await sum()).toEqual([2, 4.5, 3.79]);
    await rate(id, eve!, 1);
    const worst = (await ratingsOf(id)).items.find(({ stars }) => stars === 1)!.id;
    const hide = (hidden: boolean) => call("PUT", `${S}/${id}/ratings/${worst}/hidden`, { json: { hidden } });
    await hide(true);
    expect(await sum()).toEqual([2, 4.5, 3.79]);
    await rate(id, eve!, 2);
    expect(await sum()).toEqual([2, 4.5, 3.79]);
    await hide(false);
    expect((await sum())[0]).toBe(3);
    expect((await call("DELETE", `${S}/${id}/ratings/own`, { key: eve! })).status).toBe(204);
    expect((await call("DELETE", `${S}/${id}/ratings/own`, { key: eve! })).status).toBe(404);
    await call("DELETE", "/api/v1/users/avg-ada");
    expect(await sum()).toEqual([1, 4, 3.58]);
  });

  it("are read from one row, and a page of 10,000 ratings from the index", async () => {
    const { id } = await publishPublic({ name: "popular" });
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO skill_ratings (skill_id, user_id, id, stars, version_id, updated_at) SELECT ?1, 'many-' || i, 'rtg_' || ?1 || i, 1 + i % 5, '', i FROM n`,
    )
      .bind(id)
      .run();
    const first = await ratingsOf(id, undefined, "?limit=2");
    expect(first.summary).toEqual({ count: 10_000, average: 3, score: 3 });
    const next = await ratingsOf(id, undefined, `?limit=2&cursor=${first.next_cursor}`);
    expect([...first.items, ...next.items].map((item) => item.id)).toEqual(
      [10_000, 9_999, 9_998, 9_997].map((i) => `rtg_${id}${i}`),
    );
    const { meta } = await env.DB.prepare("SELECT * FROM skill_rating_sums WHERE skill_id = ?").bind(id).run();
    expect(meta.rows_read).toBe(1);
  });
});

describe("moderation of ratings", () => {
  it("hides a rating from everybody except its user and admins, also after it is changed or deleted", async () => {
    const { id } = await publishPublic({ name: "moderated" });
    const [ada, bob] = await Promise.all(["mod-ada", "mod-bob"].map((user) => rater(user, id)));
    await rate(id, ada!, 1, "Buy pills.");
    const rating = (await ratingsOf(id)).items[0]!.id;
    const path = `${S}/${id}/ratings/${rating}`;
    expect((await call("PUT", `${path}/hidden`, { key: bob!, json: { hidden: true } })).status).toBe(403);
    const hidden = await call("PUT", `${path}/hidden`, { json: { hidden: true, reason: "Spam." } });
    expect(await hidden.json()).toMatchObject({ hidden: { reason: "Spam." } });
    expect(await ratingsOf(id, bob!)).toMatchObject({ summary: { count: 0 }, items: [] });
    const own = await ratingsOf(id, ada!);
    expect([own.items, own.own?.hidden]).toMatchObject([[], { reason: "Spam." }]);
    expect((await ratingsOf(id)).items).toMatchObject([{ comment: "Buy pills." }]);
    await rate(id, ada!, 5, "Buy more pills.");
    expect((await ratingsOf(id, bob!)).items).toEqual([]);
    expect((await call("DELETE", `${S}/${id}/ratings/own`, { key: ada! })).status).toBe(204);
    await rate(id, ada!, 5, "Pills again.");
    expect((await ratingsOf(id, bob!)).items).toEqual([]);
    for (const key of [bob!])
      expect(await codeOf(await call("PUT", `${path}/answer`, { key, json: { text: "x" } }))).toEqual([
        403,
        "ADMIN_ONLY",
      ]);
    const log = await (await call("GET", `/api/v1/audit?resource_id=${rating}`)).json<{ items: object[] }>();
    expect(log.items).toMatchObject([{ action: "rating.hide", after: { skill_id: id, reason: "Spam." } }]);
  });

  it("lets authors answer, and remove the answer", async () => {
    const { id } = await publishPublic({ name: "answered" });
    await rate(id, await rater("ans-ada", id), 2, "Slow.");
    const rating = (await ratingsOf(id)).items[0]!.id;
    const answer = (text: string | null) => call("PUT", `${S}/${id}/ratings/${rating}/answer`, { json: { text } });
    expect(await (await answer("Faster now.")).json()).toMatchObject({ answer: { text: "Faster now." } });
    expect((await ratingsOf(id, await keyFor("ans-bob"))).items).toMatchObject([{ answer: { text: "Faster now." } }]);
    expect(await (await answer(null)).json()).toMatchObject({ answer: null });
    const missing = await call("PUT", `${S}/${id}/ratings/rtg_none/answer`, { json: { text: "x" } });
    expect(await codeOf(missing)).toEqual([404, "RATING_NOT_FOUND"]);
    const other = await publishPublic({ name: "answered-other" });
    const crossed = await call("PUT", `${S}/${other.id}/ratings/${rating}/hidden`, { json: { hidden: true } });
    expect(crossed.status).toBe(404);
  });
});

describe("a user's ratings", () => {
  it("are exported, and erased without a trace", async () => {
    const { id } = await publishPublic({ name: "exported" });
    const key = await rater("exp-ada", id);
    await rate(id, key, 4, "Planted words.");
    await call("POST", `${S}/${id}/reports`, { key, json: { reason: "other", message: "Planted report." } });
    const data = await (await call("GET", "/api/v1/users/exp-ada/export", { key })).json();
    expect(data).toMatchObject({
      ratings: [{ skill_id: id, stars: 4, comment: "Planted words." }],
      reports: [{ skill_id: id, message: "Planted report." }],
      used_skills: [{ skill_id: id }],
    });
    expect((await call("DELETE", "/api/v1/users/exp-ada", { key })).status).toBe(200);
    for (const table of ["skill_ratings", "skill_reports", "skill_users"]) {
      const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE user_id = 'exp-ada'`).all();
      expect([table, results]).toEqual([table, []]);
    }
  });
});
