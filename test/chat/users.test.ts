// One key for many users: a front end sends the user in a header that the operator has configured.

import { beforeAll, expect, it } from "vitest";
import { askWith } from "../support/app";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";

const CHAT = "/openai/v1/chat/completions";
const HEADER = "X-OpenWebUI-User-Id";
const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;
const SET = { CHAT_USER_HEADER: HEADER };

type Message = Record<string, unknown>;
const say = (content: string): Message => ({ role: "user", content });

let service = "";
let adas = "";

async function ask(
  key: string,
  headers: Record<string, string>,
  settings: Record<string, string> = SET,
  messages = [say("Hello.")],
) {
  const answer = await askWith(settings, CHAT, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "demo", messages }),
  });
  const body = await answer.json<{ choices?: { message: Message }[]; error?: { code: string; message: string } }>();
  return { status: answer.status, body, id: answer.headers.get("x-conversation-id") };
}

/** The conversations of a user, by their ids. */
async function chatsOf(user: string): Promise<string[]> {
  const answer = await call("GET", "/api/v1/conversations", { key: ADMIN_KEY, as: user });
  return (await answer.json<{ items: { id: string }[] }>()).items.map(({ id }) => id);
}

beforeAll(async () => {
  service = await keyFor("front-end", { scopes: ["act_as", "chat"] });
  adas = await keyFor("web-ada");
  await publishOwn(await keyFor("front-end"), { name: "ballad", description: "Write a ballad.", body: BODY });
  await publishOwn(adas, { name: "haiku", description: "Write a haiku.", body: BODY });
  await publishOwn(await keyFor("web-bob"), { name: "sonnet", description: "Write a sonnet.", body: BODY });
});

it("is the user that the header names: the chat, its skills and what was said are that user's", async () => {
  const ada = await ask(service, { [HEADER]: "web-ada" }, SET, [say("Please use haiku.")]);
  expect(ada.body.choices?.[0]?.message.content).toContain("Count 5, 7, 5");
  expect(await chatsOf("web-ada")).toEqual([ada.id]);
  const talk = [say("Please use haiku."), ada.body.choices![0]!.message, say("More.")];
  expect((await ask(service, { [HEADER]: "web-ada" }, SET, talk)).id).toBe(ada.id);
  // The same text from another user starts another chat, without the first user's skill.
  const bob = await ask(service, { [HEADER]: "web-bob" }, SET, talk);
  expect([bob.status, bob.id === ada.id]).toEqual([200, false]);
  const stolen = await ask(service, { [HEADER]: "web-bob" }, SET, [say("Please use haiku.")]);
  expect(stolen.body.choices?.[0]?.message.content).not.toContain("Count 5, 7, 5");
});

it("without the setting the header says nothing", async () => {
  const before = await chatsOf("web-ada");
  expect((await ask(service, { [HEADER]: "web-ada" }, {})).status).toBe(200);
  expect(await chatsOf("web-ada")).toEqual(before);
});

it("a key that may not act for others stays its own user, whatever it sends", async () => {
  const eve = await keyFor("web-eve", { scopes: ["chat"] });
  await publishOwn(await keyFor("web-eve"), { name: "limerick", description: "Write a limerick.", body: BODY });
  const before = await chatsOf("web-ada");
  const answer = await ask(eve, { [HEADER]: "web-ada" }, SET, [say("Please use haiku.")]);
  expect(answer.status).toBe(200);
  expect(answer.body.choices?.[0]?.message.content).not.toContain("Count 5, 7, 5");
  expect(await chatsOf("web-ada")).toEqual(before);
  expect(await chatsOf("web-eve")).toEqual([answer.id]);
});

it("rejects forged user ids: invalid ones, reserved ones, and two at once", async () => {
  for (const [headers, status] of [
    [{ [HEADER]: "web ada" }, 400],
    [{ [HEADER]: '{"user":"web-ada"}' }, 400],
    [{ [HEADER]: "admin" }, 403],
    [{ [HEADER]: "web-ada", "on-behalf-of": "web-bob" }, 400],
    [{ [HEADER]: "web-ada", "on-behalf-of": "web-ada" }, 200],
    // A placeholder that the front end did not fill in is ignored.
    [{ [HEADER]: "{{user.id}}" }, 200],
    [{ [HEADER]: "" }, 200],
  ] as const) {
    const before = await chatsOf("web-bob");
    const answer = await ask(service, headers);
    expect([headers, answer.status]).toEqual([headers, status]);
    expect(await chatsOf("web-bob")).toEqual(before);
  }
});

it("with a prefix a front end names users of its own only", async () => {
  const settings = { ...SET, CHAT_USER_PREFIX: "owui:" };
  await publishOwn(await keyFor("owui:web-ada"), { name: "tanka", description: "Write a tanka.", body: BODY });
  const before = await chatsOf("web-ada");
  const answer = await ask(service, { [HEADER]: "web-ada" }, settings, [say("Please use haiku.")]);
  expect(answer.body.choices?.[0]?.message.content).not.toContain("Count 5, 7, 5");
  expect(await chatsOf("web-ada")).toEqual(before);
  expect(await chatsOf("owui:web-ada")).toEqual([answer.id]);
});

it("counts at the chat endpoint alone", async () => {
  const key = await keyFor("front-end", { scopes: ["act_as", "conversations"] });
  const headers = { authorization: `Bearer ${key}`, [HEADER]: "web-ada" };
  const answer = await askWith(SET, "/api/v1/conversations", { headers });
  expect(await answer.json()).toMatchObject({ items: [] });
  expect((await chatsOf("web-ada")).length).toBeGreaterThan(0);
});
