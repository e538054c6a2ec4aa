// `skillgate submit` and `skillgate review`: what they send, and that only what was read is approved.

import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { skillZip } from "../support/skill";
import { Stub, send, skillText, WorkFolder } from "../support/skillgate";

const R = "/api/v1/reviews";
const ID = "rev_01KB0000000000000000000000";
const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let work: WorkFolder;
let stub: Stub;
let zip: Uint8Array<ArrayBuffer>;
let zip_sha256: string;
let base: object | null;
let sent: { path: string; body: unknown }[];

const summary = () => ({
  ...{ id: ID, name: "tide", namespace: "crew", is_public: false, author: "ann", state: "pending" },
  ...{ version: "1.0.0", zip_sha256, published_version_id: null, created_at: "t", updated_at: "t" },
});

beforeEach(async () => {
  work = await WorkFolder.make();
  zip = skillZip({ name: "tide", body: "Good words." });
  [zip_sha256, base, sent] = [digestOf(zip), null, []];
  stub = await Stub.open((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://stub");
    const isJson = request.headers["content-type"] === "application/json";
    if (request.method !== "GET")
      sent.push({ path: pathname, body: isJson ? JSON.parse(request.body.toString()) : null });
    if (pathname.endsWith("/download")) return response.writeHead(200).end(zip);
    if (pathname.includes("/drafts/"))
      return send(response, 201, {
        ...{ reference: "draft:tide", name: "tide", author: "ann", namespace: "default", is_public: false },
        ...{ version: "1.0.0", version_id: "ver_d", description: "x", tokens: 3, size: 9, users: [] },
        ...{ pushed_at: "t", expires_at: "t", warnings: [] },
      });
    if (pathname === R && request.method === "POST") return send(response, 201, summary());
    if (pathname === R) return send(response, 200, { items: [summary()], next_cursor: null });
    if (pathname.endsWith("/decision"))
      return send(response, 200, { ...summary(), state: "approved", published_version_id: "ver_p" });
    if (pathname.endsWith("/comments")) return send(response, 201, { id: "rve_1" });
    const event = { type: "submitted", user_id: "ann", comment: "\u001b[31mred\u202e", path: null, line: null };
    return send(response, 200, {
      ...summary(),
      ...{ base, content: { description: "Knows tides.", warnings: [] }, routing: null },
      permissions: { added: [{ permission: "network", value: "api.example.com" }], removed: [] },
      test_results: {
        ...{ passed: 1, failed: 2, regressions: { version_id: "ver_1", version: "0.9.0", cases: ["at noon"] } },
        failing: [{ name: "at noon", reason: "\u001b[31mred" }, { name: "at night" }],
      },
      events: [{ ...event, created_at: "t" }],
    });
  });
});
afterEach(async () => {
  stub.close();
  await work.remove();
});

const run = (...args: string[]) => work.run(...args, "--url", stub.url, "--key", "k");

describe("submit", () => {
  it("pushes the folder as a draft and submits it", async () => {
    await work.write({ "tide/SKILL.md": skillText("tide") });
    const ended = await run("submit", "tide", "--to", "crew", "--message", "Please.");
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect(ended.stdout).toContain(`was submitted: ${ID} (pending)`);
    expect(sent.map(({ path }) => path)).toEqual(["/api/v1/kinds/skills/drafts/tide", R]);
    expect(sent[1]?.body).toEqual({ draft: "tide", namespace: "crew", comment: "Please." });
    await run("submit", "tide", "--to", "public");
    expect(sent[3]?.body).toEqual({ draft: "tide", public: true });
    expect((await run("submit", "tide")).code).toBe(2);
  });
});

describe("review", () => {
  it("lists submissions, and shows one with its changes and without terminal escapes", async () => {
    expect((await run("review")).stdout).toContain(ID);
    const { code, stdout } = await run("review", "show", ID);
    expect(code).toBe(0);
    expect(stdout).toContain("+Good words.");
    expect(stdout).toContain("new permission: network api.example.com");
    expect(stdout).toContain("\\u001b[31mred\\u202e");
    expect(stdout).toContain("Test results: 1 of 3 cases passed\n  at noon fails (passes with 0.9.0): ");
    expect(stdout).toContain("\n  at night fails\n");
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain(`review approve ${ID} --seen ${zip_sha256.slice(0, 16)}@new`);
  });

  it("does not show bytes that are not the ones under review", async () => {
    zip = skillZip({ name: "tide", body: "Evil words." });
    const ended = await run("review", "show", ID);
    expect(ended.code).toBe(6);
    expect(ended.stdout).not.toContain("Evil");
  });

  it("approves what was read, and nothing else", async () => {
    const seen = `${zip_sha256.slice(0, 16)}@new`;
    expect((await run("review", "approve", ID)).code).toBe(2);
    const done = await run("review", "approve", ID, "--seen", seen);
    expect([done.code, done.stdout.trim()]).toEqual([0, "tide 1.0.0 is approved, published as ver_p"]);
    expect(sent).toEqual([
      { path: `${R}/${ID}/decision`, body: { decision: "approve", zip_sha256, base_version_id: null } },
    ]);
    base = { skill_id: "skl_1", version_id: "ver_other", version: null };
    expect((await run("review", "approve", ID, "--seen", seen)).code).toBe(6);
    [base, zip_sha256] = [null, digestOf(skillZip({ name: "tide", body: "Evil words." }))];
    expect((await run("review", "approve", ID, "--seen", seen)).code).toBe(6);
    expect(sent).toHaveLength(1);
  });

  it("rejects, asks for changes and comments with a reason", async () => {
    expect((await run("review", "reject", ID)).code).toBe(2);
    await run("review", "request-changes", ID, "--message", "Name the sea.");
    await run("review", "comment", ID, "--message", "Here?", "--file", "docs/a.md:7");
    expect(sent.map(({ body }) => body)).toEqual([
      { decision: "request_changes", zip_sha256, comment: "Name the sea." },
      { comment: "Here?", path: "docs/a.md", line: 7 },
    ]);
    expect((await run("review", "dance", ID)).code).toBe(2);
    expect((await run("review", "show")).code).toBe(2);
  });
});
