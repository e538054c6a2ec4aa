// Questions that an MCP server of protocol version 2025 sends on its session stream instead of the response to the call.

import { beforeEach, describe, expect, it } from "vitest";
import { talk } from "../../support/chat-turns";
import { Page } from "../../support/page";
import { gatewayServers } from "../../support/servers";
import { expectNoConnections, faults, forget, methods } from "../../support/upstream";

const PATH = "/asking-standing/door";
const QUIET = "/asking-legacy/quiet";
/** Not `PATH`: the server still considers a stream open for 60 ms after the client has closed it. */
const UNHEARD = "/asking-standing/unheard";
const FORM = {
  method: "elicitation/create",
  params: { message: "Where to?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } },
};
const CITY = { action: "accept", content: { city: "Ulm" } };

beforeEach(async () => {
  await forget();
  const urls = Object.entries({ standing: PATH, quiet: QUIET, unheard: UNHEARD });
  await gatewayServers(Object.fromEntries(urls.map(([name, path]) => [name, { url: `${faults}${path}` }])));
});

async function connected(user: string) {
  const chat = await talk(user);
  await chat.turn();
  const page = await Page.greeted(chat.route.slice(chat.route.lastIndexOf("/") + 1), { key: chat.key });
  return { chat, page };
}

const textOf = ({ content }: { content: { text?: string }[] }) => content.map(({ text }) => text).join("\n");
const streams = async (path: string) => (await methods(path)).filter((method) => method === "GET").length;

describe("the stream of a session", () => {
  it("receives the question of each call, and is open no longer than the call", async () => {
    const { chat, page } = await connected("standing");
    for (const id of ["first", "second"]) {
      const called = chat.use("standing__ask", { rounds: [{ who: FORM }, { again: FORM }] }, id);
      for (let asked = 0; asked < 2; asked++) {
        const { request_id, from } = await page.next("skill:request");
        expect(from).toMatchObject({ name: "standing" });
        page.answer(request_id, { success: true, result: CITY });
      }
      expect(JSON.parse(textOf(await called))).toEqual([{ who: CITY }, { again: CITY }]);
    }
    await expectNoConnections();
  });

  it("belongs to no call if two are running: neither receives the other's question", async () => {
    const { chat, page } = await connected("standing-two");
    const waiting = chat.use("quiet__ask", { rounds: [{ who: FORM }] }, "waiting");
    const { request_id } = await page.next("skill:request");
    // A call of another server does not count as a call of this session.
    const alone = chat.use("standing__ask", { rounds: [{ who: FORM }] }, "alone");
    const other = await page.next("skill:request");
    const beside = chat.use("standing__ask", { rounds: [{ who: FORM }] }, "beside");
    expect(textOf(await beside)).toContain("cannot be assigned to a single running call");
    for (const id of [request_id, other.request_id]) page.answer(id, { success: true, result: CITY });
    expect(JSON.parse(textOf(await alone))).toEqual([{ who: CITY }]);
    expect(JSON.parse(textOf(await waiting))).toEqual([{ who: CITY }]);
    await expectNoConnections();
  });

  it("is opened once if there is none, and not at all if no page could answer", async () => {
    const alone = await talk("standing-nobody");
    await alone.turn();
    expect(textOf(await alone.use("unheard__ask", { rounds: [{ who: FORM }] }))).toContain("nobody listens");
    expect(await streams(UNHEARD)).toBe(0);
    const { chat } = await connected("standing-none");
    for (const id of ["1", "2"]) await chat.use("quiet__ask", { rounds: [] }, id);
    expect(await streams(QUIET)).toBe(1);
  });
});
