// Requirements for every chat client behind the gateway, checked by the requests that the vendor receives: none is rejected, and each
// begins with the one before it.

import { expect } from "vitest";
import { type Answered, as, type Client, DOCUMENT, type OwnTool, PICTURE, type Place } from "./client";
import { expectGrowth, HARBOUR, LAMP, load, own, requestIn, sent, signal, text } from "./sent";
import type { Stage } from "./stage";

export interface Trial {
  client: Client;
  stage: Stage;
}

/** Asserts that the client's history contains nothing that the gateway added. */
function expectNoTrace(added: readonly unknown[]): void {
  for (const word of ["load_skill", "call_skill_tool", HARBOUR, LAMP]) expect(text(added)).not.toContain(word);
}

/** A client tool that counts its runs. */
function clock(): OwnTool & { times: number } {
  const tool = {
    ...{ name: "get_time", description: "The time now.", times: 0 },
    run: () => {
      tool.times++;
      return "noon";
    },
  };
  return tool;
}

async function plain({ client, stage }: Trial): Promise<void> {
  const { vendor, direct } = stage;
  const talk = async (place: Place) => {
    const received: string[] = [];
    const first = await client.ask(place, [], { say: "Hello.", onText: (piece) => received.push(piece) });
    const second = await client.ask(place, first.added, { say: "And now?" });
    return { heard: received.join(""), first, second };
  };
  const place = await stage.user(client.api);
  if (client.keepsAtVendor !== true) {
    const there = await talk(stage.vendorItself(client.api));
    expect([there.heard, there.second.text]).toEqual(["Said in step 1.", "Said in step 2."]);
    // Without skills the gateway must be invisible to the client.
    expect(await talk({ ...place, headers: { "X-Skills": "off" } })).toEqual(there);
    expect(vendor.bodies.map((body) => JSON.parse(body))).toEqual(direct.bodies.map((body) => JSON.parse(body)));
  }
  vendor.bodies.length = 0;
  const here = await talk(place);
  expect([here.heard, here.first.text, here.second.text]).toEqual(["Said in step 1.", ...saidIn(1, 2)]);
  expectGrowth(sent(stage));
}

const saidIn = (...steps: number[]) => steps.map((step) => `Said in step ${step}.`);

async function skillLoads({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  stage.vendor.plan.push([load("harbour")]);
  const first = await client.ask(place, [], { say: "Report, please." });
  expect(first.text).toBe("Said in step 2.");
  expectNoTrace(first.added);
  const second = await client.ask(place, first.added, { say: "Once more." });
  expect(second.text).toBe("Said in step 3.");
  const requests = sent(stage);
  expect(requests).toHaveLength(3);
  expect([text(requests[0]).includes(HARBOUR), text(requests[1]).includes(HARBOUR)]).toEqual([false, true]);
  expectGrowth(requests);
}

async function skillsTool({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  stage.vendor.plan.push([load("lamp")], [signal]);
  const first = await client.ask(place, [], { say: "Light the lamp." });
  expect(first.text).toBe("Said in step 3.");
  expectNoTrace(first.added);
  expect(text(sent(stage)[2])).toContain("the lamp is lit");
  await client.ask(place, first.added, { say: "Is it on?" });
  expectGrowth(sent(stage));
}

async function ownTool({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  const tool = clock();
  stage.vendor.plan.push([own], [load("harbour")], [own]);
  const first = await client.ask(place, [], { say: "What time is it?", own: tool });
  expect([first.text, tool.times]).toEqual(["Said in step 4.", 2]);
  expectNoTrace(first.added);
  stage.vendor.plan.push([own]);
  const second = await client.ask(place, first.added, { say: "And now?", own: tool });
  expect([second.text, tool.times]).toEqual(["Said in step 6.", 3]);
  expectGrowth(sent(stage));
}

async function both({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  const tool = clock();
  stage.vendor.plan.push([load("lamp"), own], [own, signal]);
  const first = await client.ask(place, [], { say: "Light it at noon.", own: tool });
  expect([first.text, tool.times]).toEqual(["Said in step 3.", 2]);
  expectNoTrace(first.added);
  const toolResult = text(sent(stage)[2]);
  for (const result of [LAMP, "noon", "the lamp is lit"]) expect(toolResult).toContain(result);
  await client.ask(place, first.added, { say: "Is it on?", own: tool });
  expectGrowth(sent(stage));
}

async function attachments({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  const asked = { say: "What is on these?", attached: true };
  stage.vendor.plan.push([load("harbour")]);
  const here = await client.ask(place, [], asked);
  const shown = as<{ role: string }[]>(sent(stage)[0]!.messages).find(({ role }) => role === "user");
  for (const [what, bytes] of Object.entries({ PICTURE, DOCUMENT }))
    expect([what, text(shown).includes(bytes)]).toEqual([what, true]);
  if (client.keepsAtVendor !== true) {
    await client.ask(stage.vendorItself(client.api), [], asked);
    expect(requestIn(stage.direct.bodies[0]!).messages).toContainEqual(shown);
  }
  for (const request of sent(stage)) expect(request.messages).toContainEqual(shown);
  await client.ask(place, here.added, { say: "And what else?" });
  expectGrowth(sent(stage));
}

async function structured({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  stage.vendor.plan.push([load("harbour")]);
  stage.vendor.texts.push('{"tide":"high"}', '{"tide":"low"}');
  const first = await client.ask(place, [], { say: "How is the tide?", schema: true });
  expect(first.parsed).toEqual({ tide: "high" });
  const second = await client.ask(place, first.added, { say: "And now?", schema: true });
  expect(second.parsed).toEqual({ tide: "low" });
  expect(text(sent(stage)[1])).toContain(HARBOUR);
  for (const request of sent(stage)) expect(text(request)).toContain('"tide":{"type":"string"');
  expectGrowth(sent(stage));
}

async function abort({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  stage.vendor.plan.push([load("harbour")]);
  const first = await client.ask(place, [], { say: "Report, please." });
  // Whether the vendor request also ends is tested in test/smoke/chat, where client and gateway are connected directly.
  stage.vendor.stall();
  const stop = new AbortController();
  const received: string[] = [];
  const onText = (piece: string) => {
    received.push(piece);
    stop.abort();
  };
  const stopped = client.ask(place, first.added, { say: "Say more.", signal: stop.signal, onText });
  await expect(stopped).rejects.toThrow();
  expect(received.join("")).toBe("Sai");
  const next = await client.ask(place, first.added, { say: "Say less." });
  expect(next.text).toBe("Said in step 4.");
  const requests = sent(stage);
  expect(requests[3]!.messages.slice(0, -1)).toEqual(requests[2]!.messages.slice(0, -1));
  expect(text(requests[3])).toContain(HARBOUR);
}

const reloaded = ({ added }: Answered) => JSON.parse(JSON.stringify(added)) as unknown[];

async function reload({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  const tool = clock();
  stage.vendor.plan.push([load("harbour"), own]);
  const first = await client.ask(place, [], { say: "Report, please.", own: tool });
  const kept = reloaded(first);
  const second = await client.ask(place, kept, { say: "Once more.", own: tool });
  await client.ask(place, [...kept, ...reloaded(second)], { say: "And again.", own: tool });
  const requests = sent(stage);
  expect(requests).toHaveLength(4);
  expect(text(requests[3])).toContain(HARBOUR);
  expectGrowth(requests);
}

async function regenerate({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  const say = "Report, please.";
  stage.vendor.plan.push([load("harbour")]);
  const first = await client.ask(place, [], { say });
  const again = await client.ask(place, [], { say });
  expect([first.text, again.text]).toEqual(["Said in step 2.", "Said in step 3."]);
  const requests = sent(stage);
  expect(requests[2]!.messages).toEqual(requests[0]!.messages);
  // Both branches continue with their own state.
  await client.ask(place, first.added, { say: "Go on." });
  await client.ask(place, again.added, { say: "Go on." });
  expect(sent(stage).map((request) => text(request).includes(HARBOUR))).toEqual([false, true, false, true, false]);
}

async function edit({ client, stage }: Trial): Promise<void> {
  const place = await stage.user(client.api);
  stage.vendor.plan.push([load("harbour")]);
  const first = await client.ask(place, [], { say: "Report, please." });
  const second = await client.ask(place, first.added, { say: "About the boats." });
  await client.ask(place, [...first.added, ...second.added], { say: "And the crew." });
  const edited = await client.ask(place, first.added, { say: "About the cranes." });
  expect(edited.text).toBe("Said in step 5.");
  const requests = sent(stage);
  expect(requests[4]!.messages.slice(0, -1)).toEqual(requests[2]!.messages.slice(0, -1));
  expect(text(requests[4])).not.toContain('boats."');
  await client.ask(place, [...first.added, ...edited.added], { say: "Thanks." });
  expectGrowth(sent(stage).slice(4));
}

async function titles({ client, stage }: Trial): Promise<void> {
  const place = { ...(await stage.user(client.api)), headers: { "X-Conversation-Id": "chat-1" } };
  stage.vendor.plan.push([load("harbour")]);
  const first = await client.ask(place, [], { say: "Report, please." });
  const say = `Give this chat a title: ${first.text}`;
  const title = await client.ask({ ...place, model: `${place.model}:plain` }, [], { say });
  const unmarked = await client.ask(place, [], { say });
  expect([title.text, unmarked.text]).toEqual(["Said in step 3.", "Said in step 4."]);
  await client.ask(place, first.added, { say: "Once more." });
  const requests = sent(stage);
  expect([requests[2]!.messages.length, requests[2]!.tools ?? []]).toEqual([1, []]);
  expect([text(requests[3]).includes(HARBOUR), text(requests[4]).includes(HARBOUR)]).toEqual([false, true]);
  expectGrowth([requests[0]!, requests[1]!, requests[4]!]);
}

export const CASES: Readonly<Record<string, (trial: Trial) => Promise<void>>> = {
  "plain chat": plain,
  "a skill that loads": skillLoads,
  "a skill's tool": skillsTool,
  "its own tool": ownTool,
  "both in one step": both,
  "images and files": attachments,
  "structured output": structured,
  abort,
  reload,
  regenerate,
  "edit of an earlier message": edit,
  "requests for titles": titles,
};
