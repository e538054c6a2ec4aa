// The skills of a conversation, as a page lists them for its user.

import { describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn, publishPublic, type Talk, talk } from "../../../support/chat-turns";
import { evict } from "../../../support/clock";
import { Page } from "../../../support/page";

const SKILLS = { hears: ["skills"] };
const idOf = ({ route }: Talk) => route.split("/").at(-1) ?? "";
const fresh = () => `new-${crypto.randomUUID()}`;
type Listed = Extract<Page["frames"][number], { type: "skill:list" }>;
const names = ({ skills }: Listed) => skills.map(({ skill }) => skill);

/** Creates a ticket and opens a page that subscribes to skill lists. */
async function listening(key: string, id: string, body: object = {}): Promise<Page> {
  const made = await call("POST", `/api/v1/conversations/${id}/tickets`, { key, json: body });
  if (made.status !== 201) throw new Error(await made.text());
  return Page.greeted(id, { ticket: (await made.json<{ ticket: string }>()).ticket, ...SKILLS });
}

describe("a page that subscribes to skills", () => {
  it("has the list before the first turn of a chat that is new, also after the object slept", async () => {
    const key = await keyFor("chooser");
    await publishPublic({ name: "tides", description: "When the tide comes.", body: "Look it up." });
    await publishOwn(key, { name: "mine", frontmatter: "disable-model-invocation: true" });
    const id = fresh();
    const list = await (await listening(key, id)).next("skill:list");
    expect(list.total).toBe(2);
    expect(list.skills).toEqual([
      expect.objectContaining({ skill: "mine", user_only: true, tokens: expect.any(Number) }),
      { skill: "tides", description: "When the tide comes.", version: null, tokens: 4, user_only: false },
    ]);
    await evict(id, "close", "chooser");
    const again = await Page.greeted(id, { key, ...SKILLS });
    expect(await again.next("skill:list")).toEqual(list);
  });

  it("receives a changed list once, never older than its ticket", async () => {
    const key = await keyFor("chooser-of-news");
    await publishPublic({ name: "tides" });
    const id = fresh();
    const page = await listening(key, id);
    expect(names(await page.next("skill:list"))).toEqual(["tides"]);
    await publishOwn(key, { name: "wind" });
    // Publishing does not wake the conversation. The next page that connects receives the new list.
    const later = await listening(key, id);
    expect(names(await later.next("skill:list"))).toEqual(["tides", "wind"]);
    expect(names(await page.next("skill:list"))).toEqual(["tides", "wind"]);
    await call("POST", `/api/v1/conversations/${id}/turns`, { key, json: {} });
    await call("POST", `/api/v1/conversations/${id}/turns`, { key, json: {} });
    await Promise.all([page.pong(), later.pong()]);
    expect([page.count("skill:list"), later.count("skill:list")]).toEqual([2, 1]);
  });

  it("has the skills of the conversation's ghost, as set by the ticket that created it", async () => {
    const key = await keyFor("chooser-of-ghosts");
    await publishPublic({ name: "tides" });
    await publishPublic({ name: "wind" });
    const id = fresh();
    const spec = { skills: ["wind"] };
    const page = await listening(key, id, { conversation: { spec, retention_turns: 3 } });
    expect(names(await page.next("skill:list"))).toEqual(["wind"]);
    const status = await call("GET", `/api/v1/conversations/${id}`, { key });
    expect(await status.json()).toMatchObject({ turn: 0, settings: { spec, retention_turns: 3 } });
    // A second ticket does not create the conversation again and does not change its settings.
    const other = await listening(key, id, { conversation: { retention_turns: 9 } });
    expect(names(await other.next("skill:list"))).toEqual(["wind"]);
    const after = await call("GET", `/api/v1/conversations/${id}`, { key });
    expect(await after.json()).toMatchObject({ settings: { spec, retention_turns: 3 } });
  });

  it("receives nothing that its user cannot see, or that only another page's user sees", async () => {
    const [alice, mallory] = [await keyFor("list-alice"), await keyFor("list-mallory")];
    await publishOwn(alice, { name: "diary", description: "Her secret." });
    const chat = await talk({ key: alice });
    await chat.turn();
    const page = await listening(mallory, idOf(chat));
    expect(names(await page.next("skill:list"))).not.toContain("diary");
    await chat.load("diary");
    await page.pong();
    expect(JSON.stringify(page.frames)).not.toMatch(/diary|secret/);
  });
});

describe("a ticket that makes its conversation", () => {
  const ticket = (key: string, id: string, json: object) =>
    call("POST", `/api/v1/conversations/${id}/tickets`, { key, json });

  it("is refused with all that is wrong with it, and then makes nothing", async () => {
    const key = await keyFor("ticket-maker");
    const id = fresh();
    const wrong = [
      { conversation: { retention_turns: "many" } },
      { conversation: { spec: { skills: ["*"] }, ghost: "both" } },
      { conversation: { unknown: 1 } },
      { output: "yes" },
    ];
    const answers = await Promise.all(wrong.map((json) => ticket(key, id, json)));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    const missing = await ticket(key, id, { conversation: { ghost: "nobody" } });
    expect([missing.status, await missing.json()]).toMatchObject([404, { code: "GHOST_NOT_FOUND" }]);
    expect((await call("GET", `/api/v1/conversations/${id}`, { key })).status).toBe(404);
  });

  it("makes one however many ask at once", async () => {
    const key = await keyFor("ticket-racer");
    const id = fresh();
    const answers = await Promise.all([1, 2, 3, 4].map((n) => ticket(key, id, { conversation: { metadata: { n } } })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const tickets = await Promise.all(answers.map((answer) => answer.json<{ ticket: string }>()));
    await Promise.all(tickets.map((made) => Page.greeted(id, made)));
    const { items } = await (await call("GET", "/api/v1/conversations", { key })).json<{ items: { id: string }[] }>();
    expect(items.map((item) => item.id)).toEqual([id]);
  });
});
