// Runs `@assistant-ui/react` in Chromium, with each API that the AI SDK in its back end supports: `npm run try:clients`.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openBrowser } from "../browser/chromium";
import { type Client, DOCUMENT, PICTURE } from "../support/clients/client";
import { expectGrowth, HARBOUR, LAMP, load, own, sent, signal, text } from "../support/clients/sent";
import { Stage } from "../support/clients/stage";
import { type Browser, Chat } from "./clients/assistant-ui";
import { type BackEnd, startBackEnd } from "./clients/back-end";

let stage: Stage | undefined;
let browser: Browser | undefined;
let backEnd: BackEnd | undefined;
beforeAll(async () => {
  [stage, browser, backEnd] = await Promise.all([Stage.open(), openBrowser(), startBackEnd()]);
});
afterAll(() => Promise.all([stage?.close(), browser?.close(), backEnd?.close()]));
beforeEach(() => stage?.reset());

interface Trial {
  chat: Chat;
  stage: Stage;
}

async function plain({ chat, stage: { vendor } }: Trial): Promise<void> {
  await chat.ask("Hello.", "Said in step 1.");
  await chat.ask("And now?", "Said in step 2.");
  expect(vendor.bodies).toHaveLength(2);
}

async function skillLoads({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([load("harbour")]);
  await chat.ask("Report, please.", "Said in step 2.");
  await chat.ask("Once more.", "Said in step 3.");
  expect(await chat.answers()).toEqual(["Said in step 2.", "Said in step 3."]);
  expect(await chat.page.content()).not.toContain("load_skill");
  expect(sent(on).map((request) => text(request).includes(HARBOUR))).toEqual([false, true, true]);
  expectGrowth(sent(on));
}

async function skillsTool({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([load("lamp")], [signal]);
  await chat.ask("Light the lamp.", "Said in step 3.");
  expect(text(sent(on)[2])).toContain("the lamp is lit");
  await chat.ask("Is it on?", "Said in step 4.");
  expectGrowth(sent(on));
}

async function ownTool({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([own], [load("harbour")], [own]);
  await chat.ask("What time is it?", "Said in step 4.");
  expect(await chat.times()).toBe(2);
  on.vendor.plan.push([own]);
  await chat.ask("And now?", "Said in step 6.");
  expect(await chat.times()).toBe(3);
  expectGrowth(sent(on));
}

async function both({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([load("lamp"), own], [own, signal]);
  await chat.ask("Light it at noon.", "Said in step 3.");
  expect(await chat.times()).toBe(2);
  for (const result of [LAMP, "noon", "the lamp is lit"]) expect(text(sent(on)[2])).toContain(result);
  await chat.ask("Is it on?", "Said in step 4.");
  expectGrowth(sent(on));
}

async function attachments({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([load("harbour")]);
  await chat.attach([
    { name: "harbour.png", mimeType: "image/png", base64: PICTURE },
    { name: "tides.pdf", mimeType: "application/pdf", base64: DOCUMENT },
  ]);
  await chat.ask("What is on these?", "Said in step 2.");
  await chat.ask("And what else?", "Said in step 3.");
  for (const request of sent(on))
    for (const [what, bytes] of Object.entries({ PICTURE, DOCUMENT }))
      expect([what, text(request).includes(bytes)]).toEqual([what, true]);
  expectGrowth(sent(on));
}

async function abort({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([load("harbour")]);
  await chat.ask("Report, please.", "Said in step 2.");
  on.vendor.plan.push([load("lamp")]);
  on.vendor.stall();
  await chat.say("Say more.");
  await chat.shows("Sai");
  await chat.press("Stop");
  await chat.reads("Sai");
  await chat.ask("Say less.", "Said in step 5.");
  const requests = sent(on);
  // The steps of the stopped answer follow the part of it that was shown.
  expectGrowth([requests[0]!, requests[1]!, requests[2]!, requests[3]!, requests[4]!]);
  expect(text(requests[4]!.messages.slice(requests[3]!.messages.length))).toMatch(/"Sai".*"Say less\."/);
}

async function reload({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([load("harbour"), own]);
  await chat.ask("Report, please.", "Said in step 2.");
  await chat.page.reload();
  await chat.reads("Said in step 2.");
  await chat.ask("Once more.", "Said in step 3.");
  await chat.page.reload();
  await chat.reads("Said in step 3.");
  await chat.ask("And again.", "Said in step 4.");
  expect(text(sent(on)[3])).toContain(HARBOUR);
  expectGrowth(sent(on));
}

async function regenerate({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([load("harbour")]);
  await chat.ask("Report, please.", "Said in step 2.");
  await chat.press("Regenerate");
  await chat.reads("Said in step 3.");
  await chat.ask("Go on.", "Said in step 4.");
  // Regenerates the first answer and continues from there.
  await chat.press("Previous");
  await chat.reads("Said in step 2.");
  await chat.ask("Go on.", "Said in step 5.");
  const requests = sent(on);
  expect(requests[2]!.messages).toEqual(requests[0]!.messages);
  expect(requests.map((request) => text(request).includes(HARBOUR))).toEqual([false, true, false, false, true]);
}

async function edit({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([load("harbour")]);
  await chat.ask("Report, please.", "Said in step 2.");
  await chat.ask("About the boats.", "Said in step 3.");
  await chat.ask("And the crew.", "Said in step 4.");
  await chat.edit(1, "About the cranes.");
  await chat.reads("Said in step 5.");
  const requests = sent(on);
  expect(requests[4]!.messages.slice(0, -1)).toEqual(requests[2]!.messages.slice(0, -1));
  expect(text(requests[4])).not.toContain('boats."');
  await chat.ask("Thanks.", "Said in step 6.");
  expectGrowth(requests.slice(4));
}

async function titles({ chat, stage: on }: Trial): Promise<void> {
  on.vendor.plan.push([load("harbour")]);
  await chat.ask("Report, please.", "Said in step 2.");
  await chat.press("Title");
  await chat.page.getByRole("heading", { name: "Said in step 3." }).waitFor();
  await chat.ask("Once more.", "Said in step 4.");
  const requests = sent(on);
  expect([requests[2]!.messages.length, requests[2]!.tools ?? []]).toEqual([1, []]);
  expect(text(requests[2])).not.toContain(HARBOUR);
  expectGrowth([requests[0]!, requests[1]!, requests[3]!]);
}

/** The options of the page for each case: a tool of its own, titles. */
const CASES: Record<string, [run: (trial: Trial) => Promise<void>, page?: string]> = {
  "plain chat": [plain],
  "a skill that loads": [skillLoads],
  "a skill's tool": [skillsTool],
  "its own tool": [ownTool, "?tool"],
  "both in one step": [both, "?tool"],
  "images and files": [attachments],
  abort: [abort],
  reload: [reload, "?tool"],
  regenerate: [regenerate],
  "edit of an earlier message": [edit],
  "requests for titles": [titles],
};
const APIS: Record<string, Client["api"]> = {
  "@assistant-ui/react, chat": "openai-chat",
  "@assistant-ui/react, responses": "openai-responses",
  "@assistant-ui/react, anthropic": "anthropic",
};

/**
 * The AI SDK names what it saw of a response by its ids. What stands before the gateway here never says that its caller has left, so that
 * nothing is known of that yet: test/chat/responses-stopped.test.ts.
 */
const NOT_HERE = ["@assistant-ui/react, responses abort"];

describe.each(Object.entries(APIS))("%s", (client, api) => {
  it.skip("structured output (a chat shows no forms)", () => {});
  const cases = Object.entries(CASES).filter(([name]) => !NOT_HERE.includes(`${client} ${name}`));
  it.each(cases)("%s", async (name, [run, page = ""]) => {
    if (stage === undefined || browser === undefined || backEnd === undefined) throw new Error("there is no stage");
    backEnd.ask(api, await stage.user(api), name === "requests for titles");
    const chat = await Chat.open(browser, `${backEnd.url}/${page}`);
    await run({ chat, stage });
    expect(stage.vendor.refusals).toEqual([]);
    await chat.close();
  });
});
