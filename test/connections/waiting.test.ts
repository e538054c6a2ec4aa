// A call to a server that its user has not connected waits for the sign-in: asked through a page or the calling MCP host, or told in the
// result. It goes on afterwards, also in a conversation that was evicted meanwhile.

import { abortAllDurableObjects } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { connectedTurn, type Talk, talk, textOf } from "../support/chat-turns";
import { connected, type ProtectedServer, protectedServer, signInAt, throughIssuer } from "../support/connections";
import { type Era, host } from "../support/mcp-client";
import { Page } from "../support/page";
import { fetchWith } from "../support/proxy";
import { gatewayServers, serversOf } from "../support/servers";
import { Browser } from "../support/sign-in";

beforeEach(() => gatewayServers({}));

const pathOf = (url: string) => new URL(url).pathname;

/** Follows a link to its end, as the user. */
async function follow(url: string, key: string): Promise<void> {
  const browser = new Browser();
  const done = await browser.send(await throughIssuer(await signInAt(browser, pathOf(url), key)));
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining("Connected")]);
}

/** A conversation with a server that nobody has connected. */
async function unconnected(): Promise<{ server: ProtectedServer; key: string; chat: Talk }> {
  const [server, key] = [await protectedServer(), await keyFor(`user-${crypto.randomUUID()}`)];
  const chat = await talk({ key });
  await connectedTurn(chat);
  return { server, key, chat };
}

const idOf = ({ route }: Talk) => route.slice(route.lastIndexOf("/") + 1);
const linkIn = (text: string) => /https:\/\/gateway\.test\/oauth\/connect\/\w+/.exec(text)?.[0] ?? "";

describe("a server that is not connected", () => {
  it("offers one tool in place of those that are not known, and says why", async () => {
    const { server, chat } = await unconnected();
    expect(await chat.tools()).toContain(`${server.name}__connect`);
    expect(await serversOf(chat)).toEqual([
      expect.objectContaining({ server: server.name, state: "sign_in", tools: [`${server.name}__connect`] }),
    ]);
  });

  it("is not shown as down to its admin", async () => {
    const { server, chat } = await unconnected();
    await chat.use(`${server.name}__connect`);
    const answer = await call("GET", `/api/v1/mcp-servers/${server.name}`);
    expect(await answer.json()).not.toHaveProperty("down_since");
  });
});

describe("a call", () => {
  it("waits for a page's user, who signs in, and returns the tools", async () => {
    const { server, key, chat } = await unconnected();
    const page = await Page.greeted(idOf(chat), { key });
    const called = chat.use(`${server.name}__connect`);
    const asked = await page.next("skill:request");
    expect(asked).toMatchObject({ action: "open_url", from: { kind: "server", name: server.name } });
    const { url } = asked.payload as { url: string };
    page.answer(asked.request_id, { success: true, result: { action: "accept" } });
    await follow(url, key);
    expect(textOf(await called)).toBe(
      `The user is signed in to '${server.name}'. Its tools are available now: whoami, leak.`,
    );
    expect(await chat.tools()).toContain(`${server.name}__whoami`);
    expect(await chat.tools()).not.toContain(`${server.name}__connect`);
    expect(textOf(await chat.use(`${server.name}__whoami`))).toBe("you are account");
  });

  it("of a tool that was offered before its connection ended goes on after the sign-in, without an answer to the question", async () => {
    const { server, key } = await connected();
    const chat = await talk({ key });
    await connectedTurn(chat);
    expect(textOf(await chat.use(`${server.name}__whoami`))).toBe("you are account");
    await server.change({ rejects: true });
    const page = await Page.greeted(idOf(chat), { key });
    await chat.use(`${server.name}__whoami`);
    const called = chat.use(`${server.name}__whoami`);
    const { payload } = await page.next("skill:request");
    await server.change({ rejects: false, account: "another account" });
    await follow((payload as { url: string }).url, key);
    expect(textOf(await called)).toBe("you are another account");
    // The question is withdrawn.
    await page.next("skill:cancelled");
  });

  it("tells the model if the user declines", async () => {
    const { server, key, chat } = await unconnected();
    const page = await Page.greeted(idOf(chat), { key });
    const called = chat.use(`${server.name}__connect`);
    const { request_id } = await page.next("skill:request");
    page.answer(request_id, { success: true, result: { action: "decline" } });
    const result = await called;
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining("has not signed in")]);
  });

  it("returns the link if nobody can be asked, the same one again, and works after the sign-in", async () => {
    const { server, key, chat } = await unconnected();
    const first = await chat.use(`${server.name}__connect`);
    expect([first.isError, textOf(first)]).toEqual([true, expect.stringContaining("Ask the user to open this link")]);
    const url = linkIn(textOf(first));
    expect(linkIn(textOf(await chat.use(`${server.name}__connect`)))).toBe(url);
    await follow(url, key);
    expect(textOf(await chat.use(`${server.name}__connect`))).toContain("whoami, leak");
  });

  it("goes on in a conversation that was evicted while it waited", async () => {
    const { server, key, chat } = await unconnected();
    const page = await Page.greeted(idOf(chat), { key });
    const lost = chat.use(`${server.name}__connect`, {}, "call-lost").catch((error: unknown) => error);
    const { payload, request_id } = await page.next("skill:request");
    await abortAllDurableObjects();
    await lost;
    const again = await Page.greeted(idOf(chat), { key });
    await again.next("skill:request");
    const repeated = chat.use(`${server.name}__connect`, {}, "call-lost");
    again.answer(request_id, { success: true, result: { action: "accept" } });
    await follow((payload as { url: string }).url, key);
    expect(textOf(await repeated)).toContain("whoami, leak");
  });
});

/** Accepts the next question of the page and signs in at its link. */
async function accept(page: Page, key: string): Promise<void> {
  const { payload, request_id } = await page.next("skill:request");
  page.answer(request_id, { success: true, result: { action: "accept" } });
  await follow((payload as { url: string }).url, key);
}

describe("a call that requires more scopes", () => {
  it("asks the user to grant them in addition to the earlier ones, and goes on", async () => {
    const { server, key } = await connected({ requires: "extra" });
    const chat = await talk({ key });
    await connectedTurn(chat);
    const page = await Page.greeted(idOf(chat), { key });
    const called = chat.use(`${server.name}__whoami`);
    await accept(page, key);
    expect(textOf(await called)).toBe("you are account");
    const { authorizations } = await server.log();
    expect(authorizations.map(({ scope }) => scope)).toEqual(["tools read", "tools read extra"]);
  });

  it("asks once per call, however often the server asks for more", async () => {
    const { server, key } = await connected({ requires: "ever" });
    const chat = await talk({ key });
    await connectedTurn(chat);
    const page = await Page.greeted(idOf(chat), { key });
    const called = chat.use(`${server.name}__whoami`);
    await accept(page, key);
    const result = await called;
    expect([result.isError, page.count("skill:request")]).toEqual([true, 1]);
  });
});

describe.each<Era>(["legacy", "modern"])("an MCP host of the %s era", (era) => {
  it("that opens links is asked with the link, and its call goes on after the sign-in", async () => {
    const user = `host-${era}-${crypto.randomUUID()}`;
    const [server, key] = [await protectedServer(), await keyFor(user)];
    const client = await host(`/mcp/${user}`, user, era, { capabilities: { elicitation: { url: {} } } });
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name), { timeout: 20_000 })
      .toContain(`${server.name}__connect`);
    const asked: object[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params);
      await follow("url" in params ? String(params.url) : "", key);
      return { action: "accept" };
    });
    const result = await client.callTool({ name: `${server.name}__connect`, arguments: {} });
    expect(JSON.stringify(result.content)).toContain("whoami, leak");
    expect(asked).toEqual([
      expect.objectContaining({ mode: "url", message: expect.stringContaining(`Sign in to ${server.name}`) }),
    ]);
    await client.close();
  });

  it("that cannot open links receives the link as text", async () => {
    const user = `text-${era}-${crypto.randomUUID()}`;
    const server = await protectedServer();
    const client = await host(`/mcp/${user}`, user, era);
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name), { timeout: 20_000 })
      .toContain(`${server.name}__connect`);
    const result = await client.callTool({ name: `${server.name}__connect`, arguments: {} });
    expect([result.isError, linkIn(JSON.stringify(result.content))]).toEqual([
      true,
      expect.stringContaining("/oauth/"),
    ]);
    await client.close();
  });
});

it("an MCP host of revision 2026-07-28 gets the result after a restart of the gateway during the sign-in", async () => {
  const user = `restart-${crypto.randomUUID()}`;
  const [server, key] = [await protectedServer(), await keyFor(user)];
  const client = await host(`/mcp/${user}`, user, "modern", { capabilities: { elicitation: { url: {} } } });
  await expect
    .poll(async () => (await client.listTools()).tools.map(({ name }) => name), { timeout: 20_000 })
    .toContain(`${server.name}__connect`);
  let asked = 0;
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked++;
    await abortAllDurableObjects();
    await follow("url" in params ? String(params.url) : "", key);
    return { action: "accept" };
  });
  const result = await client.callTool({ name: `${server.name}__connect`, arguments: {} });
  expect([asked, JSON.stringify(result.content)]).toEqual([1, expect.stringContaining("whoami, leak")]);
  await client.close();
});

it("the proxy answers with the code for a required URL, the link, and the server after the sign-in", async () => {
  const [server, key] = [await protectedServer(), await keyFor("behind-proxy")];
  const send = async () => {
    const answer = await fetchWith(key)(`https://gateway.test/mcp/servers/${server.name}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "whoami", arguments: {} } }),
    });
    return answer.json<{ error?: { code: number; data: { elicitations: { url: string }[] } }; result?: unknown }>();
  };
  const refused = await send();
  expect(refused).toMatchObject({ id: 7, error: { code: -32042, data: { elicitations: [{ mode: "url" }] } } });
  await follow(refused.error?.data.elicitations[0]?.url ?? "", key);
  expect(JSON.stringify((await send()).result)).toContain("you are account");
});
