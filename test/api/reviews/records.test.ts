// What stays of reviews: webhooks, the audit log, export and erasure, clean-up, and limits.

import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { scheduled } from "../../../src/cron";
import { REVIEW_LIMITS } from "../../../src/domain/limits";
import { call, keyFor } from "../../support/call";
import {
  crewWith,
  decide,
  outcome,
  pushDraft,
  REVIEWS,
  readReview,
  SKILLS,
  skillIn,
  submit,
  submitted,
} from "../../support/reviews";
import { forget, scripted, seen } from "../../support/upstream";

let crew: Awaited<ReturnType<typeof crewWith>>;
const to = () => ({ namespace: crew.group });
beforeAll(async () => {
  crew = await crewWith("required");
});

const comment = (key: string, id: string, text: string) =>
  call("POST", `${REVIEWS}/${id}/comments`, { key, json: { comment: text } });
const rows = async (sql: string, ...values: string[]) =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results;

describe("webhooks and the log", () => {
  it("have each step, once, and webhooks name no user", async () => {
    await forget();
    const scope = { scope: "group", group_name: crew.group };
    const url = await scripted("review-hook", { POST: { status: 204 } });
    await call("PUT", "/api/v1/webhooks/reviews", { key: crew.mia, json: { ...scope, url } });
    const made = await submitted(crew.dev, { name: "heard", body: "One." }, to());
    await decide(crew.mia, made.id, "request_changes", { comment: "More." });
    await pushDraft(crew.dev, { name: "heard", body: "Two." });
    await comment(crew.max, made.id, "Fine.");
    await decide(crew.max, made.id, "approve");
    const posts = async () => (await seen("/scripted/review-hook")).filter(({ http }) => http === "POST");
    await expect.poll(posts).toHaveLength(5);
    const messages = (await posts()).map(({ body }) => JSON.parse(String(body)));
    expect(messages.map(({ type, data }) => `${type} ${data.state ?? ""}`.trim()).toSorted()).toEqual([
      "review.decided approved",
      "review.decided changes_requested",
      "review.requested pending",
      "review.requested pending",
      "skill.published",
    ]);
    expect(JSON.stringify(messages)).not.toContain(crew.id("dev"));
    const log = await call("GET", `/api/v1/audit?resource_type=review&resource_id=${made.id}`);
    const { items } = await log.json<{ items: { action: string }[] }>();
    expect(items.map(({ action }) => action)).toEqual([
      "review.approve",
      "review.comment",
      "review.change",
      "review.request_changes",
      "review.submit",
    ]);
  });

  it("have nothing of a decision that was refused", async () => {
    const made = await submitted(crew.mia, { name: "unheard" }, to());
    await decide(crew.mia, made.id, "approve");
    const stale = { decision: "reject", zip_sha256: "0".repeat(64), comment: "No." };
    await call("POST", `${REVIEWS}/${made.id}/decision`, { key: crew.max, json: stale });
    const log = await call("GET", `/api/v1/audit?resource_id=${made.id}`);
    const { items } = await log.json<{ items: { action: string }[] }>();
    expect(items.map(({ action }) => action)).toEqual(["review.submit"]);
  });
});

describe("a user's reviews", () => {
  it("are exported, and erased: submissions whole, decisions without words and name", async () => {
    const other = await crewWith("required");
    const mine = await submitted(other.dev, { name: "e-mine" }, { namespace: other.group });
    const done = await submitted(other.dev, { name: "e-done" }, { namespace: other.group });
    await decide(other.mia, done.id, "approve", { comment: "planted-words of mia" });
    const theirs = await submitted(other.max, { name: "e-theirs" }, { namespace: other.group });
    await comment(other.mia, theirs.id, "planted-words again");
    const exported = await call("GET", `/api/v1/users/${other.id("mia")}/export`);
    expect(await exported.json()).toMatchObject({
      reviews: [],
      review_events: [{ comment: "planted-words of mia" }, { comment: "planted-words again" }],
    });
    const ofDev = await (await call("GET", `/api/v1/users/${other.id("dev")}/export`)).json<{ reviews: object[] }>();
    expect(ofDev.reviews).toHaveLength(2);
    expect(ofDev.reviews).toContainEqual(expect.objectContaining({ id: mine.id, state: "pending" }));
    expect(ofDev.reviews).toContainEqual(expect.objectContaining({ id: done.id, state: "approved" }));
    for (const name of ["mia", "dev"]) {
      const erased = await call("DELETE", `/api/v1/users/${other.id(name)}`);
      expect(await erased.json()).toMatchObject({ complete: true });
    }
    for (const table of ["reviews", "review_events", "version_reviews", "audit"]) {
      const text = JSON.stringify(await rows(`SELECT * FROM ${table}`));
      for (const word of ["planted-words", other.id("mia"), other.id("dev")]) expect(text, table).not.toContain(word);
    }
    expect((await readReview(other.max, theirs.id)).events.map(({ type }) => type)).toEqual(["submitted", "commented"]);
    // The version stays, and so does the fact that it was reviewed.
    const skill = await skillIn(other.max, other.group, "e-done");
    const versions = await call("GET", `${SKILLS}/${skill?.id}/versions`, { key: other.max });
    expect(await versions.json()).toMatchObject({ items: [{ review: { id: done.id, reviewers: 1 } }] });
  });

  it("go with their group", async () => {
    const other = await crewWith("optional");
    const made = await submitted(other.dev, { name: "orphan" }, { namespace: other.group });
    expect((await call("DELETE", `/api/v1/groups/${other.group}`, { key: other.owner })).status).toBe(204);
    expect(await outcome(call("GET", `${REVIEWS}/${made.id}`, { key: other.dev }))).toBe("404 REVIEW_NOT_FOUND");
  });
});

describe("limits", () => {
  it("end comments, and decisions still work", async () => {
    const made = await submitted(crew.dev, { name: "chatty" }, to());
    const insert = env.DB.prepare(
      "INSERT INTO review_events (id, review_id, user_id, type, comment, zip_sha256) VALUES (?, ?, 'x', 'commented', 'x', 'x')",
    );
    await env.DB.batch(Array.from({ length: REVIEW_LIMITS.events - 2 }, (_, n) => insert.bind(`rve_00${n}`, made.id)));
    expect(await outcome(comment(crew.dev, made.id, "Last."))).toBe("201");
    expect(await outcome(comment(crew.dev, made.id, "Too many."))).toBe("409 QUOTA_EXCEEDED");
    expect(await outcome(comment(crew.dev, made.id, "x".repeat(4_001)))).toBe("400 INVALID_REQUEST");
    await pushDraft(crew.dev, { name: "chatty", body: "Again." });
    const now = await readReview(crew.mia, made.id);
    expect([now.state, now.events.length]).toEqual(["pending", REVIEW_LIMITS.events]);
    expect(await outcome(decide(crew.mia, made.id, "approve"))).toBe("200");
    expect((await readReview(crew.dev, made.id)).events.at(-1)?.type).toBe("approved");
  });

  it("end open submissions of one user", async () => {
    const eve = await keyFor("eve-many");
    await env.DB.batch(
      Array.from({ length: REVIEW_LIMITS.open }, (_, n) =>
        env.DB.prepare(
          "INSERT INTO reviews (id, scope, name, draft_id, user_id, state, version_id, zip_sha256) VALUES (?, 'public', 'x', ?, 'eve-many', 'pending', 'x', 'x')",
        ).bind(`rev_0${n}`, `skl_0${n}`),
      ),
    );
    await pushDraft(eve, { name: "one-more" });
    expect(await outcome(submit(eve, "one-more", { public: true }))).toBe("409 QUOTA_EXCEEDED");
    await env.DB.prepare("DELETE FROM reviews WHERE user_id = 'eve-many'").run();
  });
});

describe("clean-up", () => {
  it("withdraws submissions of expired drafts, and deletes old closed ones", async () => {
    const made = await submitted(crew.dev, { name: "expires" }, to());
    const old = await submitted(crew.dev, { name: "old" }, to());
    await decide(crew.mia, old.id, "reject", { comment: "No." });
    const open = await submitted(crew.dev, { name: "open" }, to());
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE drafts SET expires_at = 1 WHERE skill_id IN (SELECT draft_id FROM reviews WHERE id = ?)",
      ).bind(made.id),
      env.DB.prepare("UPDATE reviews SET updated_at = 1 WHERE id IN (?, ?)").bind(old.id, open.id),
    ]);
    await scheduled(createScheduledController({ cron: "0 * * * *" }), env);
    expect((await readReview(crew.dev, made.id)).state).toBe("withdrawn");
    expect(await outcome(call("GET", `${REVIEWS}/${old.id}`, { key: crew.dev }))).toBe("404 REVIEW_NOT_FOUND");
    expect((await readReview(crew.dev, open.id)).state).toBe("pending");
    const [event] = await rows("SELECT count(*) AS n FROM review_events WHERE review_id = ?", old.id);
    expect(event?.n).toBe(0);
  });

  it("keeps a draft as long as its submission is discussed", async () => {
    const made = await submitted(crew.dev, { name: "discussed" }, to());
    const expiry = "SELECT expires_at AS at FROM drafts WHERE skill_id = (SELECT draft_id FROM reviews WHERE id = ?)";
    await env.DB.prepare(
      "UPDATE drafts SET expires_at = expires_at - 1000000 WHERE skill_id = (SELECT draft_id FROM reviews WHERE id = ?)",
    )
      .bind(made.id)
      .run();
    const [before] = await rows(expiry, made.id);
    await comment(crew.mia, made.id, "Wait.");
    const [after] = await rows(expiry, made.id);
    expect(Number(after?.at)).toBeGreaterThan(Number(before?.at));
  });
});
