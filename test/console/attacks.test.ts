// The attack table of console sessions: requests of other sites, other hosts of the domain, attackers and faulty clients. All are rejected
// without details. Attacks on the callback are in `outside.test.ts`, those on the page in test/browser.

import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { COOKIE, ConsolePage, OWN, SESSION, verdict } from "../support/console";
import { GATEWAY } from "../support/sign-in";

let key: string;
let victim: ConsolePage;
beforeAll(async () => {
  key = await keyFor("attacked-console");
  victim = await new ConsolePage().signIn(key);
});

type Marks = Record<string, string | null>;
const EVIL = "https://evil.example";
const SIBLING = "https://x.gateway.test";

describe("a request with the victim's cookie that the page did not send", () => {
  const MARKS: [string, Marks][] = [
    ["a form of another site", { "x-skillgate-console": null, "sec-fetch-site": "cross-site", origin: EVIL }],
    ["fetch of another site with the header", { "sec-fetch-site": "cross-site", origin: EVIL }],
    ["fetch of another site that says it is ours", { "sec-fetch-site": "same-origin", origin: EVIL }],
    ["another host of the domain", { "sec-fetch-site": "same-site", origin: SIBLING }],
    ["another host of the domain that says it is ours", { "sec-fetch-site": "same-origin", origin: SIBLING }],
    ["a frame without an origin", { "sec-fetch-site": "cross-site", origin: "null" }],
    ["a frame without an origin that says it is ours", { "sec-fetch-site": "same-origin", origin: "null" }],
    ["an old browser on another site", { "sec-fetch-site": null, origin: EVIL }],
    ["an old browser that says nothing", { "sec-fetch-site": null }],
    ["our name without TLS", { "sec-fetch-site": null, origin: "http://gateway.test" }],
    ["our name at another port", { "sec-fetch-site": null, origin: `${GATEWAY}:8443` }],
    ["a name that ends like ours", { "sec-fetch-site": null, origin: "https://not-gateway.test" }],
    ["an address bar, or a link in a mail", { "x-skillgate-console": null, "sec-fetch-site": "none" }],
    ["a navigation of our own page", { "x-skillgate-console": null, "sec-fetch-mode": "navigate" }],
    ["a picture of our own page", { "x-skillgate-console": null, "sec-fetch-dest": "image" }],
    ["the header with another value", { "x-skillgate-console": "true" }],
    ["the header twice", { "x-skillgate-console": "1, 1" }],
    ["a frame", { "x-skillgate-console": null, "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" }],
  ];

  it.each(MARKS)("%s: reads nothing and changes nothing", async (_, marks) => {
    const tries: [string, string, unknown][] = [
      ["GET", SESSION, undefined],
      ["GET", "/console/api/v1/me", undefined],
      ["POST", "/console/api/v1/groups", { name: "made-by-an-attacker" }],
      ["DELETE", SESSION, undefined],
      ["POST", SESSION, { key }],
      ["POST", `${SESSION}/issuer`, {}],
      ["POST", "/console/api/openai/v1/chat/completions", { model: "demo", messages: [] }],
    ];
    for (const [method, path, json] of tries) {
      const answered = await victim.ask(method, path, json, marks);
      expect([path, answered.headers.get("access-control-allow-origin"), answered.headers.getSetCookie()]).toEqual([
        ...[path, null, []],
      ]);
      expect([path, ...(await verdict(answered))]).toEqual([path, 403, "CONSOLE_ONLY"]);
    }
    expect((await victim.ask("GET", SESSION)).status).toBe(200);
  });

  it("causes a preflight request in a browser, which is rejected", async () => {
    for (const origin of [EVIL, SIBLING, "null"]) {
      const marks = {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-skillgate-console",
      };
      const answered = await victim.ask("OPTIONS", "/console/api/v1/me", undefined, {
        ...marks,
        ...{ "x-skillgate-console": null, "sec-fetch-site": "cross-site" },
      });
      expect([answered.status, answered.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    }
  });

  it("is refused from an origin that may call the API", async () => {
    const allowing = new ConsolePage({ ALLOWED_ORIGINS: EVIL });
    allowing.cookies.set(COOKIE, victim.secret);
    const answered = await allowing.ask("GET", "/console/api/v1/me", undefined, {
      origin: EVIL,
      "sec-fetch-site": "cross-site",
    });
    expect([answered.status, answered.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  });

  it("opens no socket", async () => {
    for (const path of ["/console/api/v1/conversations/a/socket?ticket=x", "/console/api/v1/me"]) {
      const answered = await victim.ask("GET", path, undefined, { upgrade: "websocket", connection: "upgrade" });
      expect([answered.status, answered.webSocket]).toEqual([403, null]);
    }
  });
});

describe("the cookie anywhere else", () => {
  const ELSEWHERE: [string, string][] = [
    ["GET", "/api/v1/me"],
    ["GET", "/api/v1/kinds/skills"],
    ["POST", "/api/v1/conversations"],
    ["GET", "/api/v1/sessions"],
    ["POST", "/api/v1/keys"],
    ["POST", "/mcp"],
    ["GET", "/openai/v1/models"],
    ["POST", "/openai/v1/chat/completions"],
    ["POST", "/anthropic/v1/messages"],
    ["GET", "/s/own/skills"],
    ["GET", "/api/v1/whoami"],
    ["POST", "/oauth/token"],
  ];

  it.each(ELSEWHERE)("%s %s: is nothing, with every mark of the page", async (method, path) => {
    const said: Marks[] = [{}, { origin: GATEWAY }, { "x-skillgate-console": null }];
    for (const marks of said) {
      const answered = await victim.ask(method, path, method === "POST" ? {} : undefined, marks);
      expect([path, answered.status >= 400 && answered.status < 405]).toEqual([path, true]);
      expect(await answered.text()).not.toContain("attacked-console");
    }
  });

  it("is no bearer, in no header and no query", async () => {
    const { secret } = victim;
    for (const [path, headers] of [
      ["/api/v1/me", { authorization: `Bearer ${secret}` }],
      ["/mcp", { authorization: `Bearer ${secret}` }],
      ["/openai/v1/models", { authorization: `Bearer ${secret}` }],
      ["/anthropic/v1/models", { "x-api-key": secret }],
      [`/api/v1/me?session=${secret}`, {}],
      ["/api/v1/me", { cookie: `${COOKIE}=${secret}`, "x-console-session": secret }],
    ] as const) {
      const answered = await exports.default.fetch(GATEWAY + path, {
        method: path === "/mcp" ? "POST" : "GET",
        headers,
      });
      expect([path, answered.status]).toEqual([path, 401]);
    }
  });

  it("is no key, and no link, to sign in with", async () => {
    for (const body of [{ key: victim.secret }, { ticket: victim.secret }])
      expect((await new ConsolePage().ask("POST", SESSION, body)).status).toBe(401);
  });
});

describe("a credential of another kind at the console's edge", () => {
  const HEADERS: [string, Marks][] = [
    ["a key", { authorization: `Bearer ${ADMIN_KEY}` }],
    ["a key of Anthropic's clients", { "x-api-key": ADMIN_KEY }],
    ["another user's name", { "on-behalf-of": "somebody" }],
  ];

  it.each(HEADERS)("%s counts for nothing, with a session and without", async (_, marks) => {
    for (const browser of [victim, new ConsolePage()])
      expect(await verdict(await browser.ask("GET", "/console/api/v1/me", undefined, marks))).toEqual([
        403,
        "CONSOLE_ONLY",
      ]);
  });

  it("acts for no other user, even if a service signed in and a header names a user", async () => {
    const service = new ConsolePage({ CHAT_USER_HEADER: "X-End-User", IDENTITY_MEMORY_S: "0" });
    await service.signIn(await keyFor("attacking-service", { scopes: ["act_as"] }));
    const answered = await service.ask("GET", "/console/api/v1/me", undefined, { "x-end-user": "attacked-console" });
    expect(await answered.json()).toMatchObject({ user_id: "attacking-service" });
  });
});

describe("a cookie that is not this browser's own", () => {
  const forged = (id: string) => `sgb_${id}_${"0".repeat(64)}`;
  const COOKIES: [string, () => string][] = [
    ["none", () => ""],
    ["an empty one", () => `${COOKIE}=`],
    ["another word", () => `${COOKIE}=admin`],
    ["an id with a guessed secret", () => `${COOKIE}=${forged(victim.secret.split("_")[1] ?? "")}`],
    [
      "a secret with another id",
      () => `${COOKIE}=${victim.secret.replace(/_[0-9A-Z]+_/, "_00000000000000000000000000_")}`,
    ],
    ["a digit off", () => `${COOKIE}=${victim.secret.slice(0, -1)}${victim.secret.endsWith("0") ? "1" : "0"}`],
    ["the name without its prefix, as another host can set it", () => `skillgate_console=${victim.secret}`],
    ["the name in another case", () => `__HOST-skillgate_console=${victim.secret}`],
    ["two of the name, ours first", () => `${COOKIE}=${victim.secret}; ${COOKIE}=${forged("AAAA")}`],
    ["two of the name, ours last", () => `${COOKIE}=${forged("AAAA")}; ${COOKIE}=${victim.secret}`],
    ["a key", () => `${COOKIE}=${key}`],
    ["the operator's key", () => `${COOKIE}=${ADMIN_KEY}`],
    ["SQL", () => `${COOKIE}=sgb_' OR 1=1 --_${"0".repeat(64)}`],
    ["quotes around it", () => `${COOKIE}="${victim.secret}"`],
    ["a cookie of the sign-in page", () => `__Host-sgw-link=${"0".repeat(64)}`],
  ];

  it.each(COOKIES)("%s: no session is started", async (_, cookie) => {
    const answered = await new ConsolePage().ask("GET", "/console/api/v1/me", undefined, { cookie: cookie() });
    expect(await verdict(answered)).toEqual([401, "SESSION_ENDED"]);
  });

  it("is replaced at sign-in: a cookie that was set before opens nothing (session fixation)", async () => {
    const fixed = (await new ConsolePage({ IDENTITY_MEMORY_S: "0" }).signIn(await keyFor("console-fixer"))).secret;
    const browser = new ConsolePage({ IDENTITY_MEMORY_S: "0" });
    browser.cookies.set(COOKIE, fixed);
    await browser.signIn(await keyFor("console-fixed"));
    expect(browser.secret).not.toBe(fixed);
    const attacker = new ConsolePage({ IDENTITY_MEMORY_S: "0" });
    attacker.cookies.set(COOKIE, fixed);
    expect((await attacker.ask("GET", SESSION)).status).toBe(401);
  });

  it("is stored nowhere as it is", async () => {
    const rows = await env.DB.prepare("SELECT * FROM console_sessions").all();
    expect(JSON.stringify(rows.results)).not.toContain(victim.secret.split("_")[2]);
  });
});

describe("without TLS", () => {
  it("rejects sign-in under another name than this machine's", async () => {
    const answered = await new ConsolePage({}, "http://gateway.test").ask("POST", SESSION, { key });
    expect(await verdict(answered)).toEqual([403, "CONSOLE_NEEDS_HTTPS"]);
  });

  it("a development build has a cookie without the prefix on this machine, which https does not read", async () => {
    const local = new ConsolePage({}, "http://localhost:8787");
    expect((await local.ask("POST", SESSION, { key })).headers.getSetCookie()).toEqual([
      expect.stringMatching(/^skillgate_console=sgb_[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect((await local.ask("GET", SESSION)).status).toBe(200);
    const cookie = [...local.cookies].map((pair) => pair.join("=")).join("; ");
    expect((await new ConsolePage().ask("GET", SESSION, undefined, { cookie })).status).toBe(401);
  });
});

describe("links", () => {
  async function link(purpose: string): Promise<string> {
    const made = await call("POST", "/api/v1/sign-ins", { json: { user_id: "linked-console", purpose } });
    const { url } = await made.json<{ url: string }>();
    return /sgl_[0-9a-f]{64}/.exec(url)?.[0] ?? "";
  }

  it("of a consent open no console", async () => {
    const ticket = await link("consent");
    expect(await verdict(await new ConsolePage().ask("POST", SESSION, { ticket }))).toEqual([401, "LINK_SPENT"]);
    expect((await exports.default.fetch(`${GATEWAY}/oauth/link/${ticket}`)).status).toBe(200);
  });

  it("of the console cannot sign in a program, and are not used up by opening them", async () => {
    const ticket = await link("console");
    expect((await exports.default.fetch(`${GATEWAY}/oauth/link/${ticket}`)).status).toBe(400);
    expect((await new ConsolePage().ask("POST", SESSION, { ticket })).status).toBe(201);
  });

  it("of the console are spent once, however many try at once", async () => {
    const ticket = await link("console");
    const tries = Array.from({ length: 5 }, () => new ConsolePage().ask("POST", SESSION, { ticket }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 401, 401, 401, 401]);
  });
});

describe("a way around the edge", () => {
  const PATHS = [
    "/console/api/v1/../../../api/v1/me",
    "/console/api/v1/%2e%2e/%2e%2e/mcp",
    "/console/api//api/v1/me",
    "/console/api/api/v1/me",
    "/console/api/mcp/x",
    "/console/api/oauth/token",
    "/console/api/console/api/v1/me",
    "/CONSOLE/api/v1/me",
    "/console/api/s/own/skills",
    "/console/api/anthropic/v1/models",
  ];

  it.each(PATHS)("%s leads nowhere", async (path) => {
    const answered = await victim.ask("GET", path);
    // A URL that normalizes to a page of the console returns that page, if it was built; it is the same for everybody.
    const isPage = answered.headers.get("content-type")?.startsWith("text/html") === true;
    expect(isPage ? [200, 404] : [401, 404]).toContain(answered.status);
    expect(await answered.text()).not.toContain("attacked-console");
  });

  it("is no header that names a session or a user", async () => {
    const marks = {
      ...OWN,
      "x-session": victim.secret,
      "x-forwarded-user": "attacked-console",
      "x-user-id": "attacked-console",
    };
    expect((await new ConsolePage().ask("GET", "/console/api/v1/me", undefined, marks)).status).toBe(401);
  });
});

describe("what another user of the same browser sees", () => {
  it("is never a cached response", async () => {
    const browser = new ConsolePage({ IDENTITY_MEMORY_S: "0" });
    await browser.signIn(key);
    const first = await browser.ask("GET", "/console/api/v1/conversations");
    expect(first.headers.get("cache-control")).toBe("no-store");
    await browser.ask("DELETE", SESSION);
    await browser.signIn(await keyFor("next-console"));
    const me = await browser.ask("GET", "/console/api/v1/me");
    expect([me.headers.get("cache-control"), (await me.json<{ user_id: string }>()).user_id]).toEqual([
      ...["no-store", "next-console"],
    ]);
  });
});
