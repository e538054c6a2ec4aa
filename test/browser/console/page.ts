// Opens and signs in console pages. Records errors and violations of the Content Security Policy.

import { strToU8, zipSync } from "fflate";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { complaints, keyField } from "../chromium";

export interface Seen {
  context: BrowserContext;
  page: Page;
  /** Errors of the page, policy violations, and requests to other hosts than the gateway. */
  heard: () => string[];
}

/** Opens an empty page in its own browser context. */
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
  // Error responses that the page shows do not count as errors of the page.
  return {
    context,
    page,
    heard: () => heard.filter((line) => !/Failed to load resource: .* status of 4\d\d/.test(line)),
  };
}

/** Signs in without the form, whose page would load the console twice, and opens a page. */
export async function signIn(page: Page, url: string, key: string, path = "/console/"): Promise<void> {
  const headers = { origin: url, "x-skillgate-console": "1" };
  const session = await page.context().request.post(`${url}/console/api/session`, { data: { key }, headers });
  expect(session.status()).toBe(201);
  await page.goto(url + path);
  await page.locator("#page").waitFor();
}

/** Opens a page, which shows the sign-in, and signs in there. */
export async function signInByForm(page: Page, url: string, key: string, path = "/console/"): Promise<void> {
  await page.goto(url + path);
  await keyField(page).fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.locator("#page").waitFor();
}

/** Opens a page through the navigation, which is a drawer on phones, and then one of its tabs. */
export async function go(page: Page, name: string, tab?: string): Promise<void> {
  if (hasDrawer(page)) await page.getByRole("button", { name: "Open the navigation" }).click();
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true }).click();
  if (tab !== undefined)
    await page.getByRole("navigation", { name, exact: true }).getByRole("link", { name: tab }).click();
}

/** Signs out and waits until the sign-in has replaced the page. */
export async function signOut(page: Page): Promise<void> {
  if (hasDrawer(page)) await page.getByRole("button", { name: "Open the navigation" }).click();
  await page.getByRole("button", { name: /^Account: / }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL("**/console/");
  await keyField(page).waitFor();
}

/** Whether the window is so narrow that the navigation is a drawer. */
export const hasDrawer = (page: Page): boolean => (page.viewportSize()?.width ?? 0) <= 860;

/** Creates a ZIP for a file chooser. */
export const zipOf = (name: string, files: Record<string, string>) => ({
  name,
  mimeType: "application/zip",
  buffer: Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])))),
});

export const skillText = (name: string, version: string, text: string, more = "") =>
  `---\nname: ${name}\ndescription: What ${name} is for.\nversion: ${version}\n${more}---\n${text}\n`;

/** Dispatches the drag events of dropping a ZIP on the page. */
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

/** Whether the page scrolls sideways, which it must not do on a phone. */
export const overflows = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth") as Promise<boolean>;
