// The API reference at /docs in Chromium: it renders completely, supports search and deep links, loads nothing from other hosts and shows
// the document as text.

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { complaints, openBrowser } from "./chromium";
import { brightness, contrast } from "./colors";
import { Gateway } from "./gateway";

interface Served {
  info: { description: string };
  paths: Record<string, Record<string, { operationId: string; summary: string; description: string }>>;
}

let gateway: Gateway;
let browser: Browser;
let served: Served;
let ids: string[];
beforeAll(async () => {
  gateway = Gateway.shared();
  browser = await openBrowser();
  served = await (await fetch(`${gateway.url}/openapi.json`)).json();
  ids = Object.values(served.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
});
afterAll(async () => {
  await browser?.close();
});

/** Returns the rendered page with its errors and its requests to other hosts. */
async function opened(context: BrowserContext, hash = ""): Promise<{ page: Page; heard: string[] }> {
  const heard = complaints(context);
  context.on("request", (request) => {
    if (new URL(request.url()).origin !== gateway.url && !request.url().startsWith("data:")) heard.push(request.url());
  });
  const page = await context.newPage();
  await page.goto(`${gateway.url}/docs${hash}`);
  await page.getByRole("status").filter({ hasText: "operations" }).waitFor();
  return { page, heard };
}

const operation = (page: Page, id: string) => page.locator(`[id="${id}"]`);
const overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

it("is one page with a policy of its own; the documents beside it stay texts", async () => {
  for (const path of ["/docs", "/docs/"]) {
    const answer = await fetch(gateway.url + path);
    expect([path, answer.status, new URL(answer.url).pathname]).toEqual([path, 200, "/docs/"]);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    expect(await answer.text()).not.toMatch(
      /\son\w+=|style=|javascript:|https?:|<script(?! type="module" src="page\.js")/,
    );
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]),
    );
    expect(policy).not.toMatch(/unsafe|\*|, /);
  }
  const document = await fetch(`${gateway.url}/docs/api/README.md`);
  expect(document.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(document.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(document.headers.get("content-security-policy")).not.toContain("script-src");
});

it.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 375],
  ["dark", 375],
] as const)("shows every operation, readable and whole: %s, %i pixels wide", async (colorScheme, width) => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const { page, heard } = await opened(context);
  expect(await page.locator("details.operation").evaluateAll((all) => all.map(({ id }) => id))).toEqual(
    expect.arrayContaining(ids),
  );
  expect(ids.length).toBeGreaterThan(50);
  expect(await page.getByRole("status").innerText()).toBe(`${ids.length} operations`);
  // Opens all collapsed elements, including those that appear after opening others.
  for (;;) {
    const closed = await page.evaluate<number>(`(() => {
      const closed = [...document.querySelectorAll("details:not([open])")];
      for (const one of closed) one.open = true;
      return new Promise((resolve) => setTimeout(resolve, 0, closed.length));
    })()`);
    if (closed === 0) break;
  }
  expect(await page.evaluate(overflow)).toBe(false);
  const colors = await page.evaluate<[string, string, string][]>(`
    [...document.querySelectorAll("main *, nav *")].filter((one) => one.checkVisibility() && one.childElementCount === 0).map((one) => {
      let behind = one;
      while (behind !== null && getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
      return [one.tagName + "." + one.className, getComputedStyle(one).color, getComputedStyle(behind ?? document.body).backgroundColor];
    })`);
  expect(colors.length).toBeGreaterThan(1000);
  const faint = colors.filter(([, ink, paper]) => contrast(ink, paper) < 4.5);
  expect([...new Set(faint.map(([name]) => name))]).toEqual([]);
  const paper = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  expect(brightness(paper) > 0.5).toBe(colorScheme === "light");
  expect(heard).toEqual([]);
  await context.close();
});

it("opens an operation by its id in the address, with what it takes, an example and what it answers", async () => {
  const context = await browser.newContext();
  const { page, heard } = await opened(context, "/#skills.publish");
  const publish = operation(page, "skills.publish");
  expect(await publish.getAttribute("open")).toBe("");
  const top = (id: string) => page.evaluate<number>(`document.getElementById("${id}").getBoundingClientRect().top`);
  expect(await top("skills.publish")).toBeLessThan(100);
  expect(await page.evaluate("document.activeElement.parentElement.id")).toBe("skills.publish");
  await publish.getByText('default: "default"').waitFor();
  const said = await publish.innerText();
  for (const part of ["POST", "/api/v1/kinds/skills/upload", "Idempotency-Key", "multipart/form-data", "namespace"])
    expect(said).toContain(part);
  expect(said).toMatch(/curl -X POST '.*\/api\/v1\/kinds\/skills\/upload'[\s\S]*-F 'file=@mermaid-diagram\.zip'/);
  expect(said).toMatch(/201\s+Published\./);
  await publish.getByText("Skill", { exact: true }).click();
  await publish.getByText("metadata", { exact: true }).first().waitFor();
  // Navigates to another fragment on the same page, also to an entry that the search hides.
  await page.getByRole("searchbox").fill("ghosts");
  expect(await operation(page, "keys.create").isVisible()).toBe(false);
  await page.evaluate("location.hash = '#keys.create'");
  await operation(page, "keys.create").getByText("Answers").waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("");
  expect(heard).toEqual([]);
  await context.close();
});

it("is searched and read by keyboard alone", async () => {
  const context = await browser.newContext();
  const { page, heard } = await opened(context);
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.type")).toBe("search");
  await page.keyboard.type("questions CANCEL delete");
  await page
    .getByRole("status")
    .filter({ hasText: /^1 operation$/ })
    .waitFor();
  expect(await page.locator("details.operation:visible").evaluateAll((all) => all.map(({ id }) => id))).toEqual([
    "questions.cancel",
  ]);
  const reach = "document.activeElement.closest('details')?.id";
  for (let step = 0; step < 5 && (await page.evaluate(reach)) !== "questions.cancel"; step++)
    await page.keyboard.press("Tab");
  expect(await page.evaluate(reach)).toBe("questions.cancel");
  expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  await page.keyboard.press("Enter");
  await operation(page, "questions.cancel").getByText("Answers").waitFor();
  await page.getByRole("searchbox").fill("no such thing anywhere");
  await page.getByRole("status").filter({ hasText: "No operation has all of these words" }).waitFor();
  expect(await page.locator("details.operation:visible").count()).toBe(0);
  expect(heard).toEqual([]);
  await context.close();
});

it("shows what the document says as text, whatever it says", async () => {
  const planted = `<img src=/planted onerror="document.title='planted'"> [x](javascript:alert(1))`;
  const context = await browser.newContext();
  await context.route("**/openapi.json", async (route) => {
    const document = structuredClone(served);
    document.info.description = planted;
    const first = Object.values(document.paths["/api/v1/keys"] ?? {})[0];
    if (first === undefined) throw new Error("no operation at /api/v1/keys");
    Object.assign(first, { operationId: "planted.one", summary: planted, description: planted });
    await route.fulfill({ json: document });
  });
  const asked: string[] = [];
  context.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const { page, heard } = await opened(context, "/#planted.one");
  expect(await operation(page, "planted.one").innerText()).toContain(planted);
  expect(await page.title()).toBe("Skill Gateway API");
  expect(asked).not.toContain("/planted");
  expect(await page.locator("main img").count()).toBe(0);
  expect(heard).toEqual([]);
  await context.close();
});

it("says so when the document does not come", async () => {
  const context = await browser.newContext();
  await context.route("**/openapi.json", (route) => route.fulfill({ status: 429, body: "" }));
  const page = await context.newPage();
  await page.goto(`${gateway.url}/docs/`);
  await page.getByRole("alert").filter({ hasText: "429" }).waitFor();
  await context.close();
});
