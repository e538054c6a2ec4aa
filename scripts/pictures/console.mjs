// Takes the pictures of the console for docs/console.md. Skills, conversation, color schemes and window size (desktop) are always
// the same, and times are replaced, so that a new picture differs only where the console does.

import { strToU8, zipSync } from "fflate";
import { chromium } from "playwright-core";
import { chromiumPath } from "../kit/browser.mjs";

const SIZE = { width: 1280, height: 620 };
const VERSIONS = {
  "1.0.0": skill(
    "1.0.0",
    "Read",
    "Find the nearest harbour.\nRead its table.\nSay the height of the tide, and when it is.\n",
  ),
  "1.1.0": skill(
    "1.1.0",
    "Read Bash",
    "Find the nearest harbour.\nRead its table.\nSay the depth at low tide, and when it is.\n",
  ),
};
const DAYS = [470, 440, 465, 530, 590, 598, 560];
const counts = (loads, calls, failures) => ({ loads, calls, failures, tokens: loads * 1204 });
const USAGE = {
  ...{ since: "2026-01-01", until: "2026-01-07", skills: 3 },
  ...{ totals: counts(3653, 1520, 21), before: counts(3390, 1400, 12) },
  days: DAYS.map((loads, n) => ({ day: `2026-01-0${n + 1}`, ...counts(loads, Math.round(loads * 0.42), 3) })),
  top: [
    { skill_id: "skl_1", skill_name: "tide-times", ...counts(1812, 812, 7) },
    { skill_id: "skl_2", skill_name: "mermaid-diagram", ...counts(1230, 420, 4) },
    { skill_id: "skl_3", skill_name: "json-table", ...counts(611, 288, 10) },
  ],
};
const listed = (id, title, ghost, minutes, turns, tokens, pasted_tokens) => {
  const at = new Date(Date.now() - minutes * 60_000).toISOString();
  return { id, title, ghost, created_at: at, last_turn_at: at, turns, tokens, pasted_tokens, failed_calls: 0 };
};

/** Gives a page fixed figures: conversations report their counts once an hour, and their tokens after ten minutes. */
export async function fixFigures(page) {
  await page.route("**/kinds/skills/usage?**", (route) => route.fulfill({ json: USAGE }));
  const items = [
    listed("tides", "Low tide at Cuxhaven", null, 4, 4, 6_120, 41_800),
    listed("trip-12", "A weekend on Föhr", "harbour-guide", 95, 11, 21_340, 158_200),
    listed("report-7", "Quarterly report", null, 1_520, 6, 9_870, 66_400),
  ];
  await page.route("**/conversations?**", (route) => route.fulfill({ json: { items, next_cursor: null } }));
}

const BROKEN = "---\nname: tide-times\nversion: 1.2.0\n---\n\nFind the nearest harbour.\n";

/**
 * @param {string} url of a gateway of its own
 * @param {string} adminKey
 * @returns {Promise<{ pictures: Record<string, Buffer>, key: string, skill: string }>} PNGs by the name of their file, the key of the user
 *   who owns the data, and the id of the skill
 */
export async function consolePictures(url, adminKey) {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    return await taken(browser, url, adminKey);
  } finally {
    await browser.close();
  }
}

async function taken(browser, url, adminKey) {
  const key = await keyOf("marina");
  const context = await browser.newContext({ viewport: SIZE, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  const pictures = {};
  const id = await publish();
  await converse();

  await page.goto(`${url}/console/publish`);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Publish a skill" }).waitFor();
  const file = { name: "tide-times.zip", mimeType: "application/zip", buffer: zip(BROKEN) };
  await page.locator("input[type=file]").first().setInputFiles(file);
  await page.getByText("Cannot be published").waitFor();
  await keep("console-report.png");

  await page.goto(`${url}/console/skills/${id}?view=compare`);
  await page.locator(".columns .added").first().waitFor();
  await keep("console-compare.png");

  const overview = await context.newPage();
  await fixFigures(overview);
  await overview.setViewportSize({ width: SIZE.width, height: 880 });
  for (const colorScheme of ["light", "dark"]) {
    await overview.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await overview.goto(`${url}/console/`);
    await overview.locator(".lines polyline").first().waitFor();
    await overview.getByText("Nothing needs attention.").waitFor();
    await overview.getByRole("region", { name: "Your conversations" }).locator("strong").waitFor();
    await keepAll(overview, `console-overview-${colorScheme}.png`);
    await overview.goto(`${url}/console/conversations/tides`);
    await overview.getByText("Live", { exact: true }).waitFor();
    await overview.locator(".trace .step").first().waitFor();
    await keepAll(overview, `console-conversation-${colorScheme}.png`);
  }
  await context.close();
  return { pictures, key, skill: id };

  /** Stores a screenshot of the window. */
  async function keepAll(shown, name) {
    await shown.evaluate(() => {
      for (const time of document.querySelectorAll("time")) time.textContent = "1 Jan 2026, 12:00";
    });
    pictures[name] = await shown.screenshot({ animations: "disabled", caret: "hide" });
  }

  /** Stores a screenshot of the window that begins `from` pixels below the top. */
  async function keep(name, from = 0) {
    await page.evaluate(() => {
      for (const time of document.querySelectorAll("time")) time.textContent = "1 Jan 2026, 12:00";
    });
    pictures[name] = await page.screenshot({
      clip: { x: 0, y: from, width: SIZE.width, height: SIZE.height - from },
      animations: "disabled",
      caret: "hide",
    });
  }

  async function ask(method, route, body, bearer) {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${url}/api/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(isForm ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async function keyOf(user) {
    return (await ask("POST", "/keys", { user_id: user }, adminKey)).key;
  }

  async function publish() {
    let published;
    for (const text of Object.values(VERSIONS)) {
      const form = new FormData();
      form.set("file", new Blob([zip(text)]), "tide-times.zip");
      published = await ask("POST", "/kinds/skills/upload", form, key);
    }
    return published.metadata.labels.id;
  }

  /** Two skills are loaded, each for some turns; one of them is removed. */
  async function converse() {
    const loads = { 2: "tide-times", 4: "mermaid-diagram", 12: "tide-times" };
    for (let turn = 1; turn <= 12; turn++) {
      await ask("POST", "/conversations/tides/turns", { conversation: {} }, key);
      if (loads[turn] === undefined) continue;
      const call = { id: `call_${turn}`, name: "load_skill", arguments: { skill_name: loads[turn] } };
      await ask("POST", "/conversations/tides/tool-calls", { calls: [call] }, key);
      if (turn < 12) continue;
      const read = { skill_name: "tide-times", file_path: "tables/north.csv" };
      const failing = { id: "call_read", name: "read_skill", arguments: read };
      await ask("POST", "/conversations/tides/tool-calls", { calls: [failing] }, key);
    }
  }
}

function skill(version, tools, text) {
  return `---\nname: tide-times\ndescription: Says when and how high the tide is at a harbour.\nversion: ${version}\nallowed-tools: ${tools}\n---\n\n# Tides\n\n${text}`;
}

function zip(text) {
  return Buffer.from(zipSync({ "tide-times/SKILL.md": strToU8(text) }));
}
