// `SkillGateway.events`: the stream of the built gateway, and how the client goes on after interruptions.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SkillEvent, SkillGateway } from "../../sdk/src/index";
import { Harness, KEY } from "../support/harness";

const SKILL = { name: "tides", description: "Knows of tides." };

describe("events of the built gateway", () => {
  const gateway = new Harness();
  beforeAll(() => gateway.start());
  afterAll(() => gateway.close());

  it("arrive while they happen, and continue after a place", async () => {
    const client = new SkillGateway({ url: gateway.url, key: KEY });
    const events = client.events();
    expect((await events.next()).value).toMatchObject({ type: "ready" });
    const { id } = await gateway.publish({ ...SKILL, body: "One." });
    const first = (await events.next()).value;
    expect(first).toMatchObject({ type: "skill.published", data: { skill_id: id, name: "tides" } });
    await gateway.publish({ ...SKILL, body: "Two." }, id);
    expect((await events.next()).value).toMatchObject({ type: "skill.published" });
    await events.return();
    const later = client.events({ after: first?.id });
    expect((await later.next()).value).toMatchObject({ type: "skill.published" });
    expect((await later.next()).value).toMatchObject({ type: "ready" });
    await later.return();
    const lost = client.events({ after: "1.1" });
    expect((await lost.next()).value).toMatchObject({ type: "reset" });
    await lost.return();
  });
});

/** Returns a client whose requests are answered in turn, and the requests. */
function scriptedClient(...answers: (() => Response | Promise<Response>)[]) {
  const asked: { after: string | null; accept: string | null }[] = [];
  const ask: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    asked.push({ after: url.searchParams.get("last_event_id"), accept: new Headers(init?.headers).get("accept") });
    return (answers.shift() ?? (() => new Response("{}", { status: 401 })))();
  };
  return { client: new SkillGateway({ url: "https://gateway.test", key: "k", fetch: ask, retries: 0 }), asked };
}

const body = (...frames: [id: string, type: string, data?: object][]) =>
  frames.map(([id, type, data = {}]) => `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
const stream = (text: string) => () => new Response(text, { headers: { "content-type": "text/event-stream" } });

async function all(events: AsyncIterable<SkillEvent>): Promise<string[]> {
  const seen: string[] = [];
  try {
    for await (const { id, type } of events) seen.push(`${type} ${id}`);
  } catch (error) {
    seen.push(String((error as { status?: number }).status));
  }
  return seen;
}

describe("after an interruption", () => {
  it("the client continues after the last event, and hides the second `ready`", { tags: ["slow"] }, async () => {
    const { client, asked } = scriptedClient(
      stream(body(["1.1", "ready"], ["2.2", "skill.published", { type: "skill.published" }])),
      stream(`: keep-alive\n\n${body(["3.3", "skill.yanked"], ["4.3", "ready"])}`),
      () => new Response("{}", { status: 503 }),
      () => Promise.reject(new TypeError("fetch failed")),
      stream(body(["9.9", "reset"])),
    );
    expect(await all(client.events())).toEqual([
      ...["ready 1.1", "skill.published 2.2", "skill.yanked 3.3", "reset 9.9", "401"],
    ]);
    expect(asked.map(({ after }) => after)).toEqual([null, "2.2", "4.3", "4.3", "4.3", "9.9"]);
    expect(new Set(asked.map(({ accept }) => accept))).toEqual(new Set(["text/event-stream"]));
  });

  it("an incomplete event is not yielded", async () => {
    const { client } = scriptedClient(
      stream("id: 1.1\nevent: ready\ndata: {}\n\nid: 2.2\nevent: skill.deleted\ndata: {}\n"),
    );
    expect(await all(client.events())).toEqual(["ready 1.1", "401"]);
  });

  it("an aborted signal ends the loop", async () => {
    const stop = new AbortController();
    const { client } = scriptedClient(stream(body(["1.1", "ready"])));
    const events = client.events({ signal: stop.signal });
    await events.next();
    stop.abort(new Error("enough"));
    await expect(events.next()).rejects.toThrow("enough");
  });
});
