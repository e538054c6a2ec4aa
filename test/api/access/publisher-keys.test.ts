// The key of a trusted publisher: it publishes the named skills in one scope, and ends with any change of its publisher.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../../support/call";
import { githubClaims, gitlabClaims } from "../../support/ci-claims";
import { CiIssuer, serveIssuers } from "../../support/ci-issuer";
import { sign } from "../../support/issuer";
import { form, skillZip } from "../../support/skill";

const ci = new CiIssuer("https://gitlab.acme.dev");
let pair: Awaited<ReturnType<CiIssuer["pair"]>>;
let owner: string;
let publisher: string;

const ENTRY = { issuer: ci.url, claims: { project_path: "acme/tools/*" }, skills: ["poem", "song"] };
const put = async (more: object = {}) => {
  const answer = await call("PUT", "/api/v1/publishers/ci", { key: owner, json: { ...ENTRY, ...more } });
  return (await answer.json<{ id: string }>()).id;
};

async function newKey(): Promise<string> {
  const token = await sign(pair, gitlabClaims(ci.url));
  const answer = await call("POST", "/api/v1/trusted-publishing/token", { key: null, json: { token, publisher } });
  return (await answer.json<{ key: string }>()).key;
}

const publish = (key: string, name = "poem", fields: Record<string, string> = {}, path = "upload") =>
  call("POST", `/api/v1/kinds/skills/${path}`, {
    key,
    body: form(skillZip({ name, body: crypto.randomUUID() }), fields),
  });
const codeOf = async (answer: Response) => [answer.status, (await answer.json<{ code: string }>()).code];

beforeAll(async () => {
  pair = await ci.add("ci");
  serveIssuers(ci);
  owner = await keyFor("key-owner");
  publisher = await put();
});
afterAll(() => vi.restoreAllMocks());

describe("a publisher's key", () => {
  it("publishes new versions, with the project and job of GitLab", async () => {
    const key = await newKey();
    expect((await publish(key, "song")).status).toBe(201);
    const again = await publish(key, "song");
    expect(await again.json()).toMatchObject({
      status: {
        version_number: 2,
        provenance: {
          repository: "acme/tools/skills",
          ref: "refs/tags/v1.4.0",
          workflow: "gitlab.acme.dev/acme/tools/skills//.gitlab-ci.yml@refs/tags/v1.4.0",
          run_url: "https://gitlab.acme.dev/acme/tools/skills/-/jobs/9001",
        },
      },
    });
  });

  it("publishes no other skill, and in no other scope", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "key-team" } });
    await call("PUT", "/api/v1/groups/key-team/members/key-owner", { json: { role: "Owner" } });
    const key = await newKey();
    expect(await codeOf(await publish(key, "prose"))).toEqual([403, "SKILL_NOT_ALLOWED"]);
    expect(await codeOf(await publish(key, "Poem"))).toEqual([403, "SKILL_NOT_ALLOWED"]);
    expect(await codeOf(await publish(key, "poem", { namespace: "key-team" }))).toEqual([403, "ROLE_TOO_LOW"]);
    expect(await codeOf(await publish(key, "poem", { namespace: "nobodys" }))).toEqual([404, "NAMESPACE_NOT_FOUND"]);
    expect(await codeOf(await publish(key, "poem", {}, "public"))).toEqual([403, "ADMIN_ONLY"]);
  });

  it.each([
    ["GET", "/api/v1/me"],
    ["GET", "/api/v1/whoami"],
    ["GET", "/api/v1/kinds/skills"],
    ["GET", "/api/v1/kinds/skills/unified"],
    ["GET", "/api/v1/publishers"],
    ["PUT", "/api/v1/publishers/ci"],
    ["GET", "/api/v1/keys"],
    ["POST", "/api/v1/keys"],
    ["GET", "/api/v1/audit"],
    ["GET", "/api/v1/secrets"],
    ["GET", "/api/v1/kinds/ghosts"],
    ["GET", "/api/v1/conversations"],
    ["POST", "/api/v1/conversations/c/turns"],
    ["POST", "/api/v1/imports"],
    ["POST", "/api/v1/links"],
    ["POST", "/api/v1/kinds/skills/validate"],
    ["GET", "/api/v1/skills/poem"],
    ["GET", "/s/own/index.json"],
    ["GET", "/openai/v1/models"],
    ["GET", "/openai/v1/skills"],
  ])("cannot %s %s", async (method, path) => {
    const json = method === "GET" ? {} : { json: {} };
    expect((await call(method, path, { key: await newKey(), ...json })).status).toBe(403);
  });

  it("cannot read, replace, activate, share or delete a skill", async () => {
    const made = await publish(await newKey(), "poem");
    const { metadata } = await made.json<{ metadata: { labels: { id: string } } }>();
    const at = `/api/v1/kinds/skills/${metadata.labels.id}`;
    const key = await newKey();
    for (const [method, path] of [
      ["GET", at],
      ["GET", `${at}/download`],
      ["GET", `${at}/versions`],
      ["DELETE", at],
    ] as const)
      expect((await call(method, path, { key })).status).toBe(403);
    const body = form(skillZip({ name: "poem", body: "Another." }));
    expect((await call("PUT", at, { key, body })).status).toBe(403);
    expect((await call("POST", `${at}/share`, { key, json: { group_name: "key-team" } })).status).toBe(403);
  });

  it("cannot act for others, and is not an MCP key", async () => {
    const key = await newKey();
    const body = form(skillZip({ name: "poem" }));
    expect((await call("POST", "/api/v1/kinds/skills/upload", { key, as: "victim", body })).status).toBe(403);
    expect((await call("POST", "/mcp", { key, json: { jsonrpc: "2.0", id: 1, method: "ping" } })).status).toBe(403);
  });

  it("reports no other skills when it publishes", async () => {
    const evals = JSON.stringify([{ prompt: "Write a poem about the sea." }]);
    const zip = skillZip({ name: "poem", files: { "evals/prompts.json": evals } });
    const answer = await call("POST", "/api/v1/kinds/skills/upload", { key: await newKey(), body: form(zip) });
    expect([answer.status, (await answer.json<{ status: object }>()).status]).toEqual([
      201,
      expect.not.objectContaining({ routing: expect.anything() }),
    ]);
  });

  it.each([
    ["changed", () => put({ key_minutes: 5 })],
    ["stored again without a change", () => put()],
    ["deleted", () => call("DELETE", "/api/v1/publishers/ci", { key: owner })],
  ])("ends when its publisher is %s", async (_, change) => {
    publisher = await put();
    const key = await newKey();
    expect((await publish(key)).status).toBe(201);
    await change();
    expect(await codeOf(await publish(key))).toEqual([401, "UNAUTHENTICATED"]);
    publisher = await put();
    expect(await codeOf(await publish(key))).toEqual([401, "UNAUTHENTICATED"]);
  });

  it("ends after its minutes", async () => {
    publisher = await put({ key_minutes: 1 });
    const key = await newKey();
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
    try {
      expect(await codeOf(await publish(key))).toEqual([401, "UNAUTHENTICATED"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is not valid with another secret, and not accepted as another kind of key", async () => {
    const key = await newKey();
    const changed = key.replace(/_([0-9a-f])(?=[0-9a-f]{71}$)/, (_, first) => `_${first === "0" ? "1" : "0"}`);
    expect(changed).not.toBe(key);
    for (const wrong of [changed, key.replace("sgp_", "sgw_"), key.replace("sgp_", "sga_")])
      expect(await codeOf(await publish(wrong))).toEqual([401, "UNAUTHENTICATED"]);
  });

  it("says nothing of GitHub that the token of GitLab does not", async () => {
    const token = await sign(pair, githubClaims(ci.url));
    const answer = await call("POST", "/api/v1/trusted-publishing/token", { key: null, json: { token, publisher } });
    expect(answer.status).toBe(401);
  });
});
