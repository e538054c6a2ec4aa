// Questions of an MCP server during a call, in the console: a form, and a link that opens on a click.

import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startFaults } from "../support/upstream-server/faults";
import { openBrowser, openConversation } from "./chromium";
import { Gateway } from "./gateway";

let gateway: Gateway;
let browser: Browser;
let context: BrowserContext;
let server: Awaited<ReturnType<typeof startFaults>>;

beforeAll(async () => {
  [gateway, browser, server] = await Promise.all([Gateway.start(), openBrowser(), startFaults()]);
  context = await browser.newContext();
});
afterAll(async () => {
  server?.close();
  await Promise.all([browser?.close(), gateway?.stop()]);
});

const properties = {
  name: { type: "string", title: "Your <b>name</b>", minLength: 2 },
  seats: { type: "integer", minimum: 1, maximum: 4, default: 2 },
  when: { type: "string", format: "date" },
  meal: { type: "string", oneOf: [{ const: "v", title: "Vegetarian" }] },
  quiet: { type: "boolean" },
};
const elicit = (params: object) => ({ method: "elicitation/create", params });
const message = "<img src=x onerror=alert(1)> Where?";

it.each(["modern", "legacy"])("a server of the %s era asks, and the user answers", async (era) => {
  const send = (method: string, route: string, body: object) =>
    fetch(`${gateway.url}${route}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify(body),
    });
  await send("PUT", "/api/v1/mcp-servers/asking", { url: `${server.url}/asking-${era}/none` });
  const conversation = `asks-${era}`;
  const page = await openConversation(context, gateway.url, gateway.key, conversation);
  await send("POST", `/api/v1/conversations/${conversation}/turns`, {});
  const form = elicit({ message, requestedSchema: { type: "object", properties, required: ["name", "seats"] } });
  const link = elicit({ mode: "url", message: "Pay here", url: `${server.url}/pay` });
  const called = send("POST", `/api/v1/conversations/${conversation}/tool-calls`, {
    calls: [{ id: "1", name: "asking__ask", arguments: { rounds: [{ form }, { link }, { form }] } }],
  });
  const { host } = new URL(server.url);
  const card = page.locator(".question");
  await card.waitFor();
  expect(await card.innerText()).toContain(`The MCP server “asking” at ${host} asks:`);
  expect(await card.innerText()).toContain(message);
  expect(await card.locator("img, b").count()).toBe(0);
  await card.getByLabel("Your <b>name</b>").fill("Ann");
  await card.getByLabel("meal").selectOption("v");
  await card.getByRole("button", { name: "Send" }).click();
  const opened = context.waitForEvent("page");
  await card.getByRole("button", { name: `Open ${host}` }).click();
  expect(new URL((await opened).url()).host).toBe(host);
  await card.getByRole("button", { name: "Decline" }).click();
  const { results } = (await (await called).json()) as { results: { content: { text: string }[] }[] };
  expect(JSON.parse(results[0]!.content[0]!.text)).toEqual([
    { form: { action: "accept", content: { name: "Ann", seats: 2, meal: "v", quiet: false } } },
    { link: { action: "accept" } },
    { form: { action: "decline" } },
  ]);
});
