// Starts Chromium and collects errors of its pages.

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumPath } from "../../scripts/kit/browser.mjs";

const QUIET =
  "--renderer-process-limit=1 --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

let shared: Promise<Browser> | null = null;

/**
 * Returns the Chromium of this process, which all test files share. Closing it closes its contexts only: Playwright ends it when the
 * process ends. With flags it starts a Chromium of its own.
 */
export function openBrowser(...flags: string[]): Promise<Browser> {
  if (flags.length > 0) return launch(flags);
  shared ??= launch().then((browser) => {
    browser.close = async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    };
    return browser;
  });
  return shared;
}

function launch(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: ["--no-sandbox", ...QUIET.split(" "), ...flags],
  });
}

/** Collects the errors of pages, except network errors, which tests cause on purpose. */
export function complaints(context: BrowserContext): string[] {
  const heard: string[] = [];
  // Every way in which a request can end when the gateway is killed or the network is cut.
  const away =
    /ERR_CONNECTION|ERR_SOCKET_NOT_CONNECTED|ERR_INTERNET_DISCONNECTED|ERR_NETWORK|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|WebSocket connection to/;
  context.on("weberror", (error) => heard.push(`${error.error()}`));
  context.on("console", (message) => {
    // The favicon does not exist, and the console reads its session before the user signs in. Both requests fail as expected.
    const isAsked = /\/(?:favicon\.ico|console\/api\/session)$/.test(message.location().url);
    if (message.type() === "error" && !away.test(message.text()) && !isAsked) heard.push(message.text());
  });
  return heard;
}

/** The field of the sign-in. Without `exact` the label would also match the tabs of the page "API keys". */
export const keyField = (page: Page) => page.getByLabel("API key", { exact: true });

/** Opens the console's page of a conversation, signed in with `key`. Creates the conversation if it does not exist. */
export async function openConversation(context: BrowserContext, url: string, key: string, id: string): Promise<Page> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const made = await fetch(`${url}/api/v1/conversations`, { method: "POST", headers, body: JSON.stringify({ id }) });
  if (!made.ok) throw new Error(`conversations: ${made.status} ${await made.text()}`);
  const page = await context.newPage();
  await page.goto(`${url}/console/conversations/${id}`);
  const door = keyField(page);
  await door.or(status(page)).waitFor();
  if ((await door.count()) > 0) {
    await door.fill(key);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  }
  await connected(page);
  return page;
}

const status = (page: Page) => page.locator("p[data-status]");
export const connected = (page: Page) => page.locator("p[data-status=open]").waitFor();
export const disconnected = (page: Page) => page.locator("p[data-status=waiting]").waitFor({ timeout: 45_000 });

/**
 * Creates pages on the gateway's origin that run scripts of a test, like an application's own front end, without the Content Security
 * Policy.
 */
export function ownPages(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ bypassCSP: true });
}
