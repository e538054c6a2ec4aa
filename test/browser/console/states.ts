// Checks the console's pages and states with axe.

import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { barriers } from "../axe";
import { keyField, openBrowser } from "../chromium";
import { Gateway } from "../gateway";
import { drop, open, overflows, signIn, skillText, zipOf } from "./page";

/** How a page is displayed. `width` is in CSS pixels. */
export interface Look {
  colorScheme: "light" | "dark";
  width: number;
}

/** Each entry opens a page and waits until it is complete. */
const PAGES: [name: string, path: string, whole: (page: Page) => Promise<unknown>][] = [
  ["the overview", "/", (page) => page.getByRole("link", { name: "Look", exact: true }).waitFor()],
  ["the library", "/skills", (page) => page.getByRole("link", { name: "mermaid-diagram" }).waitFor()],
  ["nothing found", "/?q=zzzzqqqq", (page) => page.getByText("No matching skills").waitFor()],
  ["instructions", "/skills/SKILL", (page) => page.getByRole("heading", { name: "Look" }).waitFor()],
  ["editing", "/skills/SKILL/edit", (page) => page.getByText("Ready to publish.").waitFor()],
  ["files", "/skills/SKILL?view=files&file=SKILL.md", (page) => page.getByText("description: What look").waitFor()],
  ["versions", "/skills/SKILL?view=versions", (page) => page.getByRole("list", { name: "Versions" }).waitFor()],
  ["compare", "/skills/SKILL?view=compare", (page) => page.locator(".columns .added").first().waitFor()],
  ["permissions", "/skills/SKILL?view=permissions", (page) => page.getByText("Runs code").waitFor()],
  ["use", "/skills/SKILL?view=use", (page) => page.getByText("Not used in the last 30 days").waitFor()],
  ["no such skill", "/skills/skl_nothing", (page) => page.getByRole("alert").waitFor()],
  ["no such page", "/nothing", (page) => page.getByText("No page has this address").waitFor()],
  ["publishing", "/publish", (page) => page.getByRole("button", { name: "Choose a folder" }).waitFor()],
  [
    "a report",
    "/publish",
    async (page) => {
      await page.getByRole("button", { name: "Choose a folder" }).waitFor();
      await drop(page, zipOf("bad.zip", { "bad/SKILL.md": "---\nname: bad\n---\n" }));
      await page.getByText("Cannot be published").waitFor();
    },
  ],
  [
    "servers, one of them down",
    "/servers",
    async (page) => {
      await page.getByRole("button", { name: "Test weather" }).click();
      await page.getByText("down", { exact: true }).waitFor();
    },
  ],
  ["no connected server", "/connections", (page) => page.getByText("No connected servers").waitFor()],
  [
    "keys, and a new one",
    "/keys",
    async (page) => {
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("dialog").getByText("publish and change skills").waitFor();
    },
  ],
  ["no publisher", "/publishers", (page) => page.getByText("No trusted publishers yet").waitFor()],
  ["no draft", "/drafts", (page) => page.getByText("No drafts yet").waitFor()],
  ["conversations", "/conversations", (page) => page.getByRole("button", { name: "Delete Look" }).waitFor()],
  ["no such conversation", "/conversations?q=zzzz", (page) => page.getByText("No matching conversations").waitFor()],
  ["models", "/models?of=gateway", (page) => page.getByText("No stored models").waitFor()],
  [
    "secrets, and a new one",
    "/secrets?of=gateway",
    async (page) => {
      await page.getByText("No secrets yet").waitFor();
      await page.getByRole("button", { name: "Store secret" }).click();
      await page.getByRole("dialog").waitFor();
    },
  ],
  [
    "sign-ins, and the end of them",
    "/sessions",
    async (page) => {
      await page.getByText("this browser").waitFor();
      await page.getByRole("button", { name: "End my other sessions" }).click();
      await page.getByRole("alertdialog").waitFor();
    },
  ],
  [
    "webhooks, and a new one",
    "/webhooks",
    async (page) => {
      await page.getByRole("link", { name: "look", exact: true }).waitFor();
      await page.getByRole("button", { name: "Create webhook" }).click();
      await page.getByRole("dialog").waitFor();
    },
  ],
  ["a webhook", "/webhooks/look", (page) => page.getByText("No deliveries in the last 30 days.").waitFor()],
  ["no app", "/grants", (page) => page.getByText("No connected apps").waitFor()],
  ["groups", "/groups", (page) => page.getByRole("link", { name: "sea" }).waitFor()],
  ["a group", "/groups/sea", (page) => page.getByRole("combobox", { name: "Role of admin" }).waitFor()],
  ["users", "/users", (page) => page.getByRole("rowheader").first().waitFor()],
  ["limits", "/limits", (page) => page.getByText("Today (UTC)").waitFor()],
  ["health", "/health", (page) => page.getByText("Database (D1)").waitFor()],
  ["no report", "/reports", (page) => page.getByText("No reports").waitFor()],
  ["audit", "/audit", (page) => page.getByRole("cell", { name: "skill.publish" }).first().waitFor()],
];

/** Pages that send requests, and the request that needs an answer before them, if any. */
const ASKING: [path: string, first?: RegExp][] = [
  ["/"],
  ["/skills"],
  ["/skills/SKILL"],
  ...["files", "versions", "compare", "permissions", "ratings", "use"].map((view): [string, RegExp] => [
    `/skills/SKILL?view=${view}`,
    /\/kinds\/skills\/[^/]+$/,
  ]),
  ...["/ghosts", "/ghosts/none", "/servers", "/connections", "/keys", "/drafts", "/models", "/secrets"].map(
    (path): [string] => [path],
  ),
  ...["/conversations", "/conversations/look", "/sessions", "/grants", "/groups", "/groups/sea", "/users"].map(
    (path): [string] => [path],
  ),
  ...[
    "/limits",
    "/health",
    "/audit",
    "/try",
    "/webhooks",
    "/webhooks/look",
    "/publishers",
    "/reports",
    "/insights",
  ].map((path): [string] => [path]),
];

/** Simulated outcomes of a request. */
export type Plight = "no answer yet" | "the sign-in is too old" | "the gateway failed";

const PLIGHTS: Record<Plight, { answer: (route: Route) => Promise<void>; seen: (page: Page) => Promise<unknown> }> = {
  "no answer yet": {
    answer: async () => {},
    seen: (page) => page.locator("main").getByRole("status").filter({ hasText: "Loading" }).first().waitFor(),
  },
  "the sign-in is too old": {
    answer: (route) => refuse(route, 403, "SIGN_IN_TOO_OLD", "Sign in again to do this."),
    seen: (page) => page.locator("main").getByRole("button", { name: "Sign in again" }).first().waitFor(),
  },
  "the gateway failed": {
    answer: (route) => refuse(route, 503, "STORAGE_DOWN", "Storage does not answer."),
    seen: (page) => page.locator("main").getByRole("alert").getByText("Gateway error.").first().waitFor(),
  },
};

function refuse(route: Route, status: number, code: string, detail: string): Promise<void> {
  const issues = [{ code, message: detail, path: "a/long/path/of/what/it/is/about" }];
  const body = JSON.stringify({ status, code, detail, title: code, issues, request_id: crypto.randomUUID() });
  return route.fulfill({ status, body, contentType: "application/problem+json" });
}

/** Starts a gateway with data on every page, and returns checks for all pages. */
export function inspection(): {
  /** Checks every page with its data. */
  pages(look: Look): Promise<void>;
  /** Checks every page whose requests have this outcome. */
  plight(plight: Plight, look: Look): Promise<void>;
} {
  let gateway: Gateway;
  let browser: Browser;
  /** Id of a skill with two versions. */
  let skill: string;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
    skill = await furnish(gateway);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), gateway?.stop()]);
  });
  const at = (path: string) => `${gateway.url}/console${path.replace("/skills/SKILL", `/skills/${skill}`)}`;
  const opened = ({ colorScheme, width }: Look) =>
    open(browser, gateway.url, { colorScheme, viewport: { width, height: 800 } });

  return {
    async pages(look) {
      const { page, heard, context } = await opened(look);
      await page.goto(`${gateway.url}/console/`);
      await keyField(page).waitFor();
      expect(await barriers(page)).toEqual([]);
      await signIn(page, gateway.url, gateway.key);
      for (const [name, path, whole] of PAGES) {
        // A page is the same after a navigation within the console, which takes a third of the time. The other look loads every address.
        if (look.colorScheme === "light") await page.goto(at(path));
        else await page.evaluate((url) => history.pushState({}, "", url), at(path));
        await whole(page);
        expect([name, await overflows(page), await barriers(page)]).toEqual([name, false, []]);
      }
      expect(heard()).toEqual([]);
      await context.close();
    },

    async plight(plight, look) {
      const { page, heard, context } = await opened(look);
      await signIn(page, gateway.url, gateway.key);
      const { answer, seen } = PLIGHTS[plight];
      let first: RegExp | undefined;
      await page.route(/\/console\/api\/|\/health$/, (route) => {
        const { pathname } = new URL(route.request().url());
        if (route.request().isNavigationRequest()) return route.fallback();
        return pathname.endsWith("/session") || first?.test(pathname) ? route.fallback() : answer(route);
      });
      for (const [path, before] of ASKING) {
        first = before;
        await page.goto(at(path));
        await seen(page);
        // After a failed request, no part of the page is still loading.
        if (plight !== "no answer yet")
          await expect.poll(() => page.locator("main").innerText(), { timeout: 20_000 }).not.toMatch(/Loading|^…$/m);
        expect([path, await overflows(page), await barriers(page)]).toEqual([path, false, []]);
      }
      expect(heard().filter((line) => !/status of 503/.test(line))).toEqual([]);
      await context.close();
    },
  };
}

/** Creates data for the pages. Returns the id of the skill. */
async function furnish(gateway: Gateway): Promise<string> {
  let skill = "";
  for (const version of ["1.0.0", "2.0.0"]) {
    const text = `# Look\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n[other](https://example.com/) and \`code\` ${version}`;
    const { buffer } = zipOf("look.zip", { "look/SKILL.md": skillText("look", version, text), "look/data.txt": "x" });
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(buffer)]), "look.zip");
    const answer = await fetch(`${gateway.url}/api/v1/kinds/skills/upload`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}` },
      body: form,
    });
    expect(answer.status).toBe(201);
    skill = ((await answer.json()) as { metadata: { labels: { id: string } } }).metadata.labels.id;
  }
  await gateway.call("PUT", "/conversations/look", { title: "Look" });
  await gateway.call("POST", "/groups", { name: "sea" });
  await gateway.call("POST", "/keys", { user_id: "uma" });
  await gateway.call("PUT", "/servers/weather", { url: "http://127.0.0.1:9/mcp" });
  await gateway.call("PUT", "/webhooks/look", { url: "http://127.0.0.1:9/hook", events: ["skill.yanked"] });
  return skill;
}
