// Trusted publishing: a CI job exchanges its token for a key, publishes with it, and can do nothing else. Every way to forge, repeat or
// misuse a token has the same error.

import { exportSPKI, importJWK, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../../support/call";
import { GATEWAY, githubClaims } from "../../support/ci-claims";
import { CiIssuer, serveIssuers } from "../../support/ci-issuer";
import { part, sign } from "../../support/issuer";
import { expectLog } from "../../support/logs";
import { form, skillZip } from "../../support/skill";

const ci = new CiIssuer("https://ci.acme.dev");
const other = new CiIssuer("https://ci.other.dev");
let pair: Awaited<ReturnType<CiIssuer["pair"]>>;
let foreign: typeof pair;
let owner: string;
/** The id of a publisher of the user `pub-owner`. */
let publisher: string;

const RULES = { repository: "acme/skills", repository_owner_id: "42", ref: "refs/tags/v*" };
const ENTRY = { issuer: ci.url, claims: RULES, skills: ["poem"] };

async function put(name: string, more: object = {}, key = owner): Promise<string> {
  const answer = await call("PUT", `/api/v1/publishers/${name}`, { key, json: { ...ENTRY, ...more } });
  expect([200, 201]).toContain(answer.status);
  return (await answer.json<{ id: string }>()).id;
}

const exchange = (token: string, more: object = { publisher }) =>
  call("POST", "/api/v1/trusted-publishing/token", { key: null, json: { token, ...more } });
const good = (more: object = {}) => sign(pair, githubClaims(ci.url, { ...more }));

async function keyOf(token: string, more: object = { publisher }): Promise<string> {
  const answer = await exchange(token, more);
  expect(answer.status).toBe(200);
  return (await answer.json<{ key: string }>()).key;
}

const publish = (key: string, name = "poem", fields: Record<string, string> = {}, path = "upload") =>
  call("POST", `/api/v1/kinds/skills/${path}`, {
    key,
    body: form(skillZip({ name, body: crypto.randomUUID() }), fields),
  });

async function expectRefused(answer: Response, reason: string, name = "releases") {
  const { code, detail } = await answer.json<{ code: string; detail: string }>();
  expect([answer.status, code, detail]).toEqual([
    401,
    "PUBLISHER_TOKEN_REFUSED",
    "The token was not accepted. Ask the owner of the publisher to read its `last_refusal`.",
  ]);
  const seen = await (await call("GET", `/api/v1/publishers/${name}`, { key: owner })).json<{
    last_refusal: { reason: string } | null;
  }>();
  expect(seen.last_refusal?.reason).toBe(reason);
}

beforeAll(async () => {
  pair = await ci.add("ci", "RS256");
  foreign = await other.add("ci", "RS256");
  serveIssuers(ci, other);
  owner = await keyFor("pub-owner");
  publisher = await put("releases");
});
afterAll(() => vi.restoreAllMocks());

describe("a token of a CI job", () => {
  it("becomes a key that publishes, and the version says where it comes from", async () => {
    const answer = await exchange(await good());
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const made = await answer.json<{ key: string; expires_at: string }>();
    expect(made).toEqual({
      key: expect.stringMatching(/^sgp_/),
      expires_at: expect.any(String),
      skills: ["poem"],
      namespace: "default",
    });
    const minutes = (Date.parse(made.expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(10);
    expect(minutes).toBeLessThanOrEqual(15);

    const published = await publish(made.key);
    expect(published.status).toBe(201);
    const provenance = {
      publisher: "releases",
      issuer: ci.url,
      subject: "repo:acme/skills:environment:release",
      repository: "acme/skills",
      workflow: "acme/skills/.github/workflows/publish.yml@refs/tags/v1.4.0",
      ref: "refs/tags/v1.4.0",
      commit: "0123456789abcdef0123456789abcdef01234567",
    };
    const skill = await published.json<{ metadata: { labels: { id: string } }; status: { version_id: string } }>();
    expect(skill.status).toMatchObject({ provenance });
    const at = `/api/v1/kinds/skills/${skill.metadata.labels.id}`;
    expect(await (await call("GET", `${at}/versions`, { key: owner })).json()).toMatchObject({
      items: [{ created_by: "pub-owner", provenance }],
    });
    const signed = await (
      await call("GET", `${at}/versions/${skill.status.version_id}/attestation`, { key: owner })
    ).json<{ payload: string }>();
    expect(JSON.parse(atob(signed.payload))).toMatchObject({ predicate: { provenance } });

    const log = await call("GET", "/api/v1/audit?resource_type=publisher&actor=pub-owner");
    expect(await log.json()).toMatchObject({
      items: [
        { action: "publisher.exchange", resource_id: "user/releases", after: provenance },
        { action: "publisher.put", resource_id: "user/releases", after: { claims: RULES, skills: ["poem"] } },
      ],
    });
    const acts = await call("GET", `/api/v1/audit?resource_id=${skill.metadata.labels.id}`);
    expect(await acts.json()).toMatchObject({
      items: [{ action: "skill.publish", after: { publisher: "releases", commit: provenance.commit } }],
    });
  });

  it("belongs to the publisher that the job names, or to a public one", async () => {
    const token = await good();
    // Another user's publisher for the same repository never receives the job's skills.
    await put("thief", {}, await keyFor("pub-thief"));
    expect((await exchange(token, {})).status).toBe(401);
    const id = await put(
      "for-all",
      { scope: "public", skills: ["shared-poem"] },
      await keyFor("pub-admin", { role: "admin" }),
    );
    const key = await keyOf(token, {});
    expect((await publish(key, "shared-poem", {}, "public")).status).toBe(201);
    expect((await publish(key, "shared-poem")).status).toBe(403);
    expect((await exchange(await good(), { publisher: id })).status).toBe(200);
  });

  it("is refused without a request to its issuer, if no publisher has that issuer", async () => {
    const before = [ci.met, other.met, ci.asked, other.asked];
    const answer = await exchange(await sign(foreign, githubClaims(other.url)), {});
    expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([401, "PUBLISHER_TOKEN_REFUSED"]);
    expect([ci.met, other.met, ci.asked, other.asked]).toEqual(before);
  });

  it("gives a group's key while the user who registered the publisher is a Maintainer", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "pub-team" } });
    await call("PUT", "/api/v1/groups/pub-team/members/pub-owner", { json: { role: "Owner" } });
    const id = await put("team", { scope: "group", group_name: "pub-team" });
    const key = await keyOf(await good(), { publisher: id });
    expect((await publish(key, "poem", { namespace: "pub-team" })).status).toBe(201);
    expect((await publish(key, "poem")).status).toBe(403);
    await call("PUT", "/api/v1/groups/pub-team/members/pub-heir", { json: { role: "Owner" }, key: owner });
    await call("DELETE", "/api/v1/groups/pub-team/members/pub-owner", { key: await keyFor("pub-heir") });
    expect((await publish(key, "poem", { namespace: "pub-team" })).status).toBe(404);
  });
});

const seconds = (more: number) => Math.floor(Date.now() / 1_000) + more;

describe("a hostile token", () => {
  const cases: [string, () => Promise<string>, string][] = [
    ["of another issuer", () => sign(foreign, githubClaims(other.url)), "issuer_mismatch"],
    ["of an issuer with a slash", () => sign(pair, githubClaims(`${ci.url}/`)), "issuer_mismatch"],
    ["of an issuer in another case", () => sign(pair, githubClaims("https://CI.acme.dev")), "issuer_mismatch"],
    ["of an issuer without TLS", () => sign(pair, githubClaims("http://ci.acme.dev")), "issuer_mismatch"],
    ["signed by the key of another issuer", () => sign(foreign, githubClaims(ci.url)), "signature_invalid"],
    ["for another audience", () => good({ aud: "https://other.test" }), "audience_mismatch"],
    ["for no audience", () => good({ aud: undefined }), "audience_mismatch"],
    ["for an audience that begins alike", () => good({ aud: `${GATEWAY}.evil.dev` }), "audience_mismatch"],
    ["that has expired", () => good({ iat: seconds(-400), exp: seconds(-100) }), "expired"],
    ["that never expires", () => good({ exp: undefined }), "claims_invalid"],
    ["without a time", () => good({ iat: undefined }), "claims_invalid"],
    ["that is too old", () => good({ iat: seconds(-4_000), exp: seconds(4_000) }), "too_old"],
    ["of the future", () => good({ iat: seconds(600), nbf: seconds(0), exp: seconds(900) }), "not_yet_valid"],
    ["that is not valid yet", () => good({ nbf: seconds(600), exp: seconds(900) }), "not_yet_valid"],
    ["without a subject", () => good({ sub: undefined }), "claims_invalid"],
    [
      "without a signature",
      async () => `${part({ alg: "none", typ: "JWT" })}.${part(githubClaims(ci.url))}.`,
      "algorithm_not_allowed",
    ],
    [
      "signed with the public key as a secret",
      async () => {
        const key = await importJWK(pair.publicJwk, "RS256", { extractable: true });
        if (key instanceof Uint8Array) throw new Error("a public key is not a secret");
        const secret = new TextEncoder().encode(await exportSPKI(key));
        return new SignJWT(githubClaims(ci.url)).setProtectedHeader({ alg: "HS256", kid: "ci" }).sign(secret);
      },
      "algorithm_not_allowed",
    ],
    [
      "with changed claims",
      async () => {
        const [head, , signature] = (await good({ repository: "evil/skills" })).split(".");
        return `${head}.${part(githubClaims(ci.url))}.${signature}`;
      },
      "signature_invalid",
    ],
    ["without a claim", () => good({ repository: undefined }), "claim_mismatch:repository"],
    ["with a list as a claim", () => good({ repository: ["acme/skills"] }), "claim_mismatch:repository"],
    ["with a number as a claim", () => good({ repository_owner_id: 42 }), "claim_mismatch:repository_owner_id"],
    ["of a fork", () => good({ repository: "evil/skills" }), "claim_mismatch:repository"],
    [
      "of a new owner with the old name",
      () => good({ repository_owner_id: "43" }),
      "claim_mismatch:repository_owner_id",
    ],
    ["of another branch", () => good({ ref: "refs/heads/main" }), "claim_mismatch:ref"],
    ["with a ref across a separator", () => good({ ref: "refs/tags/v1/evil" }), "claim_mismatch:ref"],
    ["of a repository in another case", () => good({ repository: "Acme/skills" }), "claim_mismatch:repository"],
  ];

  it.each(cases)("%s is refused", async (_, token, reason) => {
    // Replacing a publisher clears its last refusal, and the interval of recorded ones.
    await put("releases");
    await expectRefused(await exchange(await token()), reason);
  });

  it("is refused if it is no token at all", async () => {
    for (const text of ["x", "a.b.c", `${part([])}.${part([])}.a`, `${part({})}.${part({ iss: 5 })}.a`])
      expect((await exchange(text)).status).toBe(401);
    expect((await exchange("x".repeat(20_000))).status).toBe(400);
    expect((await exchange(await good(), { publisher: "pub_0000" })).status).toBe(401);
    expect((await exchange(await good(), { publisher: "releases" })).status).toBe(400);
  });

  it("is refused the second time, also after its publisher was made again, and by another publisher", async () => {
    for (const more of [{}, { jti: undefined }, { jti: ["a"] }]) {
      await put("releases");
      const token = await good(more);
      await keyOf(token);
      await expectRefused(await exchange(token), "replayed");
      await call("DELETE", "/api/v1/publishers/releases", { key: owner });
      publisher = await put("releases");
      await expectRefused(await exchange(token), "replayed");
    }
    const jti = crypto.randomUUID();
    await keyOf(await good({ jti }));
    await put("releases");
    await expectRefused(await exchange(await good({ jti, iat: seconds(-1) })), "replayed");
  });

  it("is exchanged by one of two requests at once", async () => {
    const token = await good();
    const answers = await Promise.all([exchange(token), exchange(token), exchange(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  it("is refused if the issuer does not respond, or is somebody else", async () => {
    expectLog(/issuer_failed|issuer_metadata_refused/);
    const silent = await put("silent", { issuer: "https://silent.acme.dev" });
    const token = await sign(pair, githubClaims("https://silent.acme.dev"));
    await expectRefused(await exchange(token, { publisher: silent }), "issuer_unavailable", "silent");

    const posing = new CiIssuer("https://posing.acme.dev");
    serveIssuers(ci, other, posing);
    const id = await put("posing", { issuer: posing.url });
    vi.spyOn(posing, "answer").mockImplementation(async () => Response.json({ issuer: ci.url, jwks_uri: ci.keysUrl }));
    const posed = await sign(pair, githubClaims(posing.url));
    await expectRefused(await exchange(posed, { publisher: id }), "issuer_unavailable", "posing");
  });

  it("never makes the gateway call a private address", async () => {
    expectLog("issuer_failed");
    const asked = vi.spyOn(globalThis, "fetch");
    for (const issuer of ["https://10.0.0.1", "https://169.254.169.254", "https://db.internal"]) {
      const id = await put("inside", { issuer });
      asked.mockClear();
      await expectRefused(
        await exchange(await sign(pair, githubClaims(issuer)), { publisher: id }),
        "issuer_unavailable",
        "inside",
      );
      expect(asked).not.toHaveBeenCalled();
    }
  });

  it("is recorded once a minute, with the reason", async () => {
    await put("releases");
    const before = await refusals();
    for (const ref of ["refs/heads/a", "refs/heads/b"]) expect((await exchange(await good({ ref }))).status).toBe(401);
    expect((await refusals()).slice(before.length)).toEqual([{ reason: "claim_mismatch:ref" }]);
  });
});

async function refusals() {
  const log = await call("GET", "/api/v1/audit?action=publisher.refuse&actor=pub-owner&limit=100");
  const { items } = await log.json<{ items: { after: object }[] }>();
  return items.map(({ after }) => after).reverse();
}
