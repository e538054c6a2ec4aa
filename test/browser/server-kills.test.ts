// Third-party MCP servers ask the page of a conversation, also when the gateway is killed between a question and its answer.

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startFixture } from "../conformance/server.mjs";
import { type Everything, startEverything } from "../support/upstream-server/everything";
import { connected, openBrowser, openConversation } from "./chromium";
import { Gateway } from "./gateway";

let gateway: Gateway;
let browser: Browser;
let context: BrowserContext;
let everything: Everything;
let fixture: Awaited<ReturnType<typeof startFixture>>;

beforeAll(async () => {
  [gateway, browser, everything, fixture] = await Promise.all([
    Gateway.start(),
    openBrowser(),
    startEverything(),
    startFixture(),
  ]);
  context = await browser.newContext();
  for (const [name, { url }] of Object.entries({ every: everything, fixture }))
    await gateway.call("PUT", `/mcp-servers/${name}`, { url, prefix: "never" });
});
afterAll(async () => {
  everything?.close();
  await Promise.all([browser?.close(), gateway?.stop(), fixture?.close()]);
});

interface Result {
  isError?: boolean;
  content: { text: string }[];
}

const textOf = ({ content }: Result) => content.map(({ text }) => text).join("\n");

/** Creates a conversation with a page, and calls as a back end makes them. The same id is the same call. */
async function chat(id: string) {
  const page = await openConversation(context, gateway.url, gateway.key, id);
  await gateway.call("POST", `/conversations/${id}/turns`, {});
  // Tools of a server that connects slowly appear in a later step.
  const states = async () =>
    (await gateway.call<{ mcp: { state: string }[] }>("GET", `/conversations/${id}`)).body.mcp.map(
      ({ state }) => state,
    );
  await expect.poll(states, { timeout: 30_000, interval: 200 }).toEqual(["connected", "connected"]);
  const use = async (name: string, call = name): Promise<Result> => {
    const calls = [{ id: call, name: "call_skill_tool", arguments: { name, arguments: {} } }];
    const { body } = await gateway.call<{ results: Result[] }>("POST", `/conversations/${id}/tool-calls`, { calls });
    return body.results[0]!;
  };
  return { page, use };
}

async function fill(page: Page, label: string, value: string) {
  const card = page.locator(".question");
  await card.getByLabel(label, { exact: true }).fill(value);
  await card.getByRole("button", { name: "Send" }).click();
}

it("server-everything is answered with every kind of field that it has, and asks for no sample of a page", async () => {
  const { page, use } = await chat("every");
  const asked = use("trigger-elicitation-request");
  await page.locator(".question", { hasText: "MCP server “every”" }).waitFor();
  await fill(page, "String", "Ann");
  const answer = textOf(await asked);
  expect(answer).toContain("- Name: Ann");
  const { content } = JSON.parse(answer.slice(answer.indexOf("{")));
  expect(content).toEqual({
    ...{ name: "Ann", check: false, firstLine: "It was a dark and stormy night.", integer: 42, number: 3.14 },
    ...{ untitledSingleSelectEnum: "Monica", untitledMultipleSelectEnum: ["Guitar"], titledSingleSelectEnum: "hero-1" },
    ...{ titledMultipleSelectEnum: ["fish-1"], legacyTitledEnum: "pet-1" },
  });
  // The server hides this tool from clients without sampling.
  expect(textOf(await use("trigger-sampling-request"))).toContain("Tool 'trigger-sampling-request' not found");
  await page.close();
});

it("kill -9 while the page is asked: a server of 2026 is answered after it, one of 2025 fails once and is not called again", async () => {
  const { page, use } = await chat("killed");
  everything.called.length = 0;
  const rounds = use("test_input_required_result_multi_round").catch(() => null);
  await page.locator(".question", { hasText: "Step 1" }).waitFor();
  await fill(page, "name", "Ann");
  await page.locator(".question", { hasText: "Step 2" }).waitFor();
  const form = use("trigger-elicitation-request").catch(() => null);
  await page.locator(".question", { hasText: "MCP server “every”" }).waitFor();

  await gateway.kill();
  await Promise.all([rounds, form]);
  await gateway.start();
  await connected(page);
  // A question that can no longer be answered disappears. The other question stays.
  await page.locator(".question", { hasText: "MCP server “every”" }).waitFor({ state: "detached" });
  await fill(page, "color", "blue");
  expect(textOf(await use("test_input_required_result_multi_round"))).toBe("Ann likes blue.");
  for (let again = 0; again < 2; again++) {
    const failed = await use("trigger-elicitation-request");
    expect([failed.isError, textOf(failed)]).toEqual([true, expect.stringContaining("It was not repeated")]);
  }
  expect(everything.called).toEqual(["trigger-elicitation-request"]);
  expect(await page.locator(".question").count()).toBe(0);
});
