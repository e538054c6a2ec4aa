// The settings in docs/sign-in.md: a running gateway accepts tokens in each provider's format, and rejects tokens with a single error.

import { readFileSync } from "node:fs";
import path from "node:path";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { root } from "../support/harness";
import { RecordingGateway } from "../support/oidc/harness";
import { StandIn } from "../support/oidc/provider";
import { VISITORS } from "../support/oidc/shapes";

const page = readFileSync(path.join(root, "docs", "sign-in.md"), "utf8");

/** The recipes of the document: the settings of each section. */
const RECIPES = new Map(
  page.split(/^## /m).flatMap((section): [string, Record<string, string>][] => {
    const [, block] = /^```toml\n\[vars\]\n([\s\S]*?)^```/m.exec(section) ?? [];
    if (block === undefined) return [];
    const lines = block.trim().split("\n");
    const settings = lines.map((line): [string, string] => {
      const [, name = "", value = ""] = /^([A-Z_]+) = "([^"]*)"(?: +#.*)?$/.exec(line) ?? [];
      if (name === "") throw new Error(`no setting: ${line}`);
      return [name, value];
    });
    return [[section.split("\n")[0] ?? "", Object.fromEntries(settings)]];
  }),
);

it("has the four recipes", () => {
  expect([...RECIPES.keys()]).toEqual(Object.keys(VISITORS));
});

describe.each(Object.entries(VISITORS))("%s", (name, { sub, user, group, shape, notAdmin, cannot }) => {
  const settings = RECIPES.get(name) ?? {};
  const { JWT_ISSUER = "", JWT_JWKS_URL = "" } = settings;
  let provider: StandIn;
  let gateway: RecordingGateway;
  let token: string;
  beforeAll(async () => {
    provider = await StandIn.start(JWT_ISSUER, JWT_JWKS_URL, shape);
    // Requests of the gateway go through this process, which maps the provider's address to this machine.
    const real = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
      input === JWT_JWKS_URL ? real(provider.keysUrl) : real(input, init),
    );
    gateway = new RecordingGateway(settings);
    await gateway.start();
    await gateway.send("POST", "/api/v1/groups", { name: group });
    token = await provider.signIn(sub);
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
    vi.restoreAllMocks();
  });

  const ask = (shown: string) => fetch(`${gateway.url}/api/v1/me`, { headers: { authorization: `Bearer ${shown}` } });

  it("opens the gateway as the user, as an admin, and as a member of the group", async () => {
    const me = await ask(token);
    expect([me.status, await me.json()]).toMatchObject([
      200,
      { user_id: user, role: "admin", memberships: [{ group, role: "Developer" }] },
    ]);
  });

  it("makes no other user an admin", async () => {
    const others = await provider.altered(token, notAdmin);
    const me = await ask(others);
    expect([me.status, await me.json()]).toMatchObject([200, { role: "user", memberships: [{ group }] }]);
  });

  it("gives no group, or nothing, for the tokens that the page names as of no use", async () => {
    const me = await ask(await provider.altered(token, cannot.claims));
    expect([me.status, await me.json()]).toMatchObject([
      cannot.status,
      cannot.status === 200 ? { user_id: user, memberships: [] } : { code: "UNAUTHENTICATED" },
    ]);
  });

  it("refuses the token of another audience or issuer, an expired one, an unsigned one and a forged one", async () => {
    expect((await ask(await provider.altered(token, {}))).status).toBe(200);
    const { none, hs256 } = await provider.forged(token);
    const bad = {
      audience: await provider.altered(token, { aud: "https://other.example.com" }),
      issuer: await provider.altered(token, { iss: `${decodeJwt(token).iss}x` }),
      expired: await provider.altered(token, { exp: Math.floor(Date.now() / 1_000) - 60 }),
      none,
      hs256,
    };
    const statuses = Object.entries(bad).map(async ([why, shown]) => [why, (await ask(shown)).status]);
    expect(Object.fromEntries(await Promise.all(statuses))).toEqual({
      audience: 401,
      issuer: 401,
      expired: 401,
      none: 401,
      hs256: 401,
    });
  });
});
