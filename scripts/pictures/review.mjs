// Takes a picture of every page of the console in both themes, on a desktop and on a phone, to look at before a release.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";
import { chromiumPath } from "../kit/browser.mjs";

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
  review: "/review",
  keys: "/keys",
  "key-new": "/keys?new=1",
  secrets: "/secrets",
  groups: "/groups",
  users: "/users",
  apps: "/grants",
  health: "/health",
  limits: "/limits",
  sessions: "/sessions",
  audit: "/audit",
  "not-found": "/nothing",
};

/**
 * @param {string} url of a gateway with the data of `consolePictures`
 * @param {string} key an admin's, or the key of the user who owns the data
 * @param {string} skill the id of a skill with two versions
 * @param {string} folder where the PNGs are written
 * @returns {Promise<number>} the number of pictures
 */
export async function reviewPictures(url, key, skill, folder) {
  await mkdir(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox", "--disable-gpu"] });
  let count = 0;
  try {
    for (const colorScheme of THEMES)
      for (const width of WIDTHS) {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
        const page = await context.newPage();
        await page.goto(`${url}/console/limits`);
        await page.getByLabel("API key").fill(key);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.getByRole("heading", { name: "System" }).waitFor();
        for (const [name, place] of Object.entries(PAGES)) {
          await page.goto(`${url}/console${place.replace("SKILL", skill)}`);
          await page.getByRole("heading", { level: 1 }).waitFor();
          await page.waitForLoadState("networkidle");
          await page.getByText("Loading", { exact: false }).first().waitFor({ state: "detached" });
          const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
          if (isWide) console.log(`${name} scrolls sideways (${width} pixels wide)`);
          const file = path.join(folder, `${name}-${colorScheme}-${width}.png`);
          await writeFile(file, await page.screenshot({ fullPage: true, animations: "disabled" }));
          count++;
        }
        await context.close();
      }
  } finally {
    await browser.close();
  }
  return count;
}
