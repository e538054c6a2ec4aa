// The adapters in existing chats: the vendors' SDKs, strict vendors, and an unreliable connection to the gateway.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChatOptions, SkillGateway, type SkillGatewayError } from "../../sdk/src/index";
import { Harness, KEY, type Published } from "../support/harness";
import { anthropicChat, openaiChat, responsesChat } from "../support/sdk/existing-chats";
import { Flaky } from "../support/sdk/flaky";
import { startVendor, type Vendor } from "../support/vendors/server";

const gateway = new Harness();
const line = new Flaky(() => gateway.url);
let published: Published;
let vendor: Vendor;
let chats = 0;

const ORDER = "Sign every report with Aye.";
// Too long to be preloaded with the list.
const body = (order: string) => `${order}\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}`;
const LOAD = { name: "load_skill", input: { skill_name: "harbour" } };
const READ = { name: "read_skill", input: { skill_name: "harbour", file_path: "tides.md" } };
const OWN = { name: "get_time", input: {} };

beforeAll(async () => {
  await gateway.start();
  await line.start();
  const files = { "tides.md": "High water at noon.\n" };
  published = await gateway.publish({
    name: "harbour",
    version: "1.0.0",
    description: "Reports.",
    body: body(ORDER),
    files,
  });
});
beforeEach(async () => {
  vendor = await startVendor();
  line.faults = [];
  line.seen.length = 0;
  line.onRequest = () => {};
});
afterEach(async () => {
  await vendor.close();
});
afterAll(async () => {
  await line.stop();
  await gateway.close();
});

/** The thrown error; helpers of the SDKs wrap it. */
const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: Error) => error.cause ?? error,
  );

const KINDS = [
  ["openai, streamed", (to: Vendor) => openaiChat(to, true)],
  ["openai, whole", (to: Vendor) => openaiChat(to, false)],
  ["responses, streamed", (to: Vendor) => responsesChat(to, true, true)],
  ["responses, whole", (to: Vendor) => responsesChat(to, false, true)],
  ["responses without thoughts, whole", (to: Vendor) => responsesChat(to, false, false)],
  ["anthropic, streamed", (to: Vendor) => anthropicChat(to, true)],
  ["anthropic, whole", (to: Vendor) => anthropicChat(to, false)],
] as const;

describe.each(KINDS)("%s", (_, start) => {
  const skills = (options: ChatOptions = {}, retries = 3) => {
    const client = new SkillGateway({ url: line.url, key: KEY, retries });
    return client.chat(`sdk-${++chats}`, { user: "alice", ...options });
  };

  it("loads a skill, keeps it for the next turn, and returns only the chat's own calls", async () => {
    const chat = start(vendor);
    const harbour = skills();
    vendor.plan.push([LOAD], [READ, OWN], []);
    expect(await chat.say("How is the tide?", harbour)).toBe("Said in step 3.");
    expect(chat.seen).toEqual(["get_time"]);
    vendor.plan.push([]);
    expect(await chat.say("And tomorrow?", harbour)).toBe("Said in step 4.");
    expect(vendor.refusals).toEqual([]);
    expect(vendor.bodies.map((sent) => sent.includes(ORDER))).toEqual([false, true, true, true]);
    expect(vendor.bodies[2]).toContain("High water at noon.");
    // The text appears once: nothing was sent again, and no field of the gateway reaches the vendor.
    expect(vendor.bodies[3]?.split(ORDER)).toHaveLength(2);
    for (const sent of vendor.bodies) expect(sent).not.toContain("skill_step");
    // The adapter sends the user's message with each turn, for a prediction.
    const log = await gateway.send("GET", `/api/v1/conversations/${harbour.id}/events`, undefined, "alice");
    expect((await log.text()).split('"prediction":')).toHaveLength(3);
    // The model's text is in the history once.
    expect(JSON.stringify(chat.messages).split("Said in step 3.")).toHaveLength(2);
  });

  it("runs calls in parallel, and continues in another process with the history alone", async () => {
    const chat = start(vendor);
    const harbour = skills();
    vendor.plan.push([LOAD, READ, { ...READ, input: { ...READ.input, file_path: "./tides.md" } }], []);
    expect(await chat.say("How is the tide?", harbour)).toBe("Said in step 2.");
    const another = start(vendor);
    another.messages.push(...(JSON.parse(JSON.stringify(chat.messages)) as unknown[]));
    vendor.plan.push([READ], []);
    const again = new SkillGateway({ url: line.url, key: KEY }).chat(harbour.id, { user: "alice" });
    expect(await another.say("And tomorrow?", again)).toBe("Said in step 4.");
    expect(vendor.refusals).toEqual([]);
    expect(vendor.bodies[3]?.split(ORDER)).toHaveLength(2);
  });

  it("removes a yanked version from the history, and appends the next one", async () => {
    const chat = start(vendor);
    const harbour = skills();
    vendor.plan.push([LOAD], []);
    await chat.say("How is the tide?", harbour);
    const next = `${ORDER.slice(0, -1)} twice.`;
    const made = await gateway.publish(
      { name: "harbour", version: `2.${chats}.0`, description: "Reports.", body: body(next) },
      published.id,
    );
    await gateway.send("POST", `/api/v1/kinds/skills/${published.id}/versions/${published.version_id}/yank`);
    try {
      vendor.plan.push([]);
      await chat.say("And tomorrow?", harbour);
      vendor.plan.push([]);
      await chat.say("And then?", harbour);
      expect(vendor.refusals).toEqual([]);
      expect(vendor.bodies.slice(2).map((sent) => [sent.includes(ORDER), sent.split(next).length - 1])).toEqual([
        [false, 1],
        [false, 1],
      ]);
      for (const sent of vendor.bodies) expect(sent).not.toContain("skill_append_id");
    } finally {
      await gateway.send("POST", `/api/v1/kinds/skills/${published.id}/versions/${published.version_id}/unyank`);
      await gateway.send("POST", `/api/v1/kinds/skills/${published.id}/versions/${published.version_id}/activate`);
      await gateway.send("POST", `/api/v1/kinds/skills/${published.id}/versions/${made.version_id}/yank`);
    }
  });

  it("survives 429, an answer that was lost, and a stream that was cut, without running anything twice", async () => {
    const chat = start(vendor);
    const harbour = skills();
    line.faults = [
      { on: /turns/, what: 429 },
      { on: /turns/, what: "lost" },
      { on: /tool-calls/, what: "cut" },
    ];
    vendor.plan.push([LOAD, READ], []);
    expect(await chat.say("How is the tide?", harbour)).toBe("Said in step 2.");
    const events = await gateway.send("GET", `/api/v1/conversations/${harbour.id}/events`, undefined, "alice");
    const { events: log } = (await events.json()) as { events: { type: string; turn: number }[] };
    expect(log.filter(({ type }) => type.startsWith("turn"))).toHaveLength(1);
    expect(vendor.refusals).toEqual([]);
  });

  it("continues after the gateway was unavailable between two steps", { tags: ["slow"] }, async () => {
    const chat = start(vendor);
    vendor.plan.push([LOAD], []);
    line.faults = Array.from({ length: 3 }, () => ({ on: /tool-calls/, what: "refused" as const }));
    expect(await chat.say("How is the tide?", skills())).toBe("Said in step 2.");
    expect(vendor.bodies[1]).toContain(ORDER);
  });

  it("without a gateway fails, or continues without skills if configured", async () => {
    const closed = start(vendor);
    line.faults = [{ on: /turns/, what: 503 }];
    expect(await thrown(closed.say("How is the tide?", skills({}, 0)))).toMatchObject({ status: 503, isOutage: true });
    expect(vendor.bodies).toEqual([]);

    const open = start(vendor);
    const outages: SkillGatewayError[] = [];
    const chosen: ChatOptions = { failOpen: true, onOutage: (error) => outages.push(error) };
    line.faults = [{ on: /turns/, what: "refused" }];
    vendor.plan.push([OWN], []);
    const harbour = skills(chosen, 0);
    expect(await open.say("How is the tide?", harbour)).toBe("Said in step 2.");
    expect(vendor.bodies[0]).not.toContain("load_skill");
    // The connection returns, and is lost again during a turn.
    line.faults = [{ on: /tool-calls/, what: 503 }];
    vendor.plan.push([LOAD], []);
    expect(await open.say("And now?", harbour)).toBe("Said in step 4.");
    expect(vendor.bodies[3]).toContain("skills cannot be reached");
    expect(outages.map(({ status }) => status)).toEqual([0, 503]);
    expect(vendor.refusals).toEqual([]);
  });

  it("never continues without skills after an error of the gateway", async () => {
    const refused = skills({ failOpen: true, conversation: { ghost: "nobody" } });
    expect(await thrown(start(vendor).say("Hello", refused))).toMatchObject({ code: "GHOST_NOT_FOUND" });
  });

  it("stops in the middle of a call when the user leaves, and the next turn is as good as any", async () => {
    const chat = start(vendor);
    const harbour = skills();
    const leave = new AbortController();
    line.onRequest = (path) => path.includes("tool-calls") && leave.abort();
    vendor.plan.push([LOAD]);
    await expect(chat.say("How is the tide?", harbour, leave.signal)).rejects.toThrow();
    line.onRequest = () => {};
    expect(vendor.bodies).toHaveLength(1);
    vendor.plan.push([LOAD], []);
    expect(await chat.say("Well?", harbour)).toBe("Said in step 3.");
    expect(vendor.refusals).toEqual([]);
  });
});

it.each([true, false])(
  "anthropic: a chat without its own tools continues, with calls in its history (streamed: %s)",
  async (stream) => {
    const client = new SkillGateway({ url: line.url, key: KEY, retries: 0 });
    const harbour = client.chat(`sdk-${++chats}`, { user: "alice", failOpen: true });
    const chat = anthropicChat(vendor, stream, false);
    vendor.plan.push([LOAD], []);
    await chat.say("How is the tide?", harbour);
    line.faults = [{ on: /turns/, what: 503 }];
    vendor.plan.push([]);
    expect(await chat.say("And tomorrow?", harbour)).toBe("Said in step 3.");
    expect(vendor.refusals).toEqual([]);
    expect(JSON.parse(vendor.bodies[2] ?? "")).toMatchObject({
      tools: [{ name: "load_skill", description: "Not there at the moment." }],
      tool_choice: { type: "none" },
    });
    vendor.plan.push([LOAD], []);
    expect(await chat.say("And then?", harbour)).toBe("Said in step 5.");
    expect(JSON.parse(vendor.bodies[3] ?? "")).not.toHaveProperty("tool_choice");
    expect(vendor.refusals).toEqual([]);
  },
);
