// Approvals at the same time as other changes: exactly one wins, and nothing but the reviewed content is published.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { decideReview } from "../../../src/services/review/decide";
import { call } from "../../support/call";
import { contextOf } from "../../support/context";
import {
  crewWith,
  decide,
  outcome,
  pushDraft,
  REVIEWS,
  readReview,
  SKILLS,
  skillIn,
  submitted,
} from "../../support/reviews";
import { form, skillZip } from "../../support/skill";

let crew: Awaited<ReturnType<typeof crewWith>>;
const to = () => ({ namespace: crew.group });
beforeAll(async () => {
  crew = await crewWith("optional");
});

const count = async (sql: string, ...values: string[]) =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .first<{ n: number }>()
  )?.n;

describe("an approval", () => {
  it("of two reviewers at once happens once", async () => {
    const made = await submitted(crew.dev, { name: "twice" }, to());
    const body = { decision: "approve", zip_sha256: made.zip_sha256, base_version_id: null };
    const both = await Promise.all(
      [crew.mia, crew.max].map((key) => outcome(call("POST", `${REVIEWS}/${made.id}/decision`, { key, json: body }))),
    );
    expect(both.toSorted()).toEqual(["200", "409 REVIEW_CLOSED"]);
    expect(
      await count("SELECT count(*) AS n FROM review_events WHERE review_id = ? AND type = 'approved'", made.id),
    ).toBe(1);
    expect(await count("SELECT count(*) AS n FROM version_reviews WHERE review_id = ?", made.id)).toBe(1);
    expect(
      await count("SELECT count(*) AS n FROM audit WHERE action = 'review.approve' AND resource_id = ?", made.id),
    ).toBe(1);
  });

  it("and a rejection at once: one of them", async () => {
    const made = await submitted(crew.dev, { name: "either" }, to());
    const ask = (key: string, json: object) => outcome(call("POST", `${REVIEWS}/${made.id}/decision`, { key, json }));
    const { zip_sha256 } = made;
    const both = await Promise.all([
      ask(crew.mia, { decision: "approve", zip_sha256, base_version_id: null }),
      ask(crew.max, { decision: "reject", zip_sha256, comment: "No." }),
    ]);
    expect(both.toSorted()).toEqual(["200", "409 REVIEW_CLOSED"]);
    const { state } = await readReview(crew.dev, made.id);
    expect((await skillIn(crew.dev, crew.group, "either")) !== null).toBe(state === "approved");
  });

  it("while the author pushes publishes the reviewed bytes or nothing", async () => {
    for (let round = 0; round < 4; round++) {
      const name = `swap-${round}`;
      const made = await submitted(crew.dev, { name, body: "Good." }, to());
      const body = { decision: "approve", zip_sha256: made.zip_sha256, base_version_id: null };
      const [decided] = await Promise.all([
        outcome(call("POST", `${REVIEWS}/${made.id}/decision`, { key: crew.mia, json: body })),
        pushDraft(crew.dev, { name, body: "Evil." }),
      ]);
      const skill = await skillIn(crew.dev, crew.group, name);
      expect(["200", "409 REVIEW_CHANGED"]).toContain(decided);
      expect(skill !== null).toBe(decided === "200");
      if (skill === null) continue;
      const versions = await call("GET", `${SKILLS}/${skill.id}/versions`, { key: crew.dev });
      expect(await versions.json()).toMatchObject({ items: [{ fileHash: made.zip_sha256 }] });
    }
  });

  it("is refused if the author pushes after the reviewed bytes were read", async () => {
    const name = "swapped-late";
    const made = await submitted(crew.dev, { name, body: "Good." }, to());
    const principal = { groups: [{ group: crew.group, role: "Maintainer" as const }] };
    const context = contextOf(crew.id("mia"), { principal });
    /** The author pushes between the read of the bytes and the batch. */
    const get = async (key: string) => {
      const bytes = await (await env.PACKAGES.get(key))?.bytes();
      await pushDraft(crew.dev, { name, body: "Evil." });
      return { bytes: async () => bytes };
    };
    const packages = new Proxy(env.PACKAGES, {
      get: (bucket, property) => (property === "get" ? get : Reflect.get(bucket, property).bind(bucket)),
    });
    const asked = {
      decision: "approve",
      zipSha256: made.zip_sha256,
      baseId: null,
      comment: null,
      isBypass: false,
    } as const;
    await expect(decideReview({ ...context, packages }, made.id, asked)).rejects.toMatchObject({
      reason: "REVIEW_CHANGED",
    });
    expect(await skillIn(crew.dev, crew.group, name)).toBeNull();
    expect((await readReview(crew.dev, made.id)).state).toBe("pending");
  });

  it("is void if another version became current after the reviewer read it", async () => {
    const made = await submitted(crew.dev, { name: "based", body: "Mine." }, to());
    const body = { decision: "approve", zip_sha256: made.zip_sha256, base_version_id: null };
    await call("POST", `${SKILLS}/upload`, {
      key: crew.owner,
      body: form(skillZip({ name: "based", body: "Theirs." }), { namespace: crew.group }),
    });
    const current = await skillIn(crew.dev, crew.group, "based");
    const refused = await call("POST", `${REVIEWS}/${made.id}/decision`, { key: crew.mia, json: body });
    expect(await refused.json()).toMatchObject({ code: "REVIEW_BASE_CHANGED", base_version_id: current?.versionId });
    expect(await outcome(decide(crew.mia, made.id, "approve"))).toBe("200");
  });

  it("at the same time as an upload never replaces a version that the reviewer has not seen", async () => {
    for (let round = 0; round < 4; round++) {
      const name = `beside-${round}`;
      const made = await submitted(crew.dev, { name, body: "Mine." }, to());
      const body = { decision: "approve", zip_sha256: made.zip_sha256, base_version_id: null };
      const upload = form(skillZip({ name, body: "Theirs." }), { namespace: crew.group });
      const [decided, uploaded] = await Promise.all([
        outcome(call("POST", `${REVIEWS}/${made.id}/decision`, { key: crew.mia, json: body })),
        call("POST", `${SKILLS}/upload`, { key: crew.owner, body: upload }),
      ]);
      expect(uploaded.status).toBe(201);
      const skill = await skillIn(crew.dev, crew.group, name);
      const versions = await call("GET", `${SKILLS}/${skill?.id}/versions`, { key: crew.dev });
      const { items } = await versions.json<{ items: { fileHash: string; is_current: boolean }[] }>();
      // Either the approval came first and the upload followed, or the approval is refused.
      expect(items.find(({ is_current }) => is_current)?.fileHash).not.toBe(made.zip_sha256);
      expect(items).toHaveLength(decided === "200" ? 2 : 1);
      expect(["200", "409 REVIEW_BASE_CHANGED"]).toContain(decided);
    }
  });
});
