// Measures the console's lists in Chromium: from opening the page to the frame that shows the first rows, for a user with 10 000 skills and
// 1 000 conversations. The floor is the same page of a user with 100 of each. The row fails if a list contains more than 100 rows or
// requests more than one page of them.

import { chromium } from "playwright-core";
import { chromiumPath } from "../../scripts/kit/browser.mjs";
import { startGateway } from "../gateway.mjs";
import { compare } from "../measure.mjs";
import { seedCatalog } from "../skills.mjs";

const SMALL = "lists-100";
const LARGE = "lists-10000";
const MOST_ROWS = 100;

/** By name: the path of the list, and the requests for its rows. */
const LISTS = {
  "the library": { place: "/console/", asks: /\/kinds\/skills/ },
  "a search in the library": { place: "/console/?q=skill", asks: /\/kinds\/skills/ },
  "the conversations": { place: "/console/conversations", asks: /\/v1\/conversations/ },
};

export async function run({ passes, seconds }) {
  const gateway = await startGateway({ development: true });
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const pages = {};
    for (const [user, skills, conversations] of [
      [SMALL, 100, 100],
      [LARGE, 10_000, 1_000],
    ]) {
      await seedCatalog(gateway, user, skills);
      await seedConversations(gateway, user, conversations);
      pages[user] = await signedIn(browser, gateway, user);
    }
    const results = [];
    for (const [name, list] of Object.entries(LISTS)) {
      const side = (user) => ({ prepare: async () => ({ page: pages[user], url: gateway.url, list }) });
      const times = await compare(
        firstRows,
        { floor: side(SMALL), path: side(LARGE) },
        { passes, seconds: seconds * 3 },
      );
      results.push({ name: `first paint of ${name}, of the larger user`, budget: 1.5, ...times });
    }
    return results;
  } finally {
    await browser.close();
    await gateway.stop();
  }
}

/** Opens a page in a separate browser context for the user, signed in, that records when rows first appear. */
async function signedIn(browser, gateway, user) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(() => {
    const seen = new MutationObserver(() => {
      if (document.querySelector("tbody tr") === null) return;
      seen.disconnect();
      requestAnimationFrame(() => {
        globalThis.firstRows = performance.now();
      });
    });
    seen.observe(document, { childList: true, subtree: true });
  });
  const page = await context.newPage();
  await page.goto(new URL("/console/limits", gateway.url).href);
  await page.getByLabel("Your key").fill(await gateway.keyOf(user));
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  return page;
}

/** Opens the list again. */
async function firstRows({ page, url, list: { place, asks } }) {
  const asked = [];
  const note = (request) => asks.test(request.url()) && asked.push(request.url());
  page.on("request", note);
  await page.goto(new URL(place, url).href);
  const ms = await (await page.waitForFunction(() => globalThis.firstRows)).jsonValue();
  const rows = await page.locator("tbody tr").count();
  page.off("request", note);
  if (rows === 0 || rows > MOST_ROWS || asked.length !== 1)
    throw new Error(`${place} has ${rows} rows, and asked ${asked.length} times for them: ${asked.join(" ")}`);
  return { ms, text: "" };
}

/** Creates only the rows of the list. The content of a conversation is in its object, which lists do not open. */
async function seedConversations(gateway, user, count) {
  const ids = JSON.stringify(Array.from({ length: count }, (_, n) => `chat-${`${n}`.padStart(5, "0")}`));
  await gateway.call(user, "POST", "/api/v1/conversations/template/turns", { conversation: {} });
  const { results } = await gateway.db
    .prepare("SELECT * FROM conversations WHERE user_id = ? LIMIT 1")
    .bind(user)
    .all();
  const names = Object.keys(results[0]);
  const values = names.map((name) => (name === "id" ? "row.value" : `?${names.indexOf(name) + 2}`));
  await gateway.db
    .prepare(`INSERT INTO conversations (${names.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?1) AS row`)
    .bind(ids, ...names.map((name) => results[0][name]))
    .run();
}
