// Signing in to the console, what its session may do, and how it ends.

import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { holdClock, pass, releaseClock } from "../support/clock";
import { COOKIE, ConsolePage, SESSION, verdict } from "../support/console";
import { form, skillZip } from "../support/skill";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const page = () => new ConsolePage({ IDENTITY_MEMORY_S: "0" });
afterEach(releaseClock);

async function keyWithId(userId: string, more: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
  return (await call("POST", "/api/v1/keys", { json: { user_id: userId, ...more } })).json();
}

describe("signing in", () => {
  it("accepts a key, sets a cookie that scripts cannot read and other hosts cannot set, and returns the user", async () => {
    const browser = page();
    const made = await browser.ask("POST", SESSION, { key: await keyFor("console-alice") });
    expect(made.status).toBe(201);
    expect(made.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-skillgate_console=sgb_[0-9A-Z]{26}_[0-9a-f]{64}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    const told = await made.json<Record<string, unknown>>();
    expect(told).toMatchObject({
      user: { id: "console-alice", role: "user" },
      signed_in_by: "key",
      idle_seconds: 3600,
    });
    expect(JSON.stringify(told)).not.toContain("sgb_");
    const asked = await browser.ask("GET", SESSION);
    expect([asked.status, await asked.json()]).toEqual([200, told]);
    expect(asked.headers.get("cache-control")).toBe("no-store");
  });

  it("accepts the operator's key, without the right to act for others", async () => {
    const browser = await page().signIn(ADMIN_KEY);
    const { user, rights } = await (await browser.ask("GET", SESSION)).json<{ user: unknown; rights: object }>();
    expect([user, rights]).toEqual([
      { id: "admin", name: null, role: "admin", groups: [] },
      expect.objectContaining({ operate: true, act_as: false }),
    ]);
  });

  it("accepts a service's key without its right to act for others, and a limited key with its limits", async () => {
    const service = await page().signIn(await keyFor("console-service", { scopes: ["act_as", "skills:read"] }));
    expect(await (await service.ask("GET", "/console/api/v1/me")).json()).toMatchObject({ scopes: ["skills:read"] });
    expect(await verdict(await service.ask("GET", "/console/api/v1/conversations"))).toEqual([403, "SCOPE_MISSING"]);
  });

  it("says everything that is wrong with a body", async () => {
    for (const body of [{}, { key: "a", ticket: "b" }, { key: 1 }, { key: "a", more: 1 }, "nothing", "[]"])
      expect([body, ...(await verdict(await page().ask("POST", SESSION, body)))]).toEqual([
        body,
        400,
        "INVALID_REQUEST",
      ]);
  });

  it("rejects everything that is not a user's key", async () => {
    const revoked = await keyWithId("console-revoked");
    await call("DELETE", `/api/v1/keys/${revoked.id}`);
    const expired = await keyFor("console-expired", { expires_at: "2020-01-01T00:00:00Z" });
    for (const key of ["x", revoked.key, expired, `${ADMIN_KEY}x`, "eyJhbGciOiJub25lIn0.e30."]) {
      const browser = page();
      expect([key, (await browser.ask("POST", SESSION, { key })).status, browser.cookies.size]).toEqual([key, 401, 0]);
    }
  });

  it("shows the issuer to users who are not signed in", async () => {
    const answered = await page().ask("GET", SESSION);
    expect([answered.status, await answered.json()]).toEqual([
      401,
      expect.objectContaining({ code: "SESSION_ENDED", issuer: null }),
    ]);
  });

  it("by a link: once, as its user, without further rights", async () => {
    const service = await keyWithId("console-maker", { scopes: ["act_as"] });
    const json = { user_id: "console-bob", purpose: "console" };
    const { url } = await (await call("POST", "/api/v1/sign-ins", { key: service.key, json })).json<{ url: string }>();
    expect(url).toMatch(/^https:\/\/gateway\.test\/console#ticket=sgl_[0-9a-f]{64}$/);
    const ticket = url.split("#ticket=")[1];
    const browser = page();
    expect((await browser.ask("POST", SESSION, { ticket })).status).toBe(201);
    expect(await (await browser.ask("GET", SESSION)).json()).toMatchObject({
      ...{ user: { id: "console-bob", role: "user" }, signed_in_by: "link", rights: { act_as: false } },
    });
    expect(await verdict(await page().ask("POST", SESSION, { ticket }))).toEqual([401, "LINK_SPENT"]);
    await call("DELETE", `/api/v1/keys/${service.id}`);
    expect((await browser.ask("GET", SESSION)).status).toBe(401);
  });

  it("has a link for the operator on the operator's own machine only", async () => {
    const json = { user_id: "admin", purpose: "console" };
    expect((await call("POST", "/api/v1/sign-ins", { json })).status).toBe(400);
    expect(
      (await call("POST", "/api/v1/sign-ins", { key: await keyFor("console-a", { role: "admin" }), json })).status,
    ).toBe(400);
  });
});

describe("what a session opens", () => {
  it("answers what the API answers for the key", async () => {
    const key = await keyFor("console-same");
    const browser = await page().signIn(key);
    const asked = await (await browser.ask("GET", "/console/api/v1/kinds/skills")).json();
    expect(asked).toEqual(await (await call("GET", "/api/v1/kinds/skills", { key })).json());
    const { scopes: _, ...me } = await (await browser.ask("GET", "/console/api/v1/me")).json<Record<string, unknown>>();
    expect(await (await call("GET", "/api/v1/me", { key })).json()).toMatchObject(me);
  });

  it("shows whether skills can be tried here", async () => {
    const key = await keyFor("console-tries");
    for (const DEMO of ["on", "off"] as const) {
      const browser = await new ConsolePage({ IDENTITY_MEMORY_S: "0", DEMO }).signIn(key);
      expect(await (await browser.ask("GET", SESSION)).json()).toMatchObject({ try_it: DEMO === "on" });
    }
  });

  it("publishes an upload, and returns a file as an attachment that is not cached", async () => {
    const browser = await page().signIn(await keyFor("console-publisher"));
    const upload = form(skillZip({ name: "from-the-console" }));
    const request = await browser.ask("POST", "/console/api/v1/kinds/skills/upload", upload);
    expect(request.status).toBe(201);
    const { metadata } = await request.json<{ metadata: { labels: { id: string } } }>();
    const file = await browser.ask("GET", `/console/api/v1/kinds/skills/${metadata.labels.id}/files/SKILL.md`);
    expect(file.status).toBe(200);
    expect(file.headers.get("content-disposition")).toMatch(/^attachment/);
    expect([file.headers.get("cache-control"), file.headers.get("content-security-policy")]).toEqual([
      "no-store",
      expect.stringContaining("default-src 'none'"),
    ]);
  });

  it("opens the chat endpoint, and not the vendors' APIs of skills", async () => {
    const browser = await page().signIn(await keyFor("console-chat"));
    expect((await browser.ask("GET", "/console/api/openai/v1/models")).status).toBe(200);
    expect((await browser.ask("GET", "/console/api/openai/v1/skills")).status).toBe(404);
    expect((await browser.ask("GET", "/console/api/mcp")).status).toBe(404);
  });
});

describe("dangerous things", () => {
  it("want a sign-in of the last fifteen minutes, and signing in again is enough", async () => {
    const key = await keyFor("console-admin", { role: "admin" });
    const browser = await page().signIn(key);
    const make = () => browser.ask("POST", "/console/api/v1/keys", { user_id: "console-made" });
    expect((await make()).status).toBe(201);
    holdClock();
    pass(15 * MINUTE);
    expect(await verdict(await make())).toEqual([403, "SIGN_IN_TOO_OLD"]);
    for (const [method, path, json] of [
      ["PUT", "/console/api/v1/secrets/NAME", { value: "v", hosts: ["a.example"] }],
      ["DELETE", "/console/api/v1/users/somebody", undefined],
      ["DELETE", "/console/api/v1/groups/some-group", undefined],
      ["POST", "/console/api/v1/kinds/ghosts", { metadata: { name: "g", namespace: "public" }, spec: {} }],
    ] as const)
      expect([path, ...(await verdict(await browser.ask(method, path, json)))]).toEqual([path, 403, "SIGN_IN_TOO_OLD"]);
    // Reversible actions still work.
    expect((await browser.ask("POST", "/console/api/v1/groups", { name: "console-group" })).status).toBe(201);
    expect((await browser.ask("GET", "/console/api/v1/audit")).status).toBe(200);
    await browser.signIn(key);
    expect((await make()).status).toBe(201);
  });
});

describe("the end of a session", () => {
  it("comes with signing out, and the cookie opens nothing any more", async () => {
    const browser = await page().signIn(await keyFor("console-leaver"));
    const { secret } = browser;
    const left = await browser.ask("DELETE", SESSION);
    expect([left.status, left.headers.get("clear-site-data"), browser.cookies.size]).toEqual([204, '"cache"', 0]);
    browser.cookies.set(COOKIE, secret);
    expect(await verdict(await browser.ask("GET", "/console/api/v1/me"))).toEqual([401, "SESSION_ENDED"]);
  });

  it("leaves the cookie alone, which another tab may have replaced meanwhile", async () => {
    const browser = await page().signIn(await keyFor("console-two-tabs"));
    const { secret: old } = browser;
    await browser.signIn(await keyFor("console-two-tabs"));
    const late = await browser.ask("GET", SESSION, undefined, { cookie: `${COOKIE}=${old}` });
    expect([late.status, late.headers.getSetCookie()]).toEqual([401, []]);
    expect((await browser.ask("GET", SESSION)).status).toBe(200);
  });

  it("comes with its key's revocation", async () => {
    const { id, key } = await keyWithId("console-parent");
    const browser = await page().signIn(key);
    await call("DELETE", `/api/v1/keys/${id}`);
    expect(await verdict(await browser.ask("GET", "/console/api/v1/me"))).toEqual([401, "SESSION_ENDED"]);
  });

  it("comes with another key of the environment", async () => {
    const settings = { IDENTITY_MEMORY_S: "0", GATEWAY_ADMIN_KEY: "an-older-key-of-the-environment" };
    const browser = await new ConsolePage(settings).signIn(settings.GATEWAY_ADMIN_KEY);
    const now = page();
    now.cookies.set(COOKIE, browser.secret);
    expect((await browser.ask("GET", SESSION)).status).toBe(200);
    expect((await now.ask("GET", SESSION)).status).toBe(401);
  });

  it("comes after an hour without a request, and twelve hours whatever happens", async () => {
    const key = await keyFor("console-sleeper");
    const [idle, busy] = [await page().signIn(key), await page().signIn(key)];
    holdClock();
    for (let minutes = 0; minutes < 12 * 60; minutes += 45) {
      expect((await busy.ask("GET", SESSION)).status).toBe(200);
      pass(45 * MINUTE);
      if (minutes === 0) expect((await idle.ask("GET", SESSION)).status).toBe(200);
    }
    expect((await idle.ask("GET", SESSION)).status).toBe(401);
    expect((await busy.ask("GET", SESSION)).status).toBe(401);
    pass(HOUR);
  });

  it("can be ended from elsewhere, by its user and by an admin only", async () => {
    const [key, other] = [await keyFor("console-owner"), await keyFor("console-other")];
    const [one, two] = [await page().signIn(key), await page().signIn(key)];
    const list = await (await one.ask("GET", "/console/api/v1/sessions")).json<{
      items: { id: string; current: boolean }[];
    }>();
    expect(list.items.map(({ current }) => current)).toEqual([false, true]);
    const [newer, older] = list.items.map(({ id }) => id);
    expect((await call("DELETE", `/api/v1/sessions/${newer}`, { key: other })).status).toBe(404);
    expect((await two.ask("GET", SESSION)).status).toBe(200);
    expect((await call("DELETE", `/api/v1/sessions/${newer}`, { key })).status).toBe(204);
    expect((await two.ask("GET", SESSION)).status).toBe(401);
    expect((await call("DELETE", `/api/v1/sessions/${older}`)).status).toBe(204);
    expect((await one.ask("GET", SESSION)).status).toBe(401);
    const log = await (await call("GET", "/api/v1/audit?resource_type=session")).json<{
      items: { action: string }[];
    }>();
    expect(log.items.slice(0, 4).map(({ action }) => action)).toEqual([
      ...["session.end", "session.end", "session.create", "session.create"],
    ]);
  });

  it("comes to the one used longest ago when a user has twenty others", async () => {
    const key = await keyFor("console-many");
    const first = await page().signIn(key);
    for (let n = 0; n < 20; n++) await page().signIn(key);
    expect((await first.ask("GET", SESSION)).status).toBe(401);
    const rows = await env.DB.prepare(
      "SELECT count(*) AS n FROM console_sessions WHERE user_id = 'console-many'",
    ).first();
    expect(rows).toEqual({ n: 20 });
  });

  it("comes with the erasure of its user, whose export names it", async () => {
    const browser = await page().signIn(await keyFor("console-erased"));
    const exported = await (await call("GET", "/api/v1/users/console-erased/export")).text();
    expect(exported).toContain('"via":"key"');
    expect(exported).not.toContain(browser.secret);
    await call("DELETE", "/api/v1/users/console-erased");
    expect((await browser.ask("GET", SESSION)).status).toBe(401);
  });
});

describe("CONSOLE=off", () => {
  it("starts no session, ends the existing one, and creates no links", async () => {
    const key = await keyFor("console-off");
    const browser = await page().signIn(key);
    const off = new ConsolePage({ CONSOLE: "off" });
    off.cookies.set(COOKIE, browser.secret);
    expect(await verdict(await off.ask("GET", "/console/api/v1/me"))).toEqual([404, "CONSOLE_OFF"]);
    expect(await verdict(await off.ask("POST", SESSION, { key }))).toEqual([404, "CONSOLE_OFF"]);
  });
});
