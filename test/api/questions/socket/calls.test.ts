// Tool calls as pages receive them: with their own names, while they run, and again after a reconnect.

import { afterEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishPublic, type Talk, talk, textOf } from "../../../support/chat-turns";
import { evict, holdClock, pass, releaseClock, ring } from "../../../support/clock";
import { Page } from "../../../support/page";
import { providerSkill } from "../../../support/provider";
import { gatewayServers } from "../../../support/servers";
import { scripted } from "../../../support/upstream";
import { MINUTE, revocable, sentAway } from "./admission";

afterEach(releaseClock);

const CALLS = { hears: ["calls"] };
const idOf = ({ route }: Talk) => route.split("/").at(-1) ?? "";

async function ticketOf({ route, key }: Talk, body: object = {}): Promise<string> {
  const made = await call("POST", `${route}/tickets`, { key, json: body });
  return (await made.json<{ ticket: string }>()).ticket;
}

/** Opens a page that receives calls, after the frames about earlier calls. */
async function watching(chat: Talk, body: object = { output: true }): Promise<Page> {
  const page = await Page.greeted(idOf(chat), { ticket: await ticketOf(chat, body), ...CALLS });
  await page.next("tool:calls");
  return page;
}

/** Returns the next frame about a call, without its times. */
async function told(page: Page) {
  const { started_at: _, ended_at, ...shown } = (await page.next("tool:call")).call;
  expect([shown.state === "running", ended_at]).toEqual(
    shown.state === "running" ? [true, null] : [false, expect.any(String)],
  );
  return shown;
}

/** Starts a chat with a skill whose tool `asks` waits for a page and whose tool `says` returns its argument. */
async function chatting(user: string, settings: object = {}): Promise<Talk> {
  await publishPublic(
    providerSkill("clerk", {
      asks: { call: "const { result } = await context.request('ask', args); return 'heard ' + result;" },
      says: { call: "return 'said ' + args.word;" },
      breaks: { call: "throw new Error('broken');" },
    }),
  );
  const chat = await talk(user, settings);
  await chat.turn();
  return chat;
}

describe("a page that subscribes to calls", () => {
  it("receives the start and end of a call, with its arguments and its output", async () => {
    const chat = await chatting("watcher");
    const page = await watching(chat);
    await chat.load("clerk");
    const load = { call_id: "call-1", name: "load_skill", skill: "clerk", turn: 1, arguments: { skill_name: "clerk" } };
    // Pages do not receive instructions, only the model does.
    expect([await told(page), await told(page)]).toEqual([
      { ...load, state: "running" },
      { ...load, state: "done" },
    ]);
    await chat.use("says", { word: "hello" });
    const says = { call_id: "call-2", name: "says", skill: "clerk", turn: 1, arguments: { word: "hello" } };
    expect([await told(page), await told(page)]).toEqual([
      { ...says, state: "running" },
      { ...says, state: "done", output: "said hello" },
    ]);
    await chat.use("breaks");
    expect(await told(page)).toMatchObject({ name: "breaks", state: "running" });
    expect(await told(page)).toMatchObject({
      name: "breaks",
      state: "failed",
      output: expect.stringContaining("broken"),
    });
    await chat.use("load_skill", { skill_name: "nothing" });
    expect(await told(page)).toMatchObject({ name: "load_skill", skill: "nothing", state: "running" });
    expect(await told(page)).toMatchObject({ state: "failed", output: expect.stringContaining("nothing") });
  });

  it("receives a tool's own name if the model calls it through another tool", async () => {
    const chat = await chatting("watcher-of-auto", { delivery: "auto" });
    await chat.load("clerk");
    const page = await watching(chat);
    const result = await chat.use("call_skill_tool", { name: "says", arguments: { word: "hi" } });
    expect(textOf(result)).toBe("said hi");
    const shown = { name: "says", skill: "clerk", arguments: { word: "hi" } };
    expect(await told(page)).toMatchObject({ ...shown, state: "running" });
    expect(await told(page)).toMatchObject({ ...shown, state: "done", output: "said hi" });
  });

  it("receives the cancellation of a call", async () => {
    const chat = await chatting("watcher-of-ends");
    await chat.load("clerk");
    const page = await watching(chat);
    const running = chat.use("asks", {}, "long");
    expect(await told(page)).toMatchObject({ call_id: "long", state: "running" });
    await page.next("skill:request");
    expect((await call("DELETE", `${chat.route}/tool-calls/long`, { key: chat.key })).status).toBe(204);
    await running;
    expect(await told(page)).toMatchObject({ call_id: "long", state: "cancelled" });
  });

  it("receives the same in every tab and when it connects later, also after a restart of the gateway", async () => {
    const chat = await chatting("watcher-of-tabs");
    await chat.load("clerk");
    const [one, two] = [await watching(chat), await watching(chat)];
    await chat.use("says", { word: "a" }, "a");
    const running = chat.use("asks", {}, "b");
    const heard = async (page: Page) => [await told(page), await told(page), await told(page)];
    const all = await heard(one);
    expect(all.map(({ call_id, state }) => `${call_id} ${state}`)).toEqual(["a running", "a done", "b running"]);
    expect(await heard(two)).toEqual(all);
    const later = await Page.greeted(idOf(chat), { ticket: await ticketOf(chat, { output: true }), ...CALLS });
    const snapshot = await later.next("tool:calls");
    expect(snapshot.calls.map(({ call_id, name, state, output }) => [call_id, name, state, output])).toEqual([
      ["call-1", "load_skill", "done", undefined],
      ["a", "says", "done", "said a"],
      ["b", "asks", "running", undefined],
    ]);
    const { request_id } = await one.next("skill:request");
    later.answer(request_id, { success: true, result: "you" });
    await running;
    expect(await told(later)).toMatchObject({ call_id: "b", state: "done", output: "heard you" });
    // The result of a read is not stored for the model, but pages still see it.
    await chat.use("read_skill", { skill_name: "clerk", file_path: "provider.js" }, "read");
    await evict(idOf(chat), "close", "watcher-of-tabs");
    await later.closed;
    const { resume } = later.frames[0] as { resume: string };
    const back = await Page.greeted(idOf(chat), { ticket: resume, ...CALLS });
    const { calls, turn } = await back.next("tool:calls");
    expect(turn).toBe(1);
    expect(calls.map(({ call_id, state, output }) => [call_id, state, output?.slice(0, 9)])).toEqual([
      ["call-1", "done", undefined],
      ["a", "done", "said a"],
      ["b", "done", "heard you"],
      ["read", "done", "\nexport c"],
    ]);
  });

  it("hibernates between calls, and a hibernated socket still receives them", async () => {
    const chat = await chatting("watcher-in-sleep");
    await chat.load("clerk");
    const page = await watching(chat);
    await evict(idOf(chat), "hibernate", "watcher-in-sleep");
    await chat.use("says", { word: "woken" });
    expect(await told(page)).toMatchObject({ name: "says", state: "running" });
    expect(await told(page)).toMatchObject({ output: "said woken" });
  });

  it("begins each turn with none", async () => {
    const chat = await chatting("watcher-of-turns");
    const page = await watching(chat);
    await chat.load("clerk");
    await chat.turn();
    expect(await page.next("tool:calls")).toMatchObject({ turn: 2, calls: [] });
    const other = await Page.greeted(idOf(chat), { key: chat.key, ...CALLS });
    expect(await other.next("tool:calls")).toMatchObject({ turn: 2, calls: [] });
  });

  it("receives a repeated call once, and a call that runs again again", async () => {
    const chat = await chatting("watcher-of-repeats");
    await chat.load("clerk");
    const page = await watching(chat);
    await chat.use("says", { word: "x" }, "same");
    await chat.use("says", { word: "x" }, "same");
    await chat.use("says", { word: "y" }, "same");
    const heard = [await told(page), await told(page), await told(page), await told(page)];
    expect(heard.map(({ state, output }) => output ?? state)).toEqual(["running", "said x", "running", "said y"]);
    await chat.use("read_skill", { skill_name: "clerk" }, "read");
    const again = await chat.use("read_skill", { skill_name: "clerk" }, "read");
    expect(again.isError ?? false).toBe(false);
    const { calls } = await (await Page.greeted(idOf(chat), { key: chat.key, ...CALLS })).next("tool:calls");
    expect(calls.map(({ call_id }) => call_id)).toEqual(["call-1", "same", "read"]);
  });

  it("receives progress", async () => {
    const step = (n: number) =>
      `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":@token,"progress":${n},"total":3,"message":"step ${n}"}}\n\n`;
    const answer = 'data: {"jsonrpc":"2.0","id":@id,"result":{"content":[{"type":"text","text":"there"}]}}\n\n';
    const headers = { "content-type": "text/event-stream" };
    const url = await scripted("walker", { "tools/call echo": { headers, body: [step(1), step(2), answer] } });
    await gatewayServers({ walk: { url } });
    const chat = await talk("watcher-of-progress");
    await chat.turn();
    const [page, plain] = [await watching(chat), await watching(chat, {})];
    await chat.use("walk__echo", { secret: 1 });
    expect(await told(page)).toMatchObject({ name: "walk__echo", skill: null, state: "running" });
    // The second progress report is dropped because it follows too soon.
    expect(await told(page)).toMatchObject({ progress: { progress: 1, total: 3, message: "step 1" } });
    expect(await told(page)).toMatchObject({ state: "done", output: "there" });
    const heard = JSON.stringify([await told(plain), await told(plain), await told(plain)]);
    expect(heard).toContain('"progress":{"progress":1,"total":3}');
    expect(heard).not.toMatch(/secret|there|message/);
    await gatewayServers({});
  });
});

describe("what a page is not shown", () => {
  it("is what calls were given and have answered, unless its ticket says so", async () => {
    const chat = await chatting("discreet");
    await chat.load("clerk");
    const plain = await watching(chat, {});
    await chat.use("says", { word: "hush" }, "c");
    const names = { call_id: "c", name: "says", skill: "clerk", turn: 1 };
    expect([await told(plain), await told(plain)]).toEqual([
      { ...names, state: "running" },
      { ...names, state: "done" },
    ]);
    // A ticket to resume has the same rights as the ticket before it.
    const { resume } = plain.frames[0] as { resume: string };
    const back = await Page.greeted(idOf(chat), { ticket: resume, ...CALLS });
    const snapshot = JSON.stringify(await back.next("tool:calls"));
    expect(snapshot).toContain('"says"');
    expect(snapshot).not.toContain("hush");
    expect(JSON.stringify([plain.frames, back.frames])).not.toContain("hush");
  });

  it("receives nothing without a subscription, and ignores unknown topics", async () => {
    const chat = await chatting("old-page");
    const old = await Page.greeted(idOf(chat), { ticket: await ticketOf(chat, { output: true }) });
    const odd = await Page.greeted(idOf(chat), { key: chat.key, hears: ["weather", "x".repeat(40)] });
    await chat.load("clerk");
    await chat.use("says", { word: "x" });
    await Promise.all([old.pong(), odd.pong()]);
    expect([old, odd].map((page) => [...new Set(page.frames.map(({ type }) => type))])).toEqual([
      ["welcome", "skill:active"],
      ["welcome", "skill:active"],
    ]);
  });

  it("is another user's, under the same id", async () => {
    const chat = await chatting("alice-of-calls");
    const mallory = await keyFor("mallory-of-calls");
    const made = await call("POST", `${chat.route}/tickets`, { key: mallory, json: { output: true } });
    const { ticket } = await made.json<{ ticket: string }>();
    const page = await Page.greeted(idOf(chat), { ticket, hears: ["calls", "skills"] });
    expect(await page.next("tool:calls")).toMatchObject({ turn: 0, calls: [] });
    const before = page.frames.length;
    await chat.load("clerk");
    await page.pong();
    expect(page.frames.length).toBe(before);
  });

  it("is what comes after its key was revoked, and its ticket opens nothing", async () => {
    holdClock();
    const { key, revoke } = await revocable("watcher-revoked");
    await publishPublic(providerSkill("clerk", { says: { call: "return 'said';" } }));
    const chat = await talk({ key });
    await chat.turn();
    const page = await watching(chat);
    const unused = await ticketOf(chat, { output: true });
    await revoke();
    expect(await sentAway(idOf(chat), { ticket: unused })).toBe(4401);
    pass(10 * MINUTE);
    await ring(idOf(chat), "watcher-revoked");
    expect((await page.closed).code).toBe(4401);
  });

  it("is the secret of a server that repeats it", async () => {
    const secret = "planted-7f3a91-value";
    const headers = { "content-type": "application/json" };
    const text = `it is ${secret}`;
    const body = `{"jsonrpc":"2.0","id":@id,"result":{"content":[{"type":"text","text":"${text}"}]}}`;
    const url = (await scripted("leaky", { "tools/call echo": { headers, body } })).replace("127.0.0.1", "localhost");
    const key = await keyFor("admin", { role: "admin" });
    await call("PUT", "/api/v1/secrets/PLANTED", {
      key,
      json: { value: secret, hosts: ["localhost"], scope: "gateway" },
    });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as an entry writes it.
    await gatewayServers({ leaky: { url, headers: { "x-api-key": "${{secrets.PLANTED}}" } } });
    const chat = await talk("watcher-of-secrets");
    await chat.turn();
    const page = await watching(chat);
    await chat.use("leaky__echo");
    await told(page);
    expect(await told(page)).toMatchObject({ state: "done", output: expect.stringContaining("it is") });
    const back = await Page.greeted(idOf(chat), { key: chat.key, ...CALLS });
    await back.next("tool:calls");
    expect(JSON.stringify([page.frames, back.frames])).not.toContain("7f3a91");
    await gatewayServers({});
  });

  it("is more than it can take: long names, arguments and answers are cut, and old calls are left out", async () => {
    const long = "界".repeat(9_000);
    await publishPublic(providerSkill("clerk", { says: { call: "return args.word;" } }));
    const chat = await talk("watcher-of-much");
    await chat.turn();
    await chat.load("clerk");
    const page = await watching(chat);
    for (let n = 0; n < 30; n++) {
      const calls = Array.from({ length: 5 }, (_, m) => ({
        id: `n${n}-${m}`,
        name: "says",
        arguments: { word: `${n}-${m} ${long}` },
      }));
      await chat.calls(...calls);
    }
    await page.pong();
    expect(page.isClosed).toBe(false);
    const back = await Page.greeted(idOf(chat), { key: chat.key, marks: false, ...CALLS });
    const { calls } = await back.next("tool:calls");
    expect([calls.length, calls.at(-1)?.call_id]).toEqual([128, "n29-4"]);
    expect(calls.every((one) => one.arguments === undefined)).toBe(true);
    const outputs = calls.flatMap(({ output }) => output ?? []);
    expect(outputs.length).toBeGreaterThan(8);
    expect(outputs.join("").length).toBeLessThanOrEqual(48 * 1024);
    expect(new TextEncoder().encode(JSON.stringify(back.frames)).byteLength).toBeLessThan(256 * 1024);
  });
});
