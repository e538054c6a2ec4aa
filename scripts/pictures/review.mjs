// Takes a picture of every page of the console in both themes, on a desktop and on a phone, to look at before a release.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";
import { chromiumPath } from "../kit/browser.mjs";
import { fixFigures } from "./console.mjs";

const WIDTHS = [1440, 375];
const THEMES = ["light", "dark"];
/** Pages by the name of their file. `SKILL` stands for the id of a skill. */
const PAGES = {
  overview: "/",
  playground: "/try",
  skills: "/skills",
  "skill-instructions": "/skills/SKILL",
  "skill-files": "/skills/SKILL?view=files&file=SKILL.md",
  "skill-versions": "/skills/SKILL?view=versions",
  "skill-compare": "/skills/SKILL?view=compare",
  "skill-permissions": "/skills/SKILL?view=permissions",
  "skill-dependencies": "/skills/SKILL?view=dependencies",
  "skill-usage": "/skills/SKILL?view=use",
  "skill-edit": "/skills/SKILL/edit",
  publish: "/publish",
  drafts: "/drafts",
  agents: "/ghosts",
  "agent-new": "/ghosts/new",
  servers: "/servers",
  connections: "/connections",
  models: "/models",
  conversations: "/conversations",
  conversation: "/conversations/tides",
  insights: "/insights",
  review: "/review",
  keys: "/keys",
  "key-new": "/keys?new=1",
  publishers: "/publishers",
  secrets: "/secrets",
  webhooks: "/webhooks",
  webhook: "/webhooks/releases",
  groups: "/groups",
  group: "/groups/crew",
  users: "/users",
  apps: "/grants",
  health: "/health",
  limits: "/limits",
  sessions: "/sessions",
  audit: "/audit",
  "not-found": "/nothing",
};

/** Pages that are taken with the key of an admin. */
const ADMIN = new Set(["keys", "key-new", "users", "sessions", "audit"]);

/**
 * @param {string} url of a gateway with the data of `consolePictures`
 * @param {{ user: string, admin: string }} keys of the user who owns the data, and of an admin
 * @param {string} skill the id of a skill with two versions
 * @param {string} folder where the PNGs are written
 * @param {string[] | null} only the names of the pages; `null`: all
 * @returns {Promise<number>} the number of pictures
 */
export async function reviewPictures(url, keys, skill, folder, only) {
  const pages = Object.entries(PAGES).filter(([name]) => only?.includes(name) ?? true);
  await mkdir(folder, { recursive: true });
  await addData(url, keys);
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox", "--disable-gpu"] });
  let count = 0;
  try {
    for (const colorScheme of THEMES)
      for (const width of WIDTHS) {
        const [user, admin] = [await signedIn(keys.user), await signedIn(keys.admin)];
        for (const [name, place] of pages) {
          const page = ADMIN.has(name) ? admin : user;
          await page.goto(`${url}/console${place.replace("SKILL", skill)}`);
          await page.getByRole("heading", { level: 1 }).waitFor();
          await page.waitForLoadState("networkidle");
          await page
            .getByText(/^Loading/)
            .first()
            .waitFor({ state: "detached" });
          const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
          if (isWide) console.log(`${name} scrolls sideways (${width} pixels wide)`);
          // Charts out of view are not rendered otherwise.
          await page.evaluate(() => {
            for (const figure of document.querySelectorAll("figure")) figure.style.contentVisibility = "visible";
          });
          const file = path.join(folder, `${name}-${colorScheme}-${width}.png`);
          await writeFile(file, await page.screenshot({ fullPage: true, animations: "disabled" }));
          count++;
        }
        await Promise.all([user.context().close(), admin.context().close()]);

        async function signedIn(key) {
          const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
          const page = await context.newPage();
          await fixFigures(page);
          await page.goto(`${url}/console/limits`);
          await page.getByLabel("API key").fill(key);
          await page.getByRole("button", { name: "Sign in", exact: true }).click();
          await page.getByRole("heading", { name: "System" }).waitFor();
          return page;
        }
      }
  } finally {
    await browser.close();
  }
  return count;
}

/** Adds an agent, a server, a group, a secret, a model and a named key, so that no list is empty. */
async function addData(url, { user, admin }) {
  const ask = async (key, method, route, body) => {
    const answer = await fetch(`${url}/api/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
  };
  const spec = { systemPrompt: "You plan trips along the coast.", skills: ["tide-times", "csv-report"] };
  await ask(user, "POST", "/kinds/ghosts", { metadata: { name: "harbour-guide" }, spec });
  await ask(user, "PUT", "/servers/harbour", { url: "https://mcp.harbour.example/mcp" });
  await ask(user, "PUT", "/secrets/OPENAI_KEY", { value: "not-a-real-key", hosts: ["api.openai.com"] });
  const model = { api: ["openai-chat"], base_url: "https://api.openai.com/v1", model: "gpt-5-mini" };
  await ask(user, "PUT", "/models/quick", { ...model, key: `$${"{{secrets.OPENAI_KEY}}"}` });
  const claims = { repository: "marina/tides", ref: "refs/tags/v*" };
  const issuer = "https://token.actions.githubusercontent.com";
  await ask(user, "PUT", "/publishers/releases", { issuer, claims, skills: ["tide-times"] });
  await ask(user, "PUT", "/webhooks/releases", { url: "http://127.0.0.1:9/hooks/skills" });
  for (let n = 0; n < 3; n++) await ask(user, "POST", "/webhooks/releases/test");
  await ask(admin, "POST", "/groups", { name: "crew", display_name: "Crew" });
  await ask(admin, "PUT", "/groups/crew/members/marina", { role: "Owner" });
  await ask(admin, "POST", "/keys", { user_id: "marina", name: "Chat back end", scopes: ["conversations", "chat"] });
}
