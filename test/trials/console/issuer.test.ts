// `npm run try:console`: sign-in with an organization's issuer through the console, and responses that belong to a different browser.

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { anyPort } from "../../../scripts/local/port.mjs";
import { barriers } from "../../browser/axe";
import { openBrowser } from "../../browser/chromium";
import { signOut } from "../../browser/console/page";
import { Gateway } from "../../browser/gateway";
import { Organization } from "../../support/oidc/organization";

const OWN = { id: "the-gateway", secret: "of the gateway" };

let organization: Organization;
let gateway: Gateway;
let browser: Browser;
let context: Awaited<ReturnType<Browser["newContext"]>>;

beforeAll(async () => {
  const port = await anyPort();
  organization = await Organization.start({ ...OWN, redirectUri: `http://127.0.0.1:${port}/oauth/callback` });
  const settings = {
    ...{ JWT_ISSUER: organization.issuer, JWT_JWKS_URL: organization.keysUrl, OAUTH_SERVER: "own" },
    ...{ JWT_AUDIENCE: `http://127.0.0.1:${port}/mcp`, OIDC_CLIENT_ID: OWN.id, OIDC_CLIENT_SECRET: OWN.secret },
  };
  [gateway, browser] = await Promise.all([Gateway.start(settings, port), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop(), organization?.close()]);
});
beforeEach(async () => {
  organization.account = "jo";
  context = await browser.newContext();
});
afterEach(() => context.close());

/** Opens a page of the console and presses the button. */
async function begin(place = "/console/limits") {
  const page = await context.newPage();
  await page.goto(gateway.url + place);
  const button = page.getByRole("button", { name: `Sign in with ${new URL(organization.issuer).host}` });
  await button.waitFor();
  return { page, press: () => button.click() };
}

const isSignedIn = async () => (await context.cookies()).some(({ name }) => name.includes("skillgate_console"));

it("signs in whom the issuer names, and comes back to the page that was asked for", async () => {
  const { page, press } = await begin();
  expect(await barriers(page)).toEqual([]);
  await press();
  await page.getByRole("heading", { name: "System" }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/console/limits`);
  expect(await page.locator(".who").innerText()).toContain("jo");
  // Nothing of the sign-in stays in the URL or in this host's cookies.
  expect((await context.cookies(gateway.url)).map(({ name }) => name).filter((name) => /sgw|sign/.test(name))).toEqual(
    [],
  );
});

/** Signs in at the issuer and stops before its response reaches the gateway. */
async function answerOf(): Promise<URL> {
  const { page, press } = await begin();
  const asked = page.waitForRequest((request) => request.url().startsWith(organization.issuer));
  await page.route(`${organization.issuer}/**`, (route) => route.abort());
  await press();
  // Follows the redirects one by one with the browser's cookies.
  let url = (await asked).url();
  while (url.startsWith(organization.issuer)) {
    const answer = await context.request.get(url, { maxRedirects: 0 });
    url = new URL(answer.headers().location ?? "", url).href;
  }
  expect(new URL(url).pathname).toBe("/oauth/callback");
  return new URL(url);
}

it.each([
  ["another issuer's (mix-up)", (answer: URL) => answer.searchParams.set("iss", "https://evil.example")],
  ["without its issuer", (answer: URL) => answer.searchParams.set("iss", "")],
  ["with another state", (answer: URL) => answer.searchParams.set("state", `${answer.searchParams.get("state")}0`)],
  ["without a state", (answer: URL) => answer.searchParams.delete("state")],
  ["with another code", (answer: URL) => answer.searchParams.set("code", "another")],
] as const)("signs nobody in by an answer that is %s", async (_, spoil) => {
  const answer = await answerOf();
  spoil(answer);
  const page = await context.newPage();
  await page.goto(answer.href);
  await page.getByRole("heading", { name: "Sign-in failed" }).waitFor();
  expect([await isSignedIn(), await barriers(page)]).toEqual([false, []]);
});

it("signs nobody in by the answer of an attacker's own sign-in (login CSRF)", async () => {
  organization.account = "mallory";
  const answer = await answerOf();
  const victim = await browser.newContext();
  const page = await victim.newPage();
  await page.goto(answer.href);
  await page.getByRole("heading", { name: "Sign-in failed" }).waitFor();
  await page.goto(`${gateway.url}/console/`);
  await page.getByLabel("API key").waitFor();
  await victim.close();
});

it("takes an answer once", async () => {
  const answer = await answerOf();
  const page = await context.newPage();
  await page.goto(answer.href);
  await signOut(page);
  await page.getByLabel("API key").waitFor();
  await page.goto(answer.href);
  await page.getByRole("heading", { name: "Sign-in failed" }).waitFor();
  expect(await isSignedIn()).toBe(false);
});
