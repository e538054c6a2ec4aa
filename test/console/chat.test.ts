// The chat endpoint below the console's edge: what the page can do in a session, and what others cannot.

import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { ConsolePage, verdict } from "../support/console";
import { GATEWAY } from "../support/sign-in";

const CHAT = "/console/api/openai/v1/chat/completions";
const page = (settings = {}) => new ConsolePage({ IDENTITY_MEMORY_S: "0", ...settings });
/** Streamed, as the page requests it; without streaming, the response ends only after it was read. */
const asking = (text: string, more: object = {}) => ({
  ...{ model: "demo", stream: true, messages: [{ role: "user", content: text }] },
  ...more,
});
/** Longer than what is preloaded whole. */
const BODY = `Count the waves.\n\n${"Watch the moon, the pier and the tide. ".repeat(300)}`;

describe("a chat in a session", () => {
  it("streams an answer that is not cached, loads a skill, and is a conversation of its user", async () => {
    const key = await keyFor("console-chats");
    await publishOwn(key, { name: "tides", description: "Tell the tides.", body: BODY });
    const browser = await page().signIn(key);
    const answer = await browser.ask("POST", CHAT, asking("Use tides, please"), {
      "x-conversation-id": "console-chat",
      "x-skill-events": "1",
    });
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      ...[200, "text/event-stream; charset=utf-8", "no-store"],
    ]);
    expect([answer.headers.get("x-conversation-id"), answer.headers.get("content-disposition")]).toEqual([
      ...["console-chat", null],
    ]);
    const text = await answer.text();
    expect(text).toContain('event: skills\ndata: {"loaded":["tides"]}');
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    const status = await (await browser.ask("GET", "/console/api/v1/conversations/console-chat")).json();
    expect(status).toMatchObject({ turn: 1, active: [{ skill: "tides" }] });
    expect((await call("GET", "/api/v1/conversations/console-chat", { key })).status).toBe(200);
  });

  it("says in the vendor's words what is wrong, and no more", async () => {
    const browser = await page().signIn(await keyFor("console-mistaken"));
    const answer = await browser.ask("POST", CHAT, asking("Hello", { model: "nothing-like-it" }));
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: "model_not_found" } });
  });

  it("has the rights of its key: one that may not chat, may not here", async () => {
    const browser = await page().signIn(await keyFor("console-reader", { scopes: ["skills:read"] }));
    expect((await browser.ask("POST", CHAT, asking("Hello"))).status).toBe(403);
    expect((await browser.ask("GET", "/console/api/openai/v1/models")).status).toBe(403);
  });

  it("acts for no other user, even if a field names one", async () => {
    const settings = { CHAT_USER_HEADER: "X-End-User" };
    const browser = await page(settings).signIn(await keyFor("console-service", { scopes: ["act_as"] }));
    const named = { "x-end-user": "console-chats", "x-conversation-id": "console-of-service" };
    expect((await browser.ask("POST", CHAT, asking("Hello"), named)).status).toBe(200);
    expect((await browser.ask("GET", "/console/api/v1/conversations/console-of-service")).status).toBe(200);
    expect(
      await verdict(await browser.ask("POST", CHAT, asking("Hello"), { "on-behalf-of": "console-chats" })),
    ).toEqual([...[403, "CONSOLE_ONLY"]]);
  });

  it("opens no other's conversation of the same name", async () => {
    const [one, two] = await Promise.all(
      ["console-one", "console-two"].map(async (user) => page().signIn(await keyFor(user))),
    );
    await one?.ask("POST", CHAT, asking("A secret"), { "x-conversation-id": "console-shared-name" });
    const seen = await two?.ask("GET", "/console/api/v1/conversations/console-shared-name");
    expect(seen?.status).toBe(404);
  });
});

describe("without a session", () => {
  it.each(["/openai/v1/models", "/openai/v1/chat/completions", "/openai/v1/responses"])(
    "%s is closed below the console, and the cookie opens nothing at its own place",
    async (path) => {
      const method = path.endsWith("models") ? "GET" : "POST";
      const body = method === "POST" ? asking("Hello") : undefined;
      const answer = await page().ask(method, `/console/api${path}`, body);
      expect(answer.status).toBe(401);
      const browser = await page().signIn(await keyFor("console-cookie"));
      const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { cookie, "content-type": "application/json", origin: GATEWAY };
      expect((await exports.default.fetch(GATEWAY + path, { method, headers, ...init })).status).toBe(401);
      expect((await browser.ask(method, `/console/api${path.replace("/openai/", "/openai//")}`, body)).status).toBe(
        404,
      );
    },
  );

  it("ends in mid-chat where the session does: the answer says that it ended", async () => {
    const key = await keyFor("console-ending");
    const browser = await page().signIn(key);
    expect((await browser.ask("POST", CHAT, asking("Hello"))).status).toBe(200);
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    await browser.ask("DELETE", "/console/api/session");
    const answer = await browser.ask("POST", CHAT, asking("Still there?"), { cookie });
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain("You said");
  });
});
