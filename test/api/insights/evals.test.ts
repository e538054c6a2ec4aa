// Recorded runs of test cases: what is stored and returned, who can read and write them, and the warning of a publish.

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { readScopeUse } from "../../../src/storage/d1/usage";
import { call, keyFor } from "../../support/call";
import { published, publishOwn, publishPublic } from "../../support/chat-turns";
import { contextOf } from "../../support/context";
import { clearRegistry } from "../../support/registry";
import { form, skillZip } from "../../support/skill";

const S = "/api/v1/kinds/skills";
const DIGEST = "9f".repeat(32);

interface Case {
  name: string;
  passed: boolean;
  reason?: string;
}
const pass = (...names: string[]): Case[] => names.map((name) => ({ name, passed: true }));
const fail = (...names: string[]): Case[] => names.map((name) => ({ name, passed: false }));

interface Run {
  id: string;
  version_id: string | null;
  version: string | null;
  digest: string;
  is_current: boolean;
  is_newest: boolean;
  pass_rate: number;
}

beforeEach(clearRegistry);

const send = (id: string, json: object, key?: string) =>
  call("POST", `${S}/${id}/evals`, { json, ...(key === undefined ? {} : { key }) });

async function record(id: string, content: object, cases: readonly Case[], key?: string) {
  const answer = await send(id, { ...content, cases }, key);
  expect(answer.status).toBe(201);
  return answer.json<{ id: string; passed: number; failed: number; regressions: object | null }>();
}

async function runsOf(id: string, key?: string): Promise<Run[]> {
  const answer = await call("GET", `${S}/${id}/evals`, key === undefined ? {} : { key });
  expect(answer.status).toBe(200);
  return (await answer.json<{ items: Run[] }>()).items;
}

const version = (label: string, body = `Text of ${label}.`) => ({ name: "tested", version: label, body });
const warned = (status: { warnings: { code: string; message: string }[] }) =>
  status.warnings.filter(({ code }) => code === "EVALS_REGRESSED").map(({ message }) => message);
const digestOf = async (versionId: string) =>
  (await env.DB.prepare("SELECT digest FROM versions WHERE id = ?").bind(versionId).first<string>("digest")) ?? "";

describe("a recorded run", () => {
  it("is returned with its pass rate, by version and newest first, and with its cases on demand", async () => {
    const first = await publishPublic(version("1.0.0"));
    const second = await publishPublic(version("2.0.0"));
    await record(first.id, { version_id: first.version_id }, pass("a", "b"));
    await record(first.id, { version_id: second.version_id }, [...pass("a"), ...fail("b", "c")]);
    const cases = [...pass("a", "b", "c"), { name: "d", passed: false, reason: "the exit code is 1" }];
    await record(first.id, { version_id: second.version_id, runner: "skillgate test", model: "m-1" }, cases);
    const runs = await runsOf(first.id);
    expect(runs).toMatchObject([
      { version: "2.0.0", is_current: true, is_newest: true, pass_rate: 0.75, runner: "skillgate test", model: "m-1" },
      { version: "2.0.0", is_newest: false, pass_rate: 1 / 3, model: null },
      { version: "1.0.0", is_current: false, is_newest: true, pass_rate: 1, passed: 2, failed: 0 },
    ]);
    const whole = await call("GET", `${S}/${first.id}/evals/${runs[0]?.id}`);
    expect(await whole.json()).toMatchObject({ version: "2.0.0", cases });
  });

  it("belongs to a content, which need not be published", async () => {
    const { id, version_id } = await publishPublic(version("1.0.0"));
    await record(id, { digest: DIGEST }, pass("a"));
    await record(id, { digest: await digestOf(version_id) }, pass("a"));
    expect(await runsOf(id)).toMatchObject([
      { version_id, version: "1.0.0" },
      { version_id: null, version: null, digest: DIGEST },
    ]);
  });

  it("is compared with the version before, case by case", async () => {
    const first = await publishPublic(version("1.0.0"));
    expect(await record(first.id, { version_id: first.version_id }, pass("a", "b", "gone"))).toMatchObject({
      regressions: null,
    });
    // The newest run counts.
    await record(first.id, { version_id: first.version_id }, [...pass("a", "gone"), ...fail("b")]);
    const second = await publishPublic(version("2.0.0"));
    const third = await publishPublic(version("3.0.0"));
    const ran = [...fail("a", "b", "new")];
    for (const content of [second, third])
      expect(await record(first.id, { version_id: content.version_id }, ran)).toMatchObject({
        passed: 0,
        failed: 3,
        // The second version has no successes, so a later comparison with it finds nothing.
        regressions: content === second ? { version_id: first.version_id, version: "1.0.0", cases: ["a"] } : null,
      });
  });

  it("has no credentials, control characters and long texts", async () => {
    const { id, version_id } = await publishPublic(version("1.0.0"));
    const token = ["ghp", "0123456789abcdefghij0123456789abcdef"].join("_");
    const name = `bell\u0007 \u202e${"n".repeat(300)}`;
    const run = await record(id, { version_id }, [
      { name, passed: false, reason: `token: ${token}\n${"r".repeat(900)}` },
    ]);
    const text = await (await call("GET", `${S}/${id}/evals/${run.id}`)).text();
    expect(text).not.toContain(token);
    const [stored] = (JSON.parse(text) as { cases: Case[] }).cases;
    expect([stored?.name.length, stored?.reason?.length]).toEqual([160, 200]);
    expect(stored?.name).toMatch(/^bell n+…$/);
    expect(stored?.reason).toMatch(/^token: \[removed\] r+…$/);
  });

  it("is refused with all problems at once", async () => {
    const { id, version_id } = await publishPublic(version("1.0.0"));
    const bodies = [
      { cases: pass("a") },
      { version_id, digest: DIGEST, cases: pass("a") },
      { digest: "x", cases: pass("a") },
      { version_id, cases: [] },
      { version_id, cases: pass("a", "a") },
      // Equal or empty as they are stored.
      { version_id, cases: pass("a", "a\u0007") },
      { version_id, cases: pass("\u202e \u0000") },
      { version_id, cases: pass(`${"n".repeat(170)}1`, `${"n".repeat(170)}2`) },
      { version_id, cases: pass(...Array.from({ length: 201 }, (_, at) => `case ${at}`)) },
      { version_id, cases: [{ name: "a", passed: true, more: 1 }] },
    ];
    for (const body of bodies) expect((await send(id, body)).status).toBe(400);
    const several = await (await send(id, { digest: "x", cases: pass("") })).json<{ issues: { path: string }[] }>();
    expect(several.issues.map(({ path }) => path)).toEqual(["digest", "cases.0.name", "cases"]);
    const other = await publishPublic({ name: "other" });
    expect((await send(id, { version_id: other.version_id, cases: pass("a") })).status).toBe(404);
    expect(await runsOf(id)).toEqual([]);
  });

  it("replaces the oldest of its content, and content that was never published first", async () => {
    const { id, version_id } = await publishPublic(version("1.0.0"));
    for (let at = 0; at < 7; at++) await record(id, { version_id }, pass(`case ${at}`));
    expect(await runsOf(id)).toHaveLength(5);
    const rows = Array.from({ length: 98 }, (_, at) =>
      env.DB.prepare(
        "INSERT INTO eval_runs (id, skill_id, digest, created_by, passed, failed, cases) VALUES (?, ?, ?, 'x', 1, 0, '[]')",
      ).bind(`evr_z${String(at).padStart(3, "0")}`, id, `digest-${at}`),
    );
    await env.DB.batch(rows);
    await record(id, { version_id }, pass("last"));
    const runs = await runsOf(id);
    expect(runs).toHaveLength(100);
    expect(runs.filter((run) => run.version_id === version_id)).toHaveLength(5);
    expect(runs.some(({ digest }) => digest === "digest-0")).toBe(false);
  });

  it("counts in the database quota of the scope, and as an upload of the day", async () => {
    const key = await keyFor("evl-quota");
    const { id, version_id } = await publishOwn(key, version("1.0.0"));
    const used = async () => (await readScopeUse(contextOf("evl-quota").db, "user:evl-quota")).databaseBytes;
    const uploads = () =>
      env.DB.prepare("SELECT count FROM usage WHERE subject = 'evl-quota' AND kind = 'uploads'").first<number>("count");
    const [before, counted] = [await used(), await uploads()];
    await record(id, { version_id }, pass("a".repeat(150)), key);
    expect(await used()).toBeGreaterThan(before + 150);
    expect(await uploads()).toBe((counted ?? 0) + 1);
  });
});

describe("publishing", () => {
  it("warns if a case that passed with the version before fails now, also when repeated and when activated", async () => {
    const key = await keyFor("evl-pub");
    const first = await publishOwn(key, version("1.0.0"));
    await record(first.id, { version_id: first.version_id }, pass("a", "b"), key);
    // The digest of a content is known before it is published: a draft of it is stored.
    const bytes = skillZip(version("2.0.0"));
    await call("PUT", `${S}/drafts/tested`, { key, body: form(bytes) });
    const digest = await env.DB.prepare(
      "SELECT digest FROM versions WHERE label = '2.0.0' AND skill_id IN (SELECT skill_id FROM drafts)",
    ).first<string>("digest");
    expect(await record(first.id, { digest }, [...fail("a"), ...pass("b")], key)).toMatchObject({
      regressions: { version: "1.0.0", cases: ["a"] },
    });
    const sentence =
      "1 test case that passes with version 1.0.0 fails now: 'a'. Run `skillgate test`, and use the version before until they pass.";
    const upload = async (headers: Record<string, string> = {}) =>
      published(await call("POST", `${S}/upload`, { key, body: form(bytes), headers }));
    const made = await upload({ "idempotency-key": "one" });
    expect(warned(made)).toEqual([sentence]);
    expect(warned(await upload({ "idempotency-key": "one" }))).toEqual([sentence]);
    expect(warned(await upload())).toEqual([sentence]);
    expect(warned(await published(await call("POST", `${S}/drafts/tested/promote`, { key })))).toEqual([sentence]);
    const activate = async (id: string) =>
      warned(await published(await call("POST", `${S}/${first.id}/versions/${id}/activate`, { key })));
    expect(await activate(first.version_id)).toEqual([]);
    expect(await activate(made.version_id)).toEqual([sentence]);
  });

  it("does not warn without results, or if the same cases failed before", async () => {
    const key = await keyFor("evl-calm");
    const first = await publishOwn(key, version("1.0.0"));
    await record(first.id, { version_id: first.version_id }, fail("a"), key);
    const second = await publishOwn(key, version("2.0.0"));
    expect(warned(second)).toEqual([]);
    await record(first.id, { version_id: second.version_id }, fail("a"), key);
    expect(warned(await publishOwn(key, version("2.0.0")))).toEqual([]);
  });

  it("names three cases and the number of the others", async () => {
    const key = await keyFor("evl-many");
    const first = await publishOwn(key, version("1.0.0"));
    const second = await publishOwn(key, version("2.0.0"));
    await record(first.id, { version_id: first.version_id }, pass("a", "b", "c", "d", "e"), key);
    await record(first.id, { version_id: second.version_id }, fail("a", "b", "c", "d", "e"), key);
    expect(warned(await publishOwn(key, version("2.0.0")))).toEqual([
      "5 test cases that pass with version 1.0.0 fail now: 'a', 'b', 'c' and 2 more. Run `skillgate test`, and use the version before until they pass.",
    ]);
  });
});

describe("the runs of a skill", () => {
  it("are not for others: not for other users, and in a group recorded by Developers and read by Maintainers", async () => {
    const [key, other] = [await keyFor("evl-own"), await keyFor("evl-other")];
    const { id, version_id } = await publishOwn(key, version("1.0.0"));
    const run = await record(id, { version_id }, pass("a"), key);
    const sibling = await publishOwn(other, version("1.0.0"));
    for (const path of [`${S}/${id}/evals`, `${S}/${id}/evals/${run.id}`, `${S}/${sibling.id}/evals/${run.id}`])
      expect((await call("GET", path, { key: other })).status).toBe(404);
    expect((await send(id, { version_id, cases: pass("a") }, other)).status).toBe(404);
    expect((await send(sibling.id, { version_id, cases: pass("a") }, other)).status).toBe(404);
    expect(await runsOf(sibling.id, other)).toEqual([]);
  });

  it("go with the skill, are in the export of the user who recorded them, and lose the name with the user", async () => {
    const key = await keyFor("evl-leaver", { role: "admin" });
    const { id, version_id } = await publishPublic(version("1.0.0"));
    const run = await record(id, { version_id }, fail("a"), key);
    const exported = await (await call("GET", "/api/v1/users/evl-leaver/export", { key })).json();
    expect(exported).toMatchObject({ evals: [{ id: run.id, skill_id: id, cases: fail("a") }] });
    expect((await call("DELETE", "/api/v1/users/evl-leaver")).status).toBe(200);
    const [kept] = (await (await call("GET", `${S}/${id}/evals`)).json<{ items: { recorded_by: string }[] }>()).items;
    expect(kept?.recorded_by).toMatch(/^usr_/);
    expect((await call("DELETE", `${S}/${id}`)).status).toBe(204);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM eval_runs").first("n")).toBe(0);
  });
});
