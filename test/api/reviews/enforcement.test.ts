// Where reviews are required, nothing unreviewed becomes a version or becomes current, by any route and with any key.

import { beforeAll, describe, expect, it } from "vitest";
import { askWith } from "../../support/app";
import { ADMIN_KEY, call, keyFor } from "../../support/call";
import { only, serve } from "../../support/offered-skills";
import { crewWith, decide, outcome, pushDraft, SKILLS, skillIn, submitted } from "../../support/reviews";
import { form, skillZip } from "../../support/skill";
import { BETA, filesForm } from "../../support/vendor-skills";

let crew: Awaited<ReturnType<typeof crewWith>>;
const to = () => ({ namespace: crew.group });
const file = (name: string, body = "Do it.") => form(skillZip({ name, body }), { namespace: crew.group });
const REQUIRED = "403 REVIEW_REQUIRED";

beforeAll(async () => {
  crew = await crewWith("required");
});

/** Publishes a version through a review. */
async function reviewed(name: string, body: string): Promise<{ id: string; versionId: string }> {
  const made = await submitted(crew.dev, { name, body }, to());
  expect(await outcome(decide(crew.mia, made.id, "approve"))).toBe("200");
  const skill = await skillIn(crew.dev, crew.group, name);
  if (skill === null) throw new Error("not published");
  return skill;
}

const policy = (review: string) =>
  call("PUT", `/api/v1/groups/${crew.group}`, { key: crew.owner, json: { display_name: null, review } });

/** Publishes a version without a review, as before reviews were required. */
async function unreviewed(name: string, body: string): Promise<string> {
  await policy("optional");
  const answer = await call("POST", `${SKILLS}/upload`, { key: crew.owner, body: file(name, body) });
  await policy("required");
  return (await answer.json<{ status: { version_id: string } }>()).status.version_id;
}

describe("with a required review, a group's skill", () => {
  it("is published by no upload, share or draft, and with no role", async () => {
    for (const key of [crew.dev, crew.mia, crew.owner])
      expect(await outcome(call("POST", `${SKILLS}/upload`, { key, body: file("up") }))).toBe(REQUIRED);
    const skill = await reviewed("old", "One.");
    const replaced = call("PUT", `${SKILLS}/${skill.id}`, { key: crew.owner, body: form(skillZip({ name: "old" })) });
    expect(await outcome(replaced)).toBe(REQUIRED);
    const own = await call("POST", `${SKILLS}/upload`, { key: crew.owner, body: form(skillZip({ name: "shared" })) });
    const { metadata } = await own.json<{ metadata: { labels: { id: string } } }>();
    const shared = call("POST", `${SKILLS}/${metadata.labels.id}/share`, {
      key: crew.owner,
      json: { group_name: crew.group },
    });
    expect(await outcome(shared)).toBe(REQUIRED);
    await call("PUT", `${SKILLS}/drafts/direct`, { key: crew.owner, body: file("direct") });
    expect(await outcome(call("POST", `${SKILLS}/drafts/direct/promote`, { key: crew.owner }))).toBe(REQUIRED);
    for (const name of ["up", "shared", "direct"]) expect(await skillIn(crew.dev, crew.group, name)).toBeNull();
    expect((await skillIn(crew.dev, crew.group, "old"))?.versionId).toBe(skill.versionId);
  });

  it("is published by no API of a vendor", async () => {
    const base = `/s/group/${crew.group}`;
    for (const vendor of ["openai", "anthropic"]) {
      const body = filesForm({ name: `v-${vendor}` });
      const headers = vendor === "anthropic" ? BETA : {};
      const answer = await call("POST", `${base}/${vendor}/v1/skills`, { key: crew.owner, body, headers });
      expect([vendor, answer.status]).toEqual([vendor, 403]);
      expect(await answer.text()).toContain("published after a review");
      expect(await skillIn(crew.dev, crew.group, `v-${vendor}`)).toBeNull();
    }
  });

  it("goes on with content that is published already", async () => {
    const skill = await reviewed("equal", "Same.");
    const again = await call("POST", `${SKILLS}/upload`, { key: crew.dev, body: file("equal", "Same.") });
    expect(again.status).toBe(200);
    expect((await skillIn(crew.dev, crew.group, "equal"))?.versionId).toBe(skill.versionId);
  });

  it("does not go back to a version without a review", async () => {
    const before = await unreviewed("back", "Zero.");
    const first = await reviewed("back", "One.");
    const second = await reviewed("back", "Two.");
    const activate = (version: string) =>
      outcome(call("POST", `${SKILLS}/${first.id}/versions/${version}/activate`, { key: crew.owner }));
    expect(await activate(before)).toBe(REQUIRED);
    expect(await activate(first.versionId)).toBe("200");
    expect(await activate(second.versionId)).toBe("200");
  });

  it("is rolled out to no conversation without a review", async () => {
    const before = await unreviewed("rolled", "Zero.");
    const first = await reviewed("rolled", "One.");
    await reviewed("rolled", "Two.");
    const rollOut = (candidate: string) =>
      outcome(call("PUT", `${SKILLS}/${first.id}/rollout`, { key: crew.owner, json: { candidate, percent: 10 } }));
    expect(await rollOut(before)).toBe(REQUIRED);
    expect((await call("GET", `${SKILLS}/${first.id}/rollout`, { key: crew.owner })).status).toBe(404);
    expect(await rollOut(first.versionId)).toBe("200");
  });

  it("never falls back to a version without a review when versions are yanked", async () => {
    const before = await unreviewed("yanked", "Zero.");
    const first = await reviewed("yanked", "One.");
    const change = (version: string, how: string) =>
      call("POST", `${SKILLS}/${first.id}/versions/${version}/${how}`, { key: crew.owner });
    expect((await change(first.versionId, "yank")).status).toBe(200);
    expect(await skillIn(crew.dev, crew.group, "yanked")).toBeNull();
    await change(before, "yank");
    await change(before, "unyank");
    expect(await skillIn(crew.dev, crew.group, "yanked")).toBeNull();
    await change(first.versionId, "unyank");
    expect((await skillIn(crew.dev, crew.group, "yanked"))?.versionId).toBe(first.versionId);
  });

  it("activates an existing version if its content is reviewed later", async () => {
    const before = await unreviewed("later", "Zero.");
    const first = await reviewed("later", "One.");
    const made = await submitted(crew.dev, { name: "later", body: "Zero." }, to());
    expect(await outcome(decide(crew.mia, made.id, "approve"))).toBe("200");
    expect((await skillIn(crew.dev, crew.group, "later"))?.versionId).toBe(before);
    const activate = call("POST", `${SKILLS}/${first.id}/versions/${before}/activate`, { key: crew.owner });
    expect(await outcome(activate)).toBe("200");
  });
});

describe("the policy", () => {
  it("is set by Owners of the group, and bound by the operator", async () => {
    const set = (key: string, review: unknown) =>
      outcome(call("PUT", `/api/v1/groups/${crew.group}`, { key, json: { display_name: null, review } }));
    expect(await set(crew.mia, "off")).toBe("403 ROLE_TOO_LOW");
    expect(await set(crew.owner, "sometimes")).toBe("400 INVALID_REQUEST");
    await policy("off");
    await pushDraft(crew.dev, { name: "offered" });
    const submitting = call("POST", "/api/v1/reviews", { key: crew.dev, json: { draft: "offered", ...to() } });
    expect(await outcome(submitting)).toBe("403 REVIEW_OFF");
    const bound = await askWith({ REVIEW_GROUPS: "required" }, `${SKILLS}/upload`, {
      method: "POST",
      headers: { authorization: `Bearer ${crew.owner}` },
      body: file("bound"),
    });
    expect(await outcome(bound)).toBe(REQUIRED);
    await policy("required");
  });
});

describe("with REVIEW=required, a public skill", () => {
  const ask = (method: string, path: string, body: BodyInit | null = null, key = ADMIN_KEY) =>
    askWith({ REVIEW: "required" }, path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
      },
      ...(body === null ? {} : { body }),
    });

  it("is published by nobody directly, not even with the operator's key", async () => {
    const upload = (name: string) => form(skillZip({ name }));
    expect(await outcome(ask("POST", `${SKILLS}/public`, upload("pub-a")))).toBe(REQUIRED);
    expect(await outcome(ask("POST", `${SKILLS}/public/upload`, upload("pub-b")))).toBe(REQUIRED);
    await call("PUT", `${SKILLS}/drafts/pub-c`, { body: form(skillZip({ name: "pub-c" }), { public: "true" }) });
    expect(await outcome(ask("POST", `${SKILLS}/drafts/pub-c/promote`))).toBe(REQUIRED);
  });

  it("is not published by approving it from an MCP server", async () => {
    await serve("rev-srv");
    const { uri, digest, name } = await only("rev-srv");
    const answer = await askWith({ REVIEW: "required" }, "/api/v1/mcp-servers/rev-srv/skills", {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ uri, digest }),
    });
    expect(await outcome(answer)).toBe("403 REVIEW_REQUIRED");
    const found = await call("GET", `${SKILLS}?name=${name}`);
    expect(await found.json()).toMatchObject({ items: [] });
  });

  it("is approved by another admin, or bypassed by an admin in the open", async () => {
    await pushDraft(ADMIN_KEY, { name: "urgent" });
    const made = await ask("POST", "/api/v1/reviews", JSON.stringify({ draft: "urgent", public: true }));
    const { id, zip_sha256 } = await made.json<{ id: string; zip_sha256: string }>();
    const decision = { decision: "approve", zip_sha256, base_version_id: null };
    const decided = (more: object, key = ADMIN_KEY) =>
      outcome(ask("POST", `/api/v1/reviews/${id}/decision`, JSON.stringify({ ...decision, ...more }), key));
    expect(await decided({})).toBe("403 OWN_REVIEW");
    expect(await decided({ bypass: true })).toBe("400 INVALID_REQUEST");
    const other = await keyFor("other-admin", { role: "admin" });
    expect(await decided({ bypass: true, comment: "Now." }, other)).toBe("403 BYPASS_NOT_ALLOWED");
    expect(await decided({ bypass: true, comment: "The site is down." })).toBe("200");
    const log = await call("GET", "/api/v1/audit?action=review.bypass");
    const { items } = await log.json<{ items: { resource_id: string; after: object }[] }>();
    expect(items[0]).toMatchObject({ resource_id: id, after: { reason: "The site is down.", zip_sha256 } });
    const found = await (await call("GET", `${SKILLS}?name=urgent`)).json<{
      items: { metadata: { labels: { id: string } }; status: { version_id: string } }[];
    }>();
    const [skill] = found.items;
    const path = `${SKILLS}/${skill?.metadata.labels.id}/versions/${skill?.status.version_id}/attestation`;
    const { payload } = await (await call("GET", path)).json<{ payload: string }>();
    expect(JSON.parse(atob(payload))).toMatchObject({ predicate: { review: { id, reviewers: 0 } } });
  });

  it("can be submitted by every user, and approved by an admin", async () => {
    const eve = await keyFor("eve-public");
    const made = await submitted(eve, { name: "eves-public" }, { public: true });
    const full = await ask("GET", `/api/v1/reviews/${made.id}`);
    expect(await full.json()).toMatchObject({ can_decide: true, is_public: true, author: "eve-public" });
    const body = { decision: "approve", zip_sha256: made.zip_sha256, base_version_id: null };
    expect(await outcome(ask("POST", `/api/v1/reviews/${made.id}/decision`, JSON.stringify(body), eve))).toBe(
      "403 ADMIN_ONLY",
    );
    expect(await outcome(ask("POST", `/api/v1/reviews/${made.id}/decision`, JSON.stringify(body)))).toBe("200");
  });
});
