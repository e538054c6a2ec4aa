// `npm run try:console`: opens every malicious text in the console. It is displayed without any effect: no dialog, no request to another
// host, no violation of the content security policy, and no clickable element.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { openBrowser } from "../../browser/chromium";
import { open, type Seen, signIn, skillText, zipOf } from "../../browser/console/page";
import { Gateway } from "../../browser/gateway";
import { FLAWED } from "../../domain/package/archive/flawed";
import { zipOf as flawedZip } from "../../support/zip";
import { HOSTILE } from "./hostile-texts";

/** Elements that untrusted text must not produce. */
const FORBIDDEN =
  "script, iframe, frame, object, embed, form, svg, math, style, link, meta, base, template, dialog, video, audio, source, input:not([type=checkbox]), " +
  "button, [style], [srcset], [autofocus], [name], [id]:not([id^=user-content-])";

let gateway: Gateway;
let browser: Browser;
let seen: Seen;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});
beforeEach(async () => {
  seen = await open(browser, gateway.url);
});
afterEach(async () => {
  await seen.context.close();
  expect(seen.heard()).toEqual([]);
});

it(`reports each of ${FLAWED.length} flawed archives, and publishes none`, async () => {
  const { page } = seen;
  expect(FLAWED.length).toBeGreaterThanOrEqual(75);
  await signIn(page, gateway.url, gateway.key, "/console/publish");
  const chooser = page.locator("input[type=file]").first();
  for (const [n, [flaw, code, entries, flaws]] of FLAWED.entries()) {
    const name = `<img src=x onerror=alert(1)> \u202E ${n}.zip`;
    const buffer = Buffer.from(flawedZip(entries, flaws));
    await chooser.setInputFiles({ name, mimeType: "application/zip", buffer });
    await page.getByText(`${n}.zip`).waitFor();
    // The console rejects files that are too large before the upload. The gateway rejects the others.
    const told = page.getByRole("status").or(page.getByRole("alert")).filter({ hasText: code });
    await told.first().waitFor();
    expect([flaw, await page.getByRole("button", { name: "Publish", exact: true }).count()]).toEqual([flaw, 0]);
  }
}, 600_000);

it("shows what authors write, and nothing comes of it", async () => {
  const { page } = seen;
  await signIn(page, gateway.url, gateway.key);
  for (const [n, [what, text]] of Object.entries(HOSTILE).entries()) {
    const id = await publish(`hostile-${n}`, text, what);
    await page.goto(`${gateway.url}/console/skills/${id}`);
    const prose = page.locator(".prose");
    await prose.waitFor();
    const found = await dangerIn(prose);
    expect([what, found]).toEqual([what, []]);
    await page.goto(`${gateway.url}/console/skills/${id}?view=files&file=SKILL.md`);
    await page.getByRole("region", { name: "Content" }).locator("pre").waitFor();
    for (const frame of page.frames()) expect([what, frame.url().startsWith(gateway.url)]).toEqual([what, true]);
  }
}, 600_000);

it("shows what a model says, and nothing comes of it", async () => {
  const { page } = seen;
  await signIn(page, gateway.url, gateway.key, "/console/try");
  for (const [what, text] of Object.entries(HOSTILE)) {
    await page.goto(`${gateway.url}/console/try`);
    await page.getByRole("combobox", { name: "Model" }).selectOption("demo");
    // The scripted model repeats the message.
    await page.getByRole("textbox", { name: "Message" }).fill(text.slice(0, 400));
    await page.getByRole("button", { name: "Send" }).click();
    const prose = page.locator(".talk .prose").last();
    await prose.getByText("You said", { exact: false }).first().waitFor();
    expect([what, await dangerIn(prose)]).toEqual([what, []]);
  }
}, 600_000);

it("shows what a server says of itself as a text", async () => {
  const evil = `<img src=x onerror=alert(1)> \u202E<script>alert(2)</script>`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(502, { "content-type": "text/html" }).end(`<html><body>${evil}</body></html>`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${encodeURIComponent(evil)}`;
    expect((await gateway.call("PUT", "/servers/evil", { url })).status).toBe(201);
    const { page } = seen;
    await signIn(page, gateway.url, gateway.key, "/console/servers");
    await page.getByRole("button", { name: "Test evil" }).click();
    await page.getByText("down", { exact: true }).waitFor();
    expect(await page.locator("main").locator("img, script, iframe").count()).toBe(0);
  } finally {
    server.close();
  }
});

/** Returns the elements in untrusted text that could run code, be clicked, or send requests to other hosts. */
function dangerIn(prose: Locator): Promise<string[]> {
  return prose.evaluate(
    (element, forbidden) => [
      ...[...element.querySelectorAll(forbidden)].map((one) => one.outerHTML),
      ...[...element.querySelectorAll("*")].flatMap((one) =>
        one.getAttributeNames().filter((attribute) => attribute.startsWith("on")),
      ),
      ...[...element.querySelectorAll("a[href]")]
        .map((one) => one.getAttribute("href") ?? "")
        .filter((href) => !/^(?:https?:|mailto:|\/console\/skills\/|#)/.test(href)),
      ...[...element.querySelectorAll("img")].map((one) => one.src).filter((src) => !src.startsWith("blob:")),
    ],
    FORBIDDEN,
  );
}

/** Publishes a skill with malicious text in every field and returns its id. */
async function publish(name: string, text: string, what: string): Promise<string> {
  const skill = skillText(name, "1.0.0", `# ${what}\n\n${text}`).replace(
    /^description: .*$/m,
    `description: ${JSON.stringify(`${what}: <img src=x onerror=alert(1)> \u202Eevil`)}`,
  );
  const { buffer } = zipOf("x.zip", {
    [`${name}/SKILL.md`]: skill,
    [`${name}/<img src=x onerror=alert(1)>.svg`]: '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  });
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(buffer)]), "x.zip");
  const answer = await fetch(`${gateway.url}/api/v1/kinds/skills/upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}` },
    body: form,
  });
  const body = await answer.text();
  expect([what, answer.status === 201 ? "" : body]).toEqual([what, ""]);
  return (JSON.parse(body) as { metadata: { labels: { id: string } } }).metadata.labels.id;
}
