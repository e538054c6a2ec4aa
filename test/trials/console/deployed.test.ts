// `npm run try:console`: attacks on a deployable build under a domain, from its sibling hosts and from another domain. Checks the visible
// result for the victim and the gateway's responses, in a real browser with real cookies.

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { signIn, signOut } from "../../browser/console/page";
import { Deployment, EVIL, GATEWAY, SIBLING } from "./deployment";

const COOKIE = "__Host-skillgate_console";
const PLAIN = "skillgate_console";
const ATTACKERS = [SIBLING, EVIL];

let deployment: Deployment;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let keys: Record<"victim" | "attacker", string>;

beforeAll(async () => {
  deployment = await Deployment.start();
  browser = await deployment.openBrowser();
  const keyOf = async (user_id: string) => (await deployment.ask<{ key: string }>("POST", "/keys", { user_id })).key;
  keys = { victim: await keyOf("victim"), attacker: await keyOf("attacker") };
});
afterAll(async () => {
  await browser?.close();
  await deployment?.stop();
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  deployment.traps.clear();
});

const signInVictim = () => signIn(page, GATEWAY, keys.victim);

/** Returns the signed-in user from a new request to the console. */
async function whoIs(): Promise<string> {
  await page.goto(`${GATEWAY}/console/limits`);
  await page.locator("#page").waitFor();
  return await page.locator(".who").innerText();
}

/** Opens an attacker's page in the victim's browser and waits until its script reports that it is done. */
async function lure(origin: string, html: string, headers?: Record<string, string>): Promise<Page> {
  deployment.traps.set("/trap", { html: `<!doctype html><title>Trap</title>${html}`, ...(headers && { headers }) });
  deployment.asked = [];
  const trap = await context.newPage();
  await trap.goto(`${origin}/trap`);
  return trap;
}

/** Returns the requests to the console edge that did not come from the console's own page. */
const inConsole = () =>
  deployment.asked.filter(({ path, site }) => path.startsWith("/console/api") && site !== "same-origin");

describe("the cookie", () => {
  it("is of this host alone, over TLS alone, and no script's", async () => {
    await signInVictim();
    const cookies = await context.cookies();
    expect(cookies).toEqual([
      expect.objectContaining({
        ...{ name: COOKIE, domain: "gateway.domain.test", path: "/", secure: true, httpOnly: true, sameSite: "Strict" },
      }),
    ]);
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain("sg");
    expect(await whoIs()).toContain("victim");
  });

  it("goes to no other host, neither of the domain nor beyond", async () => {
    await signInVictim();
    for (const origin of ATTACKERS) {
      const trap = await lure(origin, "");
      expect([origin, await trap.evaluate("document.cookie")]).toEqual([origin, ""]);
      expect(await context.cookies(origin)).toEqual([]);
    }
  });

  it("cannot be set from a sibling host, by a header or a script", async () => {
    const attacker = await browser.newContext();
    const theirs = await attacker.newPage();
    await signIn(theirs, GATEWAY, keys.attacker);
    const secret = (await attacker.cookies()).find(({ name }) => name === COOKIE)?.value ?? "";
    expect(secret).not.toBe("");
    const tossed = [COOKIE, PLAIN].flatMap((name) =>
      ["/", "/console", "/console/api"].map((path) => `${name}=${secret}; Domain=domain.test; Path=${path}; Secure`),
    );
    const script = `for (const cookie of ${JSON.stringify(tossed)}) document.cookie = cookie;`;
    const html = `<script>${script}</script>`;
    deployment.traps.set("/set", { html, headers: { "set-cookie": tossed } });
    for (const isSignedIn of [false, true]) {
      if (isSignedIn) await signInVictim();
      const trap = await context.newPage();
      await trap.goto(`${SIBLING}/set`);
      // They exist, but not under the name that counts.
      const names = (await context.cookies(GATEWAY)).map(({ name }) => name);
      expect(names).toContain(PLAIN);
      expect(names.filter((name) => name === COOKIE).length).toBe(isSignedIn ? 1 : 0);
      await page.goto(`${GATEWAY}/console/limits`);
      if (isSignedIn) expect(await whoIs()).toContain("victim");
      else await page.getByLabel("API key").waitFor();
    }
    await attacker.close();
  });
});

describe.each(ATTACKERS)("a page at %s", (origin) => {
  it("reads and changes nothing by fetch, forms, pictures, scripts and sockets", async () => {
    await signInVictim();
    const at = `${GATEWAY}/console/api`;
    const trap = await lure(
      origin,
      `<img src="${at}/v1/me"><script src="${at}/v1/me"></script><link rel="stylesheet" href="${at}/v1/me">
       <iframe name="sink"></iframe><script>
       const got = [];
       const note = (what) => (text) => got.push([what, text]);
       const send = (what, path, init) => fetch("${at}" + path, init).then((a) => a.text(), (e) => "failed").then(note(what));
       const json = JSON.stringify({ key: ${JSON.stringify(keys.attacker)} });
       globalThis.done = Promise.all([
         send("read", "/v1/me", { credentials: "include" }),
         send("opaque", "/v1/me", { credentials: "include", mode: "no-cors" }),
         send("header", "/v1/me", { credentials: "include", headers: { "x-skillgate-console": "1" } }),
         send("write", "/v1/groups", { method: "POST", credentials: "include", mode: "no-cors", body: '{"name":"stolen"}' }),
         send("sign in", "/session", { method: "POST", credentials: "include", mode: "no-cors", body: json }),
         send("sign out", "/session", { method: "DELETE", credentials: "include" }),
         send("chat", "/openai/v1/chat/completions", { method: "POST", credentials: "include", mode: "no-cors", body: "{}" }),
         ...["/v1/me", "/v1/conversations/a/socket"].map((path) => new Promise((over) => {
           const socket = new WebSocket("${at.replace("https", "wss")}" + path);
           socket.onopen = () => { note("socket")("open"); over(); };
           socket.onerror = over;
         })),
       ]).then(() => got);
       for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
         const form = document.createElement("form");
         Object.assign(form, { method: "post", action: "${at}/session", enctype, target: "sink" });
         const field = Object.assign(document.createElement("input"), { name: json.slice(0, -1) + ',"x":"', value: '"}' });
         form.append(field); document.body.append(form); form.submit();
       }
       </script>`,
    );
    const got = (await trap.evaluate("done")) as [string, string][];
    for (const [what, text] of got) expect([what, ["", "failed"].includes(text)]).toEqual([what, true]);
    await trap.waitForLoadState("networkidle");
    const asked = inConsole();
    expect(asked.length).toBeGreaterThanOrEqual(8);
    for (const one of asked) expect(one).toMatchObject({ status: 403 });
    // SameSite covers the whole domain: the browser sends the cookie from a sibling host, so the headers of the page decide.
    const carried = asked.filter(({ cookie }) => cookie.includes(COOKIE));
    expect(carried.length > 0).toBe(origin === SIBLING);
    expect(await whoIs()).toContain("victim");
    expect(JSON.stringify(await deployment.ask("GET", "/groups?all=true"))).not.toContain("stolen");
  });

  it("signs nobody in as the attacker (login CSRF)", async () => {
    const json = JSON.stringify({ key: keys.attacker });
    const trap = await lure(
      origin,
      `<form method="post" enctype="text/plain" action="${GATEWAY}/console/api/session">
       <input name='${json.slice(0, -1)},"x":"' value='"}'><button>Win a prize</button></form>`,
    );
    await trap.getByRole("button").click();
    await trap.waitForURL(`${GATEWAY}/**`);
    expect(inConsole().map(({ status }) => status)).toEqual([403]);
    expect(await context.cookies(GATEWAY)).toEqual([]);
  });

  it("has the console in no frame, and no hold of its window", async () => {
    await signInVictim();
    const trap = await lure(
      origin,
      `<iframe src="${GATEWAY}/console/"></iframe><iframe src="${GATEWAY}/console/api/v1/me"></iframe>
       <object data="${GATEWAY}/console/keys"></object><embed src="${GATEWAY}/console/keys">`,
    );
    await trap.waitForLoadState("networkidle");
    for (const frame of trap.frames().slice(1)) {
      const text = await frame
        .locator("body")
        .innerText()
        .catch(() => "");
      expect([frame.url(), text.includes("victim"), text.includes("Skill Gateway")]).toEqual([
        frame.url(),
        false,
        false,
      ]);
    }
    const [opened] = await Promise.all([
      context.waitForEvent("page"),
      trap.evaluate(`globalThis.taken = open("${GATEWAY}/console/keys")`),
    ]);
    await opened.locator("#page").waitFor();
    expect(await trap.evaluate("taken.closed || taken.length === 0 && taken.opener === null")).toBe(true);
    expect(await opened.evaluate("opener === null")).toBe(true);
  });

  it("gets no answer by leading there, and learns nothing by its history or its time", async () => {
    await signInVictim();
    const trap = await lure(origin, `<a href="${GATEWAY}/console/api/v1/me">me</a>`);
    await trap.getByRole("link").click();
    await trap.waitForURL(`${GATEWAY}/**`);
    expect(await trap.locator("body").innerText()).not.toContain("victim");
    expect(inConsole().map(({ status }) => status)).toEqual([403]);
  });
});

it("leads nowhere else, whatever its address says", async () => {
  await signInVictim();
  const PLACES = [
    "//evil.example/",
    "/console//evil.example",
    "/console/%2f%2fevil.example",
    "/console/\\evil.example",
    "/console/..//evil.example",
    "/console?return_to=https://evil.example/",
    "/console/?redirect=//evil.example",
    "/console#https://evil.example",
    "/?next=https://evil.example",
  ];
  for (const place of PLACES) {
    await page.goto(GATEWAY + place).catch((error: Error) => expect([place, error.message]).toEqual([place, ""]));
    await page.locator("body").filter({ hasText: /\S/ }).waitFor();
    expect([place, new URL(page.url()).origin]).toEqual([place, GATEWAY]);
  }
});

it("takes no link of a stranger without asking, and does not send it on", async () => {
  const { url } = await deployment.ask<{ url: string }>("POST", "/sign-ins", {
    user_id: "attacker",
    purpose: "console",
  });
  await page.goto(url);
  await page.getByText("Continue only if you created", { exact: false }).waitFor();
  expect(await context.cookies(GATEWAY)).toEqual([]);
  expect(deployment.asked.map(({ path }) => path).join()).not.toContain("sgl_");
});

it("shows nothing after signing out: not by Back, not by the address, not from what the browser has kept", async () => {
  await signInVictim();
  for (const name of ["API keys", "System", "Skills"]) {
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { name: /API keys|System|Skills/, level: 1 }).waitFor();
  }
  // Also if the user leaves the console by navigation: the browser may then store the whole page in its back/forward cache.
  deployment.traps.set("/away", { html: "<h1>Away</h1>" });
  await page.goto(`${EVIL}/away`);
  await page.goBack();
  await signOut(page);
  await page.getByLabel("API key").waitFor();
  expect(await context.cookies(GATEWAY)).toEqual([]);
  await page.goto(`${EVIL}/away`);
  for (let steps = 0; steps < 4; steps++) {
    await page.goBack();
    if (!page.url().startsWith(GATEWAY)) continue;
    await page.getByLabel("API key").waitFor();
    expect(await page.locator("body").innerText()).not.toContain("victim");
  }
  await context.setOffline(true);
  await page.goto(`${GATEWAY}/console/api/v1/me`).catch(() => undefined);
  expect(await page.locator("body").innerText()).not.toContain("victim");
});
