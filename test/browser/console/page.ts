// A page of the console that a test may look at: signed in, and heard whenever its policy or anything else complains.

import { strToU8, zipSync } from "fflate";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { complaints, openBrowser } from "../chromium";
import { Gateway } from "../gateway";

export interface Seen {
  context: BrowserContext;
  page: Page;
  /** Complaints of the page, violations of its policy among them, and requests to anybody but the gateway. */
  heard: () => string[];
}

/** What the tests of a file share: one gateway and one browser. Each has a page of its own, which may not complain. */
export class Desk {
  #gateway: Gateway | null = null;
  #browser: Browser | null = null;
  #seen: Seen | null = null;

  constructor(settings: Record<string, string> = {}) {
    beforeAll(async () => {
      [this.#gateway, this.#browser] = await Promise.all([Gateway.start(settings), openBrowser()]);
    });
    afterAll(async () => {
      await Promise.all([this.#browser?.close(), this.#gateway?.stop()]);
    });
    beforeEach(async () => {
      this.#seen = await open(this.browser, this.gateway.url);
    });
    afterEach(async () => {
      await this.seen.context.close();
      expect(this.seen.heard()).toEqual([]);
    });
  }

  get gateway(): Gateway {
    return there(this.#gateway);
  }

  get browser(): Browser {
    return there(this.#browser);
  }

  /** The page of this test. */
  get seen(): Seen {
    return there(this.#seen);
  }

  /** A key of a user's. */
  async keyOf(user: string, more: Record<string, unknown> = {}): Promise<string> {
    return (await this.gateway.call<{ key: string }>("POST", "/keys", { user_id: user, ...more })).body.key;
  }

  /** What somebody else sends, with a key of theirs. Answers whatever the status is. */
  as<T = Record<string, unknown>>(key: string, method: string, route: string, body?: unknown) {
    return this.gateway.call<T>(method, route, body, { authorization: `Bearer ${key}` });
  }

  /** Signs in, and opens a page of the console. */
  async enter(key: string, path: string): Promise<Page> {
    const { page } = this.seen;
    await signIn(page, this.gateway.url, key, `/console${path}`);
    return page;
  }
}

function there<T>(thing: T | null): T {
  if (thing === null) throw new Error("Not before the tests have begun.");
  return thing;
}

/** A browser of somebody's own, with an empty page. */
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const heard = complaints(context);
  await context.exposeFunction("heardViolation", (what: string) => heard.push(`violation: ${what}`));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
      // @ts-expect-error the function is the test's
      globalThis.heardViolation(`${violatedDirective} ${blockedURI} ${sourceFile}`),
    );
  });
  context.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !/^(blob|data):/.test(asked)) heard.push(`asked ${asked}`);
  });
  context.on("dialog", (dialog) => {
    heard.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const page = await context.newPage();
  // The refusals that a page shows are no complaint of it.
  return {
    context,
    page,
    heard: () => heard.filter((line) => !/Failed to load resource: .* status of 4\d\d/.test(line)),
  };
}

export async function signIn(page: Page, url: string, key: string, path = "/console/"): Promise<void> {
  await page.goto(url + path);
  await page.getByLabel("Your key").fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** What a file chooser takes. */
export const zipOf = (name: string, files: Record<string, string>) => ({
  name,
  mimeType: "application/zip",
  buffer: Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])))),
});

export const skillText = (name: string, version: string, text: string, more = "") =>
  `---\nname: ${name}\ndescription: What ${name} is for.\nversion: ${version}\n${more}---\n${text}\n`;

/** Drops a folder or a file on the page, as a hand does it: the browser itself sees only that something comes. */
export async function drop(page: Page, zip: ReturnType<typeof zipOf>): Promise<void> {
  const transfer = await page.evaluateHandle(
    ({ name, mimeType, base64 }) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const carried = new DataTransfer();
      carried.items.add(new File([bytes], name, { type: mimeType }));
      return carried;
    },
    { name: zip.name, mimeType: zip.mimeType, base64: zip.buffer.toString("base64") },
  );
  for (const type of ["dragover", "drop"]) await page.dispatchEvent("main", type, { dataTransfer: transfer });
}

/** Whether the page can be pushed sideways, which a reader on a phone should never have to. */
export const overflows = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth") as Promise<boolean>;
