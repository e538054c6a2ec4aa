// Sign-in as users see it: from the program's link to the page and back.

import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { allow, BACK, Browser, GATEWAY, openPage, register, request } from "../support/sign-in";

describe("signing in with a key", () => {
  it("redirects from the program's link back to the program, with code, state and issuer", async () => {
    const browser = new Browser();
    const page = await openPage(browser);
    const first = await browser.send(page);
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const text = await first.text();
    for (const shown of ["A host", "Its name is not verified", "127.0.0.1:33418", `${GATEWAY}/mcp`, "Your key"])
      expect(text).toContain(shown);
    const key = await keyFor("flow-alice");
    const signedIn = await browser.post(page, { how: "key", key });
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, GATEWAY + page]);
    expect(await (await browser.send(page)).text()).toContain("Allow A host to use this Skill Gateway as flow-alice?");
    const allowed = await browser.post(page, { how: "approve" });
    const back = new URL(allowed.headers.get("location") ?? "");
    expect(back.origin + back.pathname).toBe(BACK);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^sgc_/),
      state: "of the host",
      iss: GATEWAY,
    });
    expect(browser.cookies.size).toBe(0);
  });

  it("asks for consent each time, and returns a denial to the program", async () => {
    const browser = new Browser();
    const key = await keyFor("flow-bob");
    const clientId = await register();
    await allow(browser, await openPage(browser, { client_id: clientId }), key);
    const page = await openPage(browser, { client_id: clientId });
    expect(await (await browser.send(page)).text()).toContain("Sign in to continue");
    const denied = await browser.post(page, { how: "deny" });
    const back = new URL(denied.headers.get("location") ?? "");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: "access_denied",
      state: "of the host",
      iss: GATEWAY,
    });
    expect((await browser.send(page)).status).toBe(400);
  });

  it("lets another user sign in instead", async () => {
    const browser = new Browser();
    const page = await openPage(browser);
    await browser.post(page, { how: "key", key: await keyFor("flow-carol") });
    await browser.post(page, { how: "again" });
    expect(await (await browser.send(page)).text()).not.toContain("flow-carol");
    expect((await browser.post(page, { how: "approve" })).status).toBe(400);
    await browser.post(page, { how: "key", key: await keyFor("flow-dave") });
    expect(await (await browser.send(page)).text()).toContain("as flow-dave?");
  });
});

describe("a sign-in link", () => {
  const linkFor = async (user: string) => {
    const made = await call("POST", "/api/v1/sign-ins", { json: { user_id: user } });
    expect(made.status).toBe(201);
    return (await made.json<{ url: string }>()).url;
  };

  it("is not used up by opening it, but by one sign-in in one browser", async () => {
    const link = await linkFor("flow-eve");
    const scanner = new Browser();
    for (let n = 0; n < 3; n++) expect((await scanner.send(link)).status).toBe(200);
    const browser = new Browser();
    const page = await openPage(browser);
    const opened = await browser.post(link, {});
    expect([opened.status, opened.headers.get("location")]).toEqual([303, GATEWAY + page]);
    expect((await scanner.send(link)).status).toBe(400);
    expect((await scanner.post(link, {})).status).toBe(400);
    expect(await (await browser.send(page)).text()).toContain("Continue as flow-eve");
    await browser.post(page, { how: "link" });
    expect(await (await browser.send(page)).text()).toContain("as flow-eve?");
    const second = await openPage(browser);
    expect(await (await browser.send(second)).text()).not.toContain("flow-eve");
    expect((await browser.post(second, { how: "link" })).status).toBe(400);
  });

  it("can be opened before the program's request, and be typed in another browser", async () => {
    const early = new Browser();
    const waiting = await early.post(await linkFor("flow-frank"), {});
    expect([waiting.status, await waiting.text()]).toEqual([200, expect.stringContaining("flow-frank")]);
    const page = await openPage(early);
    expect((await early.post(page, { how: "link" })).status).toBe(303);
    const other = new Browser();
    const typed = await openPage(other);
    const link = await linkFor("flow-grace");
    expect((await other.post(typed, { how: "key", key: ` ${link} ` })).status).toBe(303);
    expect(await (await other.send(typed)).text()).toContain("as flow-grace?");
    const again = await openPage(other);
    expect((await other.post(again, { how: "key", key: link })).status).toBe(400);
  });
});

describe("a page of signing in", () => {
  it("has no scripts, cannot be framed, is not cached, and has no form-action", async () => {
    const browser = new Browser();
    const begun = await browser.send(await request());
    const [cookie = ""] = begun.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-sgw-tx-sin_[^=]+=[0-9a-f]{64}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const page = await browser.send(begun.headers.get("location") ?? "");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    expect(page.headers.get("cross-origin-opener-policy")).toBeNull();
    expect(await page.text()).not.toMatch(/<script|javascript:|\son[a-z]+=/i);
  });
});
