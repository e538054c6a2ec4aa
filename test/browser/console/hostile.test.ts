// Hostile content in the console: it is shown as text and has no effect.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../chromium";
import { Gateway } from "../gateway";
import { drop, go, open, signIn, skillText, zipOf } from "./page";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});

const TEXT = `# Hostile \u202Etxt.exe\u202C and \u{E0041}\u{E0042} tags

<script>alert("script")</script> <img src=x onerror='alert("onerror")'> <iframe src="https://evil.example/frame"></iframe>
<form id="console" name="location"><input name="attributes"></form> <a id="document" name="cookie">clobber</a>

[run](javascript:alert(1)) [data](data:text/html,<script>alert(2)</script>) [vb](vbscript:msgbox) [split](java&#10;script:alert(3))
[away](https://evil.example/x) [proto](//evil.example/y) [back](\\\\evil.example/z) [up](../../../../api/v1/keys)
![far](https://evil.example/pixel.png) ![proto](//evil.example/pixel.png) ![near](picture.svg) ![api](/api/v1/me)

<svg onload="alert(4)"><a href="javascript:alert(5)">x</a></svg> <math><mtext><style>*{background:url(https://evil.example/css)}</style>

Fish &amp; chips &eacute;

[^1]: note <https://evil.example/auto> javascript:alert(6)`;

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(7)"><script>alert(8)</script>
<image href="https://evil.example/inside.png"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:alert(9)"/></foreignObject></svg>`;

it("runs nothing of a skill, asks nobody, and shows what would not be seen", async () => {
  const seen = await open(browser, gateway.url);
  const { page } = seen;
  await signIn(page, gateway.url, gateway.key, "/console/publish");
  await drop(
    page,
    zipOf("<img src=x onerror=alert(10)>.zip", {
      "hostile/SKILL.md": skillText("hostile", "1.0.0", TEXT, 'author: "<b onclick=alert(11)>\u2066x\u2069"\n').replace(
        "What hostile is for.",
        'For "\u202Eevil\u202C" <img src=x onerror=alert(12)>',
      ),
      "hostile/picture.svg": PICTURE,
      "hostile/page.html": "<script>alert(13)</script>",
      "hostile/' onerror=alert(14) x.txt": "x",
    }),
  );
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("heading", { name: "hostile", level: 1 }).waitFor();
  await page.locator(".prose img").waitFor();
  expect(await page.locator(".lead").innerText()).toContain("⟨U+202E⟩evil⟨U+202C⟩");
  expect(await page.locator(".prose").innerText()).toContain("⟨U+202E⟩txt.exe");
  // Character references are decoded without the browser's HTML parser.
  expect(await page.locator(".prose").innerText()).toContain("Fish & chips é");
  expect(await page.locator(".prose").innerText()).toContain("⟨U+E0041⟩⟨U+E0042⟩");
  const links = await page
    .locator(".prose a")
    .evaluateAll((all) => all.map((one) => [one.getAttribute("href"), one.getAttribute("rel")]));
  for (const [href, rel] of links) {
    const isInside = href?.startsWith(`/console/skills/`) === true;
    expect([href, isInside || /^https?:\/\/(?:evil|example)\b/.test(href ?? "")]).toEqual([href, true]);
    if (!isInside) expect(rel).toBe("noopener noreferrer nofollow");
  }
  expect(links.length).toBeGreaterThan(1);
  expect(
    await page.locator(".prose img").evaluateAll((all) => all.map((one) => one.getAttribute("src")?.split(":")[0])),
  ).toEqual(["blob"]);
  expect(
    await page.locator(".prose").locator("script, iframe, form, svg, style, [onclick], [onerror], #console").count(),
  ).toBe(0);
  for (const file of ["picture.svg", "page.html", "SKILL.md"]) {
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("navigation", { name: "Files" }).getByRole("link", { name: file }).click();
    await page.getByRole("region", { name: "Content" }).getByRole("heading", { name: file }).waitFor();
    await page.getByRole("region", { name: "Content" }).locator("pre, img").waitFor();
  }
  await go(page, "Skills");
  await page.getByRole("cell", { name: "⟨U+202E⟩evil⟨U+202C⟩" }).waitFor();
  expect(seen.heard()).toEqual([]);
  await seen.context.close();
});
