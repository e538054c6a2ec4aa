// `npm run pictures`: updates the pictures of the README and of docs/console.md with its own gateway and headless Chromium, and writes
// every page of the console in both themes and two widths, to look at.
//
// It runs `npm start` on a fresh state and a free port, opens the printed link, lets the scripted model draw once in each theme, and stores
// screenshots of 1100 x 900 pixels as docs/pictures/demo-light.png and demo-dark.png. The picture of the flow (flow.svg) is drawn by hand.
// Text uses the machine's fonts, so pictures differ between machines.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { chromiumPath } from "./kit/browser.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { readVariableFile } from "./local/devvars.mjs";
import { consolePictures } from "./pictures/console.mjs";
import { reviewPictures } from "./pictures/review.mjs";

const USAGE = `Use: npm run pictures -- [--review <folder>] [--pages <name,…>]
  --review   the folder for every page of the console (default: dist/pictures)
  --pages    only these pages, such as keys,audit, and no picture of the README and docs/console.md`;
const PICTURES = path.join(root, "docs", "pictures");
const MOST_BYTES = 150 * 1024;
const MOST_BYTES_OF_CONSOLE = 120 * 1024;

async function main() {
  const { values } = readOptions(USAGE, {
    review: { type: "string", default: path.join(root, "dist", "pictures") },
    pages: { type: "string" },
  });
  const folder = await mkdtemp(path.join(tmpdir(), "pictures-"));
  const options = [
    "--port",
    "0",
    "--state",
    path.join(folder, "state"),
    "--vars",
    path.join(folder, ".dev.vars"),
    "--no-executor",
  ];
  const gateway = spawn(process.execPath, [path.join(root, "scripts", "start.mjs"), ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const link = await linkOf(gateway);
    const only = values.pages?.split(",") ?? null;
    if (only === null)
      for (const [name, bytes] of Object.entries(await demoPictures(link))) await keep(name, bytes, MOST_BYTES);
    const { GATEWAY_ADMIN_KEY } = await readVariableFile(path.join(folder, ".dev.vars"));
    const { origin } = new URL(link);
    const { pictures, key, skill } = await consolePictures(origin, GATEWAY_ADMIN_KEY);
    const keys = { user: key, admin: GATEWAY_ADMIN_KEY };
    if (only === null)
      for (const [name, bytes] of Object.entries(pictures)) await keep(name, bytes, MOST_BYTES_OF_CONSOLE);
    console.log(`${await reviewPictures(origin, keys, skill, values.review, only)} pictures in ${values.review}`);
  } finally {
    const ended = new Promise((resolve) => gateway.once("exit", resolve));
    gateway.kill("SIGTERM");
    if (gateway.exitCode === null) await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

async function keep(name, bytes, most) {
  if (bytes.length > most) throw new Refusal(`${name} has ${bytes.length} bytes, and ${most} at most are kept.`);
  const file = path.join(PICTURES, name);
  await writeFile(file, bytes);
  console.log(`${path.relative(root, file)}: ${bytes.length} bytes`);
}

async function linkOf(gateway) {
  for await (const line of createInterface({ input: gateway.stdout })) {
    const [, link] = /^ {2}Console {4}(\S+)/.exec(line) ?? [];
    if (link !== undefined) return link;
  }
  throw new Refusal("The gateway ended before it printed the link to its console.");
}

async function demoPictures(link) {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1100, height: 900 }, colorScheme: "light" });
    // The first request waits until the console is built.
    await page.goto(link, { timeout: 180_000 });
    await page.getByRole("button", { name: "Sign in with the link" }).click();
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Playground" }).click();
    const pictures = {};
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      if (colorScheme === "dark") await page.getByRole("button", { name: "New chat" }).click();
      await page.getByRole("button", { name: "Draw how a login works" }).click();
      await page.locator(".talk .prose").waitFor();
      await page.getByRole("region", { name: "Tokens saved" }).waitFor();
      await page.getByRole("region", { name: "Trace of turn 1" }).waitFor();
      await page.locator(".talk").evaluate((talk) => talk.scrollTo(0, talk.scrollHeight));
      pictures[`demo-${colorScheme}.png`] = await page.screenshot();
    }
    return pictures;
  } finally {
    await browser.close();
  }
}

main().catch(fail);
