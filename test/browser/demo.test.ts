import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { complaints, connected, openBrowser, openDemo } from "./chromium";
import { Gateway } from "./gateway";

let gateway: Gateway;
let browser: Browser;
let context: BrowserContext;
let heard: string[];

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});
beforeEach(async () => {
  context = await browser.newContext();
  heard = complaints(context);
});
afterEach(async () => {
  await context.close();
  expect(heard).toEqual([]);
});

async function say(page: Page, text: string): Promise<void> {
  const before = await page.locator("#log .assistant").count();
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator("#log .assistant").nth(before).waitFor();
}

/** What the chat shows, without the texts of the steps. */
const story = (page: Page) =>
  page
    .locator("#log > li")
    .evaluateAll((items) =>
      items.map((item) => (item.className.startsWith("step") ? item.textContent?.split(" ")[0] : item.className)),
    );

const figures = (page: Page) =>
  page.locator("#log figure img").evaluateAll((images) =>
    Promise.all(
      images.map(async (image) => {
        if (!(image instanceof HTMLImageElement)) throw new Error("no image");
        await image.decode();
        return [image.alt, image.naturalWidth > 100];
      }),
    ),
  );

describe("the story", () => {
  it("the model loads the skill, asks the page to render, the page answers, the model goes on", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "story");
    expect(await page.locator("#skills").innerText()).toBe("None active.");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("#log .assistant").waitFor();
    const steps = ["load_skill", "↳", "read_skill", "↳", "call_skill_tool", "figure", "↳"];
    expect(await story(page)).toEqual(["user", ...steps, "assistant"]);
    expect(await figures(page)).toEqual([["How a login works", true]]);
    expect(await page.locator("#log .assistant").innerText()).toMatch(
      /^How a login works: a sequence diagram of \d+ × \d+ pixels, drawn by your browser\.$/,
    );
  });

  it("shows how many turns the skill has left, until it leaves", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "turns");
    await say(page, "Show the shares of a prompt");
    const seen = [await page.locator("#skills").innerText()];
    for (let turn = 2; turn <= 5; turn++) {
      await say(page, "Hello again");
      await page.locator("#turn", { hasText: `turn ${turn}` }).waitFor();
      seen.push(await page.locator("#skills").innerText());
    }
    expect(seen.map((text) => text.replace(/\s+/g, " "))).toEqual([
      "mermaid-diagram 3 turns left",
      "mermaid-diagram 3 turns left",
      "mermaid-diagram 2 turns left",
      "mermaid-diagram 1 turn left",
      "None active.",
    ]);
  });

  it("shows that each request begins with all of the one before, while the skill comes and goes", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "prompt");
    const prompt = page.locator("#prompt");
    expect(await prompt.innerText()).toBe("Nothing was sent yet.");
    await page.evaluate(() => {
      const node = document.querySelector("#prompt");
      new MutationObserver(() => {
        const seen = [document.body.dataset.seen, node?.textContent].filter((text) => text !== undefined);
        document.body.dataset.seen = seen.join("|");
      }).observe(node ?? document.body, { childList: true });
    });
    await say(page, "Draw a flow");
    for (let turn = 2; turn <= 5; turn++) await say(page, "Hello again");
    expect(await page.locator("#skills").innerText()).toBe("None active.");
    await say(page, "Draw shares");
    const seen = (await page.locator("body").getAttribute("data-seen"))?.split("|") ?? [];
    expect(seen).toHaveLength(11);
    expect(seen[0]).toMatch(/^The first request has [\d,]+ characters\.$/);
    for (const [index, text] of seen.slice(1).entries())
      expect(text).toMatch(
        new RegExp(`^Request ${index + 2} begins with all [\\d,]+ characters of the one before; [\\d,]+ are new\\.$`),
      );
  });

  it("what mermaid says about a mistake reaches the model, which corrects itself", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "mistake");
    await say(page, "Draw a flow with a mistake");
    const twice = ["call_skill_tool", "↳", "call_skill_tool", "figure", "↳"];
    expect(await story(page)).toEqual(["user", "load_skill", "↳", "read_skill", "↳", ...twice, "assistant"]);
    expect(await page.locator("#log .step", { hasText: '{"error":"Parse error on line 8' }).count()).toBe(1);
    expect(await figures(page)).toEqual([["How a skill is used", true]]);
  });

  it("a script makes a report, and the chart that it leaves is shown as a picture", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "report");
    await say(page, "A report of the orders, please");
    expect(await story(page)).toEqual(["user", "load_skill", "↳", "execute_skill_script", "↳", "figure", "assistant"]);
    expect(await figures(page)).toEqual([["chart.svg", true]]);
    // What the script has added up, and no model.
    expect(await page.locator("#log .assistant").innerText()).toMatch(/South\D+818(?:\.00)?\b/);
    // The next report has one chart more, and not the old one again.
    await say(page, "The report again");
    expect(await page.locator("#log figure").count()).toBe(2);
  });

  it("goes on with any OpenAI-compatible endpoint", async () => {
    const asked: { authorization: string | undefined; body: Record<string, unknown> }[] = [];
    const script = [
      {
        tool_calls: [
          { id: "c1", type: "function", function: { name: "load_skill", arguments: '{"skill_name":"json-table"}' } },
        ],
      },
      { content: "Loaded." },
    ];
    const server = createServer(async (request: IncomingMessage, response) => {
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", "authorization,content-type");
      if (request.method === "OPTIONS") return response.end();
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      asked.push({ authorization: request.headers.authorization, body: JSON.parse(`${Buffer.concat(chunks)}`) });
      const message = { role: "assistant", content: null, ...script[asked.length - 1] };
      response.end(JSON.stringify({ choices: [{ message }] }));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const page = await openDemo(context, gateway.url, gateway.key, "endpoint");
      await page
        .getByLabel("OpenAI-compatible URL")
        .fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`);
      await page.getByLabel("Model", { exact: true }).fill("some-model");
      await page.getByLabel("Its key").fill("sk-test");
      await say(page, "Make a table");
      expect(await page.locator("#log .assistant").innerText()).toBe("Loaded.");
      expect(await page.locator("#skills").innerText()).toContain("json-table");
      expect(asked.map(({ authorization, body }) => [authorization, body.model])).toEqual([
        ["Bearer sk-test", "some-model"],
        ["Bearer sk-test", "some-model"],
      ]);
      expect(JSON.stringify(asked[1]!.body.messages)).toContain("## Skill: json-table");
    } finally {
      server.close();
    }
  });
});

describe("the page", () => {
  it("keeps composer and active skills in view on a desk, and the last word", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "desk");
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const text of ["Draw a flow", "Hello", "Hello again"]) await say(page, text);
    const shown = ["Active skills", "Message", "Send", "the last word"] as const;
    const places = await Promise.all([
      page.getByRole("heading", { name: shown[0] }).boundingBox(),
      page.getByLabel(shown[1], { exact: true }).boundingBox(),
      page.getByRole("button", { name: shown[2] }).boundingBox(),
      page.locator("#log .assistant").last().boundingBox(),
    ]);
    const inView = places.map((box) => box !== null && box.y >= 0 && box.y + box.height <= 800);
    expect(shown.filter((_, index) => !inView[index])).toEqual([]);
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });

  it("overflows nowhere on a phone, and its renderer covers nothing", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "phone");
    await page.setViewportSize({ width: 375, height: 700 });
    await say(page, "Draw a flow");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    const frame = await page.locator("iframe").boundingBox();
    expect((frame?.x ?? 0) + (frame?.width ?? 0)).toBeLessThanOrEqual(0);
  });

  it("has its lists, what scrolls and its landmarks as assistive technology needs them", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "assistive");
    await page.setViewportSize({ width: 1280, height: 500 });
    for (const text of ["Draw a flow", "Draw shares", "Hello"]) await say(page, text);
    await page.locator("#log details").first().locator("summary").click();
    const faults = await page.evaluate(() => {
      const named = (element: Element) => `${element.tagName.toLowerCase()}#${element.id}`;
      // An item belongs to a list, and a list that is given another role is none.
      const items = [...document.querySelectorAll("li")].filter(
        ({ parentElement }) => !/^[OU]L$/.test(parentElement?.tagName ?? "") || parentElement?.hasAttribute("role"),
      );
      // What scrolls is reached by keyboard: itself, or something in it.
      const scrolling = [...document.querySelectorAll<HTMLElement>("body *")].filter((element) => {
        const scrolls = element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth;
        return scrolls && /auto|scroll/.test(getComputedStyle(element).overflow);
      });
      const reached = "input, button, summary, a[href], [tabindex='0']";
      const stuck = scrolling.filter((element) => !element.matches(reached) && element.querySelector(reached) === null);
      return { items: items.length, stuck: stuck.map(named), scrolling: scrolling.map(named) };
    });
    expect(faults).toMatchObject({ items: 0, stuck: [] });
    expect(faults.scrolling).toEqual(expect.arrayContaining(["div#thread", "ol#wire"]));
    expect(await page.getByRole("main").count()).toBe(1);
    await page.getByRole("button", { name: "Forget key and conversation" }).click();
    await page.getByRole("main").getByLabel("Key", { exact: true }).waitFor();
  });

  it("refuses a wrong key in words, and takes a right one", async () => {
    const page = await context.newPage();
    await page.goto(`${gateway.url}/demo/`);
    await page.getByLabel("Key", { exact: true }).fill("sgw_wrong_key");
    await page.getByRole("button", { name: "Start" }).click();
    await page
      .getByRole("alert")
      .filter({ hasText: /The key is (unknown|mistyped|not one)/ })
      .waitFor();
    heard.splice(0);
    await page.getByLabel("Key", { exact: true }).fill(gateway.key);
    await page.getByRole("button", { name: "Start" }).click();
    await connected(page);
    await page.reload();
    await connected(page);
    await page.getByRole("button", { name: "Forget key and conversation" }).click();
    await page.getByLabel("Key", { exact: true }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it("runs nothing but its own modules, and the renderer has neither key nor network", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "policy");
    await say(page, "Draw a flow");
    const html = await (await fetch(`${gateway.url}/demo/`)).text();
    expect(html).not.toMatch(/<script(?![^>]*src)|\son\w+=|style="/);
    const injected = page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.injected = true";
      document.body.append(script);
      return Reflect.get(globalThis, "injected");
    });
    expect(await injected).toBe(undefined);

    const renderer = page.frames().find((frame) => frame.url().endsWith("/demo/renderer"));
    const reached = await renderer?.evaluate(async (url) => {
      const attempts = [() => sessionStorage.length, () => parent.document.title, () => fetch(`${url}/health`)];
      const outcomes = attempts.map(async (attempt) => `reached ${await attempt()}`);
      return (await Promise.allSettled(outcomes)).map(({ status }) => status);
    }, gateway.url);
    expect(reached).toEqual(["rejected", "rejected", "rejected"]);
    expect(heard.splice(0).length).toBeGreaterThan(0);
  });

  it("shows a diagram of the model's as a picture: whatever is in it cannot run", async () => {
    const page = await openDemo(context, gateway.url, gateway.key, "hostile");
    const code = `flowchart TD
    a["<img src=x onerror=alert(1)>"] --> b["<script>alert(2)</script>"]
    click a "javascript:alert(3)"`;
    let alerts = 0;
    page.on("dialog", () => alerts++);
    const { body } = await gateway.call("POST", "/conversations/hostile/requests", {
      action: "render_mermaid",
      payload: { code, title: "Hostile" },
    });
    expect(body).toMatchObject({ state: "resolved", success: true });
    await page.locator("figure img").click();
    expect(await figures(page)).toEqual([["Hostile", true]]);
    expect(alerts).toBe(0);
    heard.splice(0);
  });
});
