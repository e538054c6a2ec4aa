// The catalog pages in Chromium: both themes and three widths with axe, without scripts, and copying a command.

import { strToU8, zipSync } from "fflate";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { barriers } from "./axe";
import { complaints, openBrowser } from "./chromium";
import { Gateway } from "./gateway";

const PICTURES = process.env.CATALOG_PICTURES;

let gateway: Gateway;
let browser: Browser;

async function publishOpened(name: string, frontmatter: string, body: string): Promise<string> {
  const data = new FormData();
  const text = `---\nname: ${name}\n${frontmatter}\n---\n\n${body}\n`;
  const zip = zipSync({ [`${name}/SKILL.md`]: strToU8(text), [`${name}/scripts/run.py`]: strToU8("print(1)\n") });
  data.set("file", new File([new Uint8Array(zip)], "skill.zip", { type: "application/zip" }));
  const headers = { authorization: `Bearer ${gateway.key}` };
  const made = await fetch(new URL("/api/v1/kinds/skills/public", gateway.url), {
    method: "POST",
    headers,
    body: data,
  });
  expect(made.status).toBe(201);
  const { metadata } = (await made.json()) as { metadata: { labels: { id: string } } };
  expect((await gateway.call("PUT", `/open-skills/${metadata.labels.id}`)).status).toBe(200);
  return metadata.labels.id;
}

const BODY = `# Tides

Read the **table** of [harbors](https://example.org/tides), then answer in \`cm\`.

| Port | High water | Low water | Remark |
|---|---|---|---|
| Kiel | 3 | 1 | A port with a long remark that makes the table wide on a small screen |

> Tides differ.

1. Load the data.
2. Run the script:

\`\`\`sh
python scripts/run.py --harbor kiel --from 2026-11-26 --to 2026-12-26 --format json --verbose --no-color
\`\`\`
`;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start({ PUBLIC_CATALOG: "on" }), openBrowser()]);
  const long = "Predicts the tides of every harbor from tables, with the help of a script. ".repeat(6);
  await publishOpened(
    "tides",
    `description: ${long}\nversion: 1.2.0\nauthor: Ada\nlicense: MIT\ntags: [sea, maps]`,
    BODY,
  );
  for (const [at, name] of ["json-table", "mermaid-diagram", "invoice-parser", "release-notes"].entries())
    await publishOpened(name, `description: Does one thing well, number ${at}.\ntags: [tools, maps]`, "Do it.");
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});

const CASES = (["light", "dark"] as const).flatMap((theme) =>
  [375, 1024, 1440].map((width) => [theme, width] as const),
);

it.each(CASES)("is whole and without barriers: %s, %i pixels wide", async (colorScheme, width) => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  const heard = complaints(context);
  const page = await context.newPage();
  for (const path of ["/skills", "/skills?q=tides", "/skills?q=nothing-like-this", "/skills/tides"]) {
    await page.goto(new URL(path, gateway.url).href);
    expect([path, await barriers(page)]).toEqual([path, []]);
    const overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    expect([path, await page.evaluate(overflow)]).toEqual([path, false]);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    const name = `${path.replace(/\W+/g, "-")}-${colorScheme}-${width}.png`;
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}`, fullPage: true });
  }
  expect(heard).toEqual([]);
  await context.close();
});

it("works without scripts: a search, a category and a skill", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(new URL("/skills", gateway.url).href);
  await page.getByRole("searchbox", { name: "Search skills" }).fill("tides");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=tides/);
  expect(
    await page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading") })
      .count(),
  ).toBe(1);
  await page.getByRole("link", { name: "tides", exact: true }).click();
  await page.waitForURL(/skills\/tides/);
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("tides");
  expect(await page.getByRole("button").count()).toBe(0);
  await page.getByRole("link", { name: "maps", exact: true }).click();
  await page.waitForURL(/tag=maps/);
  expect(await page.getByRole("heading", { level: 2 }).count()).toBe(5);
  await context.close();
});

it("copies a command with one click", async () => {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const heard = complaints(context);
  const page = await context.newPage();
  await page.goto(new URL("/skills/tides", gateway.url).href);
  await page.getByRole("button", { name: "Copy the command for skills" }).click();
  await page.getByText("Copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
    `npx skills add ${new URL(gateway.url).origin}/s/public/tides`,
  );
  expect(heard).toEqual([]);
  await context.close();
});
