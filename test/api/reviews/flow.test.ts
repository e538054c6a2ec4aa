// Reviews: a draft is submitted, read with its differences, commented, and decided by somebody else.

import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn } from "../../support/chat-turns";
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
import { form, skillZip } from "../../support/skill";

let crew: Awaited<ReturnType<typeof crewWith>>;
const to = () => ({ namespace: crew.group });

beforeAll(async () => {
  crew = await crewWith("required");
});

describe("a submission", () => {
  it("is published and made current by the approval of another reviewer, as the author's", async () => {
    const made = await submitted(crew.dev, { name: "first", description: "First of all.", version: "1.0.0" }, to());
    expect(made).toMatchObject({ state: "pending", name: "first", author: crew.id("dev"), version: "1.0.0" });
    expect(await skillIn(crew.dev, crew.group, "first")).toBeNull();
    const seen = await readReview(crew.mia, made.id);
    expect(seen).toMatchObject({ can_decide: true, base: null, content: { description: "First of all." } });
    expect(seen.files).toMatchObject([{ path: "SKILL.md", change: "added", base_size: null }]);
    const done = await decide(crew.mia, made.id, "approve", { comment: "Good." });
    const review = await done.json<{ state: string; published_version_id: string }>();
    expect(review.state).toBe("approved");
    const skill = await skillIn(crew.dev, crew.group, "first");
    expect(skill?.versionId).toBe(review.published_version_id);
    const versions = await call("GET", `${SKILLS}/${skill?.id}/versions`, { key: crew.dev });
    const { items } = await versions.json<{ items: object[] }>();
    expect(items).toMatchObject([
      { fileHash: made.zip_sha256, created_by: crew.id("dev"), review: { id: made.id, reviewers: 1 } },
    ]);
    const after = await readReview(crew.dev, made.id);
    expect(after.events.map(({ type, user_id, comment }) => [type, user_id, comment])).toEqual([
      ["submitted", crew.id("dev"), null],
      ["approved", crew.id("mia"), "Good."],
    ]);
  });

  it("is compared with the current version: files and permissions", async () => {
    const files = { "scripts/a.py": "print(1)\n", "notes.md": "Old.\n" };
    const first = await submitted(crew.dev, { name: "grows", files }, to());
    await decide(crew.mia, first.id, "approve");
    const next = { "scripts/a.py": "print(2)\n", "scripts/b.sh": "ls\n" };
    const second = await submitted(
      crew.dev,
      { name: "grows", files: next, frontmatter: "network: [api.example.com]" },
      to(),
    );
    const seen = await readReview(crew.max, second.id);
    expect(seen.files.map(({ path, change }) => `${change} ${path}`)).toEqual([
      "changed SKILL.md",
      "removed notes.md",
      "changed scripts/a.py",
      "added scripts/b.sh",
    ]);
    expect(seen.permissions.added).toContainEqual({ permission: "network", value: "api.example.com" });
    expect(seen.permissions.added).toContainEqual({ permission: "scripts", value: "scripts/b.sh" });
    expect(seen.permissions.removed).toEqual([]);
  });

  it("has no finding that only the draft's scope causes", async () => {
    const files = { "scripts/sum.py": "print(1 + 1)\n" };
    const pushed = await call("PUT", `${SKILLS}/drafts/summed`, {
      key: crew.dev,
      body: form(skillZip({ name: "summed", files }), {}),
    });
    const draft = await pushed.json<{ warnings: { code: string }[] }>();
    expect(draft.warnings.map(({ code }) => code)).toContain("CODE_NOT_RUN");
    const codesIn = async (to: object) => {
      const { id } = await submitted(crew.dev, { name: "summed", files }, to);
      return (await readReview(crew.dev, id)).content?.warnings.map(({ code }) => code);
    };
    expect(await codesIn(to())).toContain("CODE_NOT_RUN");
    expect(await codesIn({ public: true })).not.toContain("CODE_NOT_RUN");
  });

  it("shows how the example prompts rank", async () => {
    const evals = JSON.stringify({ evals: [{ prompt: "Which quokka smiles most?" }] });
    const made = await submitted(
      crew.dev,
      { name: "quokka", description: "Ranks quokkas by their smile.", files: { "evals/evals.json": evals } },
      to(),
    );
    expect((await readReview(crew.mia, made.id)).routing?.prompts).toMatchObject([
      { prompt: "Which quokka smiles most?", rank: 1 },
    ]);
  });

  it("is downloaded with exactly the digest under review", async () => {
    const made = await submitted(crew.dev, { name: "bytes" }, to());
    const zip = await (await call("GET", `${REVIEWS}/${made.id}/download`, { key: crew.mia })).arrayBuffer();
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", zip));
    expect([...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("")).toBe(made.zip_sha256);
  });

  it("follows its draft: a push makes it pending again, and a decision on the earlier content is void", async () => {
    const made = await submitted(crew.dev, { name: "follows", body: "One." }, to());
    expect(await outcome(decide(crew.mia, made.id, "request_changes", { comment: "More." }))).toBe("200");
    expect((await readReview(crew.dev, made.id)).state).toBe("changes_requested");
    await pushDraft(crew.dev, { name: "follows", body: "Two." });
    const now = await readReview(crew.mia, made.id);
    expect(now.state).toBe("pending");
    expect(now.zip_sha256).not.toBe(made.zip_sha256);
    expect(now.events.map(({ type }) => type)).toEqual(["submitted", "changes_requested", "changed"]);
    const stale = { decision: "approve", zip_sha256: made.zip_sha256, base_version_id: null };
    const refused = await call("POST", `${REVIEWS}/${made.id}/decision`, { key: crew.mia, json: stale });
    expect(await refused.json()).toMatchObject({ code: "REVIEW_CHANGED", zip_sha256: now.zip_sha256 });
    expect(await outcome(decide(crew.mia, made.id, "approve"))).toBe("200");
  });

  it("keeps its state if the author pushes the same content again", async () => {
    const made = await submitted(crew.dev, { name: "same" }, to());
    await decide(crew.mia, made.id, "request_changes", { comment: "Why?" });
    await pushDraft(crew.dev, { name: "same" });
    expect((await readReview(crew.dev, made.id)).state).toBe("changes_requested");
  });

  it("exists once per draft and scope", async () => {
    const made = await submitted(crew.dev, { name: "once" }, to());
    const again = await submit(crew.dev, "once", to());
    expect([again.status, (await again.json<{ id: string }>()).id]).toEqual([200, made.id]);
  });

  it("ends with a rejection, a withdrawal, or the deletion of its draft", async () => {
    const first = await submitted(crew.dev, { name: "ends" }, to());
    expect(await outcome(decide(crew.mia, first.id, "reject", { comment: "No." }))).toBe("200");
    expect(await outcome(decide(crew.mia, first.id, "approve"))).toBe("409 REVIEW_CLOSED");
    const second = await submitted(crew.dev, { name: "ends" }, to());
    expect(second.id).not.toBe(first.id);
    expect(await outcome(call("POST", `${REVIEWS}/${second.id}/withdraw`, { key: crew.mia }))).toBe(
      "403 NOT_THE_AUTHOR",
    );
    expect(await outcome(call("POST", `${REVIEWS}/${second.id}/withdraw`, { key: crew.dev }))).toBe("200");
    const third = await submitted(crew.dev, { name: "ends" }, to());
    await call("DELETE", `${SKILLS}/drafts/ends`, { key: crew.dev });
    const gone = await readReview(crew.dev, third.id);
    expect([gone.state, gone.content]).toEqual(["withdrawn", null]);
    expect(await outcome(call("GET", `${REVIEWS}/${third.id}/download`, { key: crew.mia }))).toBe(
      "404 REVIEW_CONTENT_GONE",
    );
  });

  it("has comments on files and lines, by its author and its reviewers", async () => {
    const made = await submitted(crew.dev, { name: "talked" }, to());
    const say = (key: string, json: object) => call("POST", `${REVIEWS}/${made.id}/comments`, { key, json });
    expect(await outcome(say(crew.mia, { comment: "Here?", path: "SKILL.md", line: 3 }))).toBe("201");
    expect(await outcome(say(crew.dev, { comment: "Yes." }))).toBe("201");
    expect(await outcome(say(crew.mia, { comment: "x", path: "none.md" }))).toBe("400 INVALID_REQUEST");
    expect(await outcome(say(crew.mia, { comment: "x", line: 3 }))).toBe("400 INVALID_REQUEST");
    expect(await outcome(say(crew.mia, { comment: "\u001b[31mred" }))).toBe("400 INVALID_REQUEST");
    expect(await outcome(say(crew.rob, { comment: "Me too." }))).toBe("404 REVIEW_NOT_FOUND");
    const { events } = await readReview(crew.dev, made.id);
    expect(events.slice(1)).toMatchObject([
      { type: "commented", comment: "Here?", path: "SKILL.md", line: 3 },
      { type: "commented", comment: "Yes.", path: null },
    ]);
  });

  it("is rejected for content that could not be published", async () => {
    const made = await submitted(crew.dev, { name: "taken", version: "1.0.0", body: "One." }, to());
    await decide(crew.mia, made.id, "approve");
    await pushDraft(crew.dev, { name: "taken", version: "1.0.0", body: "Two." });
    expect(await outcome(submit(crew.dev, "taken", to()))).toBe("409 VERSION_EXISTS");
    expect(await outcome(submit(crew.dev, "none", to()))).toBe("404 DRAFT_NOT_FOUND");
    expect(await outcome(submit(crew.dev, "taken", {}))).toBe("400 INVALID_REQUEST");
  });
});

describe("who", () => {
  it("submits to a group: its Developers; to public: every user", async () => {
    await pushDraft(crew.rob, { name: "robs" });
    expect(await outcome(submit(crew.rob, "robs", to()))).toBe("403 ROLE_TOO_LOW");
    expect(await outcome(submit(crew.rob, "robs", { public: true }))).toBe("201");
    const eve = await keyFor("eve-submits");
    await publishOwn(eve, { name: "eves" });
    await pushDraft(eve, { name: "eves" });
    expect(await outcome(submit(eve, "eves", to()))).toBe("404 NAMESPACE_NOT_FOUND");
  });

  it("decides: Maintainers, and nobody their own", async () => {
    const made = await submitted(crew.mia, { name: "mias" }, to());
    expect(await outcome(decide(crew.mia, made.id, "approve"))).toBe("403 OWN_REVIEW");
    expect(await outcome(decide(crew.mia, made.id, "reject", { comment: "Mine." }))).toBe("403 OWN_REVIEW");
    const second = await keyFor(crew.id("mia"), { name: "another key" });
    expect(await outcome(decide(second, made.id, "approve"))).toBe("403 OWN_REVIEW");
    const body = { decision: "approve", zip_sha256: made.zip_sha256, base_version_id: null };
    for (const key of [crew.dev, crew.rob, await keyFor("eve-decides")])
      expect(await outcome(call("POST", `${REVIEWS}/${made.id}/decision`, { key, json: body }))).toBe(
        "404 REVIEW_NOT_FOUND",
      );
    const devs = await submitted(crew.dev, { name: "devs" }, to());
    expect(await outcome(decide(crew.dev, devs.id, "approve"))).toBe("403 ROLE_TOO_LOW");
    // The author becomes a Maintainer: the submission is still the author's.
    await call("PUT", `/api/v1/groups/${crew.group}/members/${crew.id("dev")}`, {
      key: crew.owner,
      json: { role: "Maintainer" },
    });
    expect(await outcome(decide(crew.dev, devs.id, "approve"))).toBe("403 OWN_REVIEW");
    await call("PUT", `/api/v1/groups/${crew.group}/members/${crew.id("dev")}`, {
      key: crew.owner,
      json: { role: "Developer" },
    });
    // A reviewer who lost the role.
    await call("PUT", `/api/v1/groups/${crew.group}/members/${crew.id("max")}`, {
      key: crew.owner,
      json: { role: "Developer" },
    });
    expect(await outcome(call("GET", `${REVIEWS}/${devs.id}`, { key: crew.max }))).toBe("404 REVIEW_NOT_FOUND");
    await call("PUT", `/api/v1/groups/${crew.group}/members/${crew.id("max")}`, {
      key: crew.owner,
      json: { role: "Maintainer" },
    });
  });

  it("sees a submission: its author and the reviewers of its scope", async () => {
    const made = await submitted(crew.dev, { name: "seen" }, to());
    const other = await crewWith("required");
    for (const key of [other.mia, other.owner, crew.rob, await keyFor("eve-sees")]) {
      expect(await outcome(call("GET", `${REVIEWS}/${made.id}`, { key }))).toBe("404 REVIEW_NOT_FOUND");
      expect(await outcome(call("GET", `${REVIEWS}/${made.id}/download`, { key }))).toBe("404 REVIEW_NOT_FOUND");
      expect(await (await call("GET", REVIEWS, { key })).text()).not.toContain(made.id);
      const asked = `${REVIEWS}?scope=group:${crew.group}`;
      expect(await (await call("GET", asked, { key })).json()).toMatchObject({ items: [] });
    }
  });
});

describe("the list", () => {
  it("has filters for state, scope and whose they are, and pages", async () => {
    const other = await crewWith(null);
    const made = [];
    for (const name of ["l-one", "l-two", "l-three"])
      made.push(await submitted(other.dev, { name }, { namespace: other.group }));
    made.push(await submitted(other.mia, { name: "l-four" }, { namespace: other.group }));
    await decide(other.max, made[1]!.id, "reject", { comment: "No." });
    const list = async (key: string, query: string) => {
      const answer = await call("GET", `${REVIEWS}${query}`, { key });
      return answer.json<{ items: { name: string }[]; next_cursor: string | null }>();
    };
    const names = async (key: string, query: string) => (await list(key, query)).items.map(({ name }) => name);
    expect(await names(other.mia, "")).toEqual(["l-four", "l-three", "l-two", "l-one"]);
    expect(await names(other.mia, "?mine=true")).toEqual(["l-four"]);
    expect(await names(other.mia, "?mine=false&state=open")).toEqual(["l-three", "l-one"]);
    expect(await names(other.mia, "?state=rejected")).toEqual(["l-two"]);
    expect(await names(other.dev, `?scope=group:${other.group}`)).toEqual(["l-three", "l-two", "l-one"]);
    expect(await names(other.mia, "?scope=public")).toEqual([]);
    const first = await list(other.mia, "?limit=3");
    expect(first.items).toHaveLength(3);
    expect(await names(other.mia, `?limit=3&cursor=${first.next_cursor}`)).toEqual(["l-one"]);
  });
});
