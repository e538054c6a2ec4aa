// Tokens of an external issuer over HTTP: valid ones, and every known way to forge one.

import { exportSPKI, importJWK, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { askWith } from "../support/app";
import { call } from "../support/call";
import { AUDIENCE, base64url, claims, ISSUER, Issuer, part, sign } from "../support/issuer";
import { expectLog } from "../support/logs";
import { seedSkill } from "../support/registry";

const SETTINGS = {
  JWT_ISSUER: ISSUER,
  JWT_AUDIENCE: `${AUDIENCE}, https://gateway.test`,
  JWT_ALGORITHMS: "RS256,ES256,EdDSA",
  JWT_NAME_CLAIM: "name",
  JWT_ROLE_CLAIM: "roles",
  JWT_GROUPS_CLAIM: "groups",
};

/** The gateway with an issuer. */
async function ask(
  token: string | null,
  path = "/api/v1/me",
  init: RequestInit = {},
  more: Record<string, string> = {},
) {
  const headers = new Headers(init.headers);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  return askWith({ ...SETTINGS, JWT_JWKS_URL: issuer.keysUrl, ...more }, path, { ...init, headers });
}

let issuer: Issuer;
let ec: Awaited<ReturnType<Issuer["pair"]>>;
let rsa: typeof ec;
beforeAll(async () => {
  issuer = new Issuer();
  [ec, rsa] = [await issuer.add("ec"), await issuer.add("rsa", "RS256")];
  vi.spyOn(globalThis, "fetch").mockImplementation((input) => issuer.fetch(String(input)));
});
beforeEach(() => {
  issuer.move();
  issuer.instead = null;
});
afterAll(() => vi.restoreAllMocks());

/** Every invalid token receives the same message, so that it reveals nothing. */
async function expectRefused(token: string) {
  const answer = await ask(token);
  const { code, detail } = await answer.json<{ code: string; detail: string }>();
  expect([answer.status, code, detail]).toEqual([
    401,
    "UNAUTHENTICATED",
    "The token is not valid for this gateway. Get a new one from its issuer.",
  ]);
  expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
}

describe("a good token", () => {
  it("speaks for its user", async () => {
    for (const pair of [ec, rsa, await issuer.add("ed", "EdDSA")]) {
      issuer.move();
      const me = await ask(await sign(pair, claims({ name: "Jo", aud: [AUDIENCE, "https://other.test"] })));
      expect(await me.json()).toEqual({
        user_id: "jo",
        role: "user",
        name: "Jo",
        groups: [],
        memberships: [],
        scopes: [],
        quotas: expect.objectContaining({ skills: { used: 0, limit: 20_000 } }),
        today: expect.objectContaining({ uploads: { used: 0, limit: 50_000 } }),
        rights: expect.objectContaining({ act_as: false, operate: false }),
      });
    }
  });

  it("makes an admin by its role, and never lets one act for others", async () => {
    const token = await sign(ec, claims({ sub: "chief", roles: ["dev", "admin"] }));
    expect(await (await ask(token)).json()).toMatchObject({ role: "admin" });
    expect((await ask(token, "/api/v1/keys")).status).toBe(200);
    expect((await ask(token, "/api/v1/me", { headers: { "on-behalf-of": "bob" } })).status).toBe(403);
  });

  it("brings groups that are there, where the gateway does not know better, and the log names the others once", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    for (const name of ["claimed", "known"]) await call("POST", "/api/v1/groups", { json: { name } });
    await call("PUT", "/api/v1/groups/known/members/gina", { json: { role: "Reporter" } });
    const token = await sign(
      ec,
      claims({ sub: "gina", groups: ["never-made", "claimed:Maintainer", "known:Owner", "x:King"] }),
    );
    expect(await (await ask(token)).json()).toMatchObject({
      memberships: [
        { group: "known", role: "Reporter" },
        { group: "claimed", role: "Maintainer" },
      ],
    });
    const lines = () => warned.mock.calls.map(([line]): object => JSON.parse(String(line)));
    const ignored = { event: "claimed_groups_ignored", groups: ["never-made", "x:King"], why: expect.any(String) };
    expect(lines()).toEqual([ignored]);
    await ask(token);
    await ask(await sign(ec, claims({ sub: "hal", groups: ["never-made"] })));
    expect(lines()).toHaveLength(1);
    expect(JSON.stringify(lines())).not.toMatch(/gina|hal|claimed"|known"/);
    const { id } = await seedSkill({ name: "for-claimed", scope: "group:claimed" });
    expect((await ask(token, `/api/v1/kinds/skills/${id}`)).status).toBe(200);
    expect((await ask(await sign(ec), `/api/v1/kinds/skills/${id}`)).status).toBe(404);
    // The same user does not have the groups that another token claimed a moment ago, even for cached lists.
    const listed = async (shown: string) => (await ask(shown, "/api/v1/kinds/skills/unified")).text();
    const without = await sign(ec, claims({ sub: "gina", groups: [] }));
    for (const [shown, sees] of [
      [token, true],
      [without, false],
      [token, true],
    ] as const) {
      expect((await listed(shown)).includes("for-claimed")).toBe(sees);
    }
    // The issuer decides on group membership, so users cannot create a group under a name first.
    const make = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"taken"}' };
    expect((await ask(token, "/api/v1/groups", make, { GROUPS_OPEN: "true" })).status).toBe(403);
    warned.mockRestore();
  });

  it("allows for clocks that differ by half a minute", async () => {
    const now = Math.floor(Date.now() / 1_000);
    expect((await ask(await sign(ec, claims({ exp: now - 20 })))).status).toBe(200);
    expect((await ask(await sign(ec, claims({ nbf: now + 20 })))).status).toBe(200);
  });
});

describe("a bad token", () => {
  it.each<[string, Record<string, unknown>]>([
    ["expired", { exp: Math.floor(Date.now() / 1_000) - 3_600 }],
    ["without an end", { exp: undefined }],
    ["whose end is no number", { exp: "2100-01-01" }],
    ["not yet good", { nbf: Math.floor(Date.now() / 1_000) + 3_600 }],
    ["of another issuer", { iss: "https://evil.test" }],
    ["of no issuer", { iss: undefined }],
    ["whose issuer only begins alike", { iss: `${ISSUER}.evil.test` }],
    ["for another audience", { aud: "https://other.test" }],
    ["for none", { aud: undefined }],
    ["for a reserved user", { sub: "0" }],
    ["for the environment's user", { sub: "admin" }],
    ["for nobody", { sub: undefined }],
    ["for what is no user id", { sub: "jo\nx" }],
  ])("is refused: %s", async (_, more) => {
    await expectRefused(await sign(ec, claims(more)));
  });

  it("is refused: unsigned (`alg: none`, in any spelling)", async () => {
    for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
      const head = part({ alg, kid: "ec" });
      for (const signature of ["", "AAAA"]) await expectRefused(`${head}.${part(claims())}.${signature}`);
    }
    const [, payload] = (await sign(ec)).split(".");
    await expectRefused(`${part({ alg: "ES256", kid: "ec" })}.${payload}.`);
  });

  it("is refused: HS256 with the public key as the secret", async () => {
    const spki = await exportSPKI(await importKey(rsa.publicJwk));
    for (const secret of [spki, spki.trim(), JSON.stringify(rsa.publicJwk), rsa.publicJwk.n!]) {
      const hmac = new SignJWT(claims()).setProtectedHeader({ alg: "HS256", kid: "rsa" });
      await expectRefused(await hmac.sign(new TextEncoder().encode(secret)));
    }
  });

  it("is rejected for another key than its header names, or an unpublished one", async () => {
    const foreign = await issuer.pair("ec");
    await expectRefused(await sign(foreign));
    await expectRefused(await sign({ ...foreign, kid: "unknown" }));
    await expectRefused(await sign(ec, claims(), { kid: "rsa" }));
    await expectRefused(await sign(rsa, claims(), { alg: "RS256", kid: "ec" }));
    await expectRefused(await sign(ec, claims(), { kid: "../../etc/passwd" }));
  });

  it("is refused: a key of its own in the header, or an address of one", async () => {
    const foreign = await issuer.pair("ec");
    const asked = issuer.asked;
    for (const header of [
      { jwk: foreign.publicJwk },
      { jwk: foreign.publicJwk, kid: "foreign" },
      { jku: "https://evil.test/jwks.json" },
      { x5u: "https://evil.test/cert.pem" },
      { x5c: ["MIIB"] },
    ]) {
      await expectRefused(await sign(foreign, claims(), header));
    }
    // Only the configured address was requested. The fixture throws for any other.
    expect(issuer.asked).toBeLessThanOrEqual(asked + 2);
  });

  it("is refused: of an algorithm that does not count, critical headers, other bytes", async () => {
    await expectRefused(await sign(await issuer.add("es384", "ES384")));
    const critical = `${part({ alg: "ES256", kid: "ec", crit: ["x"], x: 1 })}.${part(claims())}`;
    const data = new TextEncoder().encode(critical);
    const signed = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, ec.privateKey, data);
    await expectRefused(`${critical}.${base64url(new Uint8Array(signed))}`);
    // The same signature with a valid header is accepted, so the header caused the rejection.
    const plain = `${part({ alg: "ES256", kid: "ec" })}.${part(claims())}`;
    const good = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      ec.privateKey,
      new TextEncoder().encode(plain),
    );
    expect((await ask(`${plain}.${base64url(new Uint8Array(good))}`)).status).toBe(200);
    const token = await sign(ec);
    const [head = "", body = "", signature = ""] = token.split(".");
    for (const bad of [
      `${head}.${part(claims({ sub: "mallory" }))}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      `${head}.${body}.`,
      `${part("x")}.${body}.${signature}`,
      `${part([])}.${part([])}.AAAA`,
      `${part({ alg: "ES256" })}.bm90IGpzb24.${signature}`,
      `AAAA.AAAA.AAAA`,
    ]) {
      await expectRefused(bad);
    }
    await expectRefused(`${head}.${part(claims({ pad: "x".repeat(20_000) }))}.${signature}`);
  });

  it("is no bearer at all where no issuer is configured", async () => {
    const answer = await call("GET", "/api/v1/me", { key: await sign(ec) });
    expect(answer.status).toBe(401);
  });
});

describe("the issuer", () => {
  it("can be unavailable for a while after a first read, and is waited for before it", async () => {
    expectLog("issuer_keys_failed");
    const token = await sign(ec);
    issuer.instead = () => new Response("down", { status: 500 });
    const unknown = await ask(token);
    expect([unknown.status, unknown.headers.get("retry-after")]).toEqual([503, "2"]);
    issuer.move();
    issuer.instead = null;
    expect((await ask(token)).status).toBe(200);
    issuer.instead = () => new Response("down", { status: 500 });
    expect((await ask(token)).status).toBe(200);
    // The gateway's own keys do not depend on it.
    issuer.move();
    expect((await ask("sgw_test_admin_key_for_the_pool_only")).status).toBe(200);
  });

  it("may change its keys: a new one counts at once, an old one until the set is read again", async () => {
    const old = await issuer.add("old");
    expect((await ask(await sign(old))).status).toBe(200);
    issuer.published.splice(issuer.published.indexOf(old.publicJwk), 1);
    const next = await issuer.add("next");
    expect((await ask(await sign(next))).status).toBe(200);
    await expectRefused(await sign(old));
  });

  it("is read at most once for a flood of unknown keys", async () => {
    expect((await ask(await sign(ec))).status).toBe(200);
    const asked = issuer.asked;
    const foreign = await issuer.pair("x");
    for (let round = 0; round < 10; round++) await expectRefused(await sign({ ...foreign, kid: `flood-${round}` }));
    expect(issuer.asked).toBe(asked + 1);
  });

  it("must use https, or the gateway reports that it is misconfigured", async () => {
    const token = await sign(ec);
    for (const address of ["http://issuer.test/jwks.json", "file:///etc/passwd", "https://u:p@issuer.test/", "jwks"]) {
      const answer = await ask(token, "/api/v1/me", {}, { JWT_JWKS_URL: address });
      expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([503, "MISCONFIGURED"]);
    }
  });
});

describe("signing in", () => {
  it("is explained by the metadata, and every 401 points at it", async () => {
    const root = await ask(null, "/.well-known/oauth-protected-resource");
    expect(await root.json()).toEqual({
      resource: "https://gateway.test",
      resource_name: "Skill Gateway",
      authorization_servers: [ISSUER],
      bearer_methods_supported: ["header"],
      resource_documentation: "https://gateway.test/docs/sign-in.md",
    });
    const mcp = await ask(null, "/.well-known/oauth-protected-resource/mcp");
    expect(await mcp.json()).toMatchObject({ resource: "https://gateway.test/mcp", authorization_servers: [ISSUER] });
    const plain = await call("GET", "/.well-known/oauth-protected-resource/mcp", { key: null });
    // Without an issuer, hosts sign in at the gateway.
    expect(await plain.json()).toMatchObject({ authorization_servers: ["https://gateway.test"] });
    const refused = await ask(null);
    expect(refused.headers.get("www-authenticate")).toBe(
      'Bearer realm="skill-gateway", resource_metadata="https://gateway.test/.well-known/oauth-protected-resource"',
    );
  });

  it("lets every user create groups if the setting allows it", async () => {
    const { JWT_GROUPS_CLAIM: _, ...others } = SETTINGS;
    const settings = { ...others, JWT_JWKS_URL: issuer.keysUrl };
    const headers = { "content-type": "application/json", authorization: `Bearer ${await sign(ec)}` };
    const make = { method: "POST", headers, body: '{"name":"open-group"}' };
    const answer = await askWith({ ...settings, GROUPS_OPEN: "true" }, "/api/v1/groups", make);
    expect([answer.status, await answer.json()]).toMatchObject([
      201,
      { name: "open-group", role: "Owner", created_by: "jo" },
    ]);
  });
});

async function importKey(jwk: Parameters<typeof importJWK>[0]) {
  const key = await importJWK(jwk, "RS256", { extractable: true });
  if (key instanceof Uint8Array) throw new Error("a secret");
  return key;
}
