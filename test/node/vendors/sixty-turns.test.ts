// Sixty turns of real conversations: the official SDKs, the built gateway, and vendors that reject what the real ones reject.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Harness } from "../../support/harness";
import { type Behaviour, Conversation, type Sdk, type Turn } from "../../support/sdks/caller";
import { bodyOf, CUT, FORGOTTEN, FRONT_CHANGES, Harbour, OTHER_PROMPT, planOf } from "../../support/sdks/harbour";
import { aiSdk, anthropicMessages, openaiChat, openaiResponses } from "../../support/sdks/sdks";
import { startVendor } from "../../support/vendors/server";

const TURNS = 60;
/** `npm run try:sdks` runs sixty turns of all conversations, which takes minutes. */
const WHOLE = process.env.SDK_TURNS === "all";
/** Enough for loads, expiries, a new version, a yank and a cold moment. */
const FEW = WHOLE ? TURNS : 16;
const REST = WHOLE ? TURNS : 0;
const ALL: Behaviour = { edits: "all", have: true, drops: true };
const NONE: Behaviour = { edits: "none", have: false, drops: true };
const auto = { delivery: "auto" };

const inAnswers = { delivery: "tool_result", tool_mode: "fixed" };

const EVERY: [title: string, sdk: Sdk, settings: object, behaviour: Behaviour, turns: number][] = [
  ["Anthropic, by default", anthropicMessages, {}, ALL, TURNS],
  ["Anthropic, no edits", anthropicMessages, auto, NONE, FEW],
  ["Anthropic, required edits only", anthropicMessages, auto, { ...ALL, edits: "required" }, REST],
  ["OpenAI chat, auto", openaiChat, auto, ALL, TURNS],
  ["OpenAI chat, auto, no edits", openaiChat, auto, NONE, REST],
  ["OpenAI chat, system", openaiChat, {}, ALL, FEW],
  ["OpenAI chat, message", openaiChat, { delivery: "message" }, ALL, FEW],
  ["OpenAI chat, tool_result with fixed tools", openaiChat, inAnswers, ALL, FEW],
  ["OpenAI responses, auto", openaiResponses, auto, ALL, FEW],
  ["OpenAI responses, system", openaiResponses, {}, ALL, REST],
  ["AI SDK, auto", aiSdk, auto, ALL, FEW],
  ["AI SDK, system", aiSdk, {}, ALL, REST],
];
const CHATS = EVERY.filter(([, , , , turns]) => turns > 0);

const CHAT = "/api/v1/conversations/chat";
const gateway = new Harness();
const harbour = new Harbour(gateway);
const chats: Driven[] = [];

/** A chat with records of its requests. */
class Driven {
  readonly turns: Turn[] = [];
  /** For each request: its turn, and whether skills were loaded, used or unloaded in the step before it. */
  readonly requests: { turn: number; moved: boolean }[] = [];
  failed: unknown = null;

  constructor(
    readonly title: string,
    readonly chat: Conversation,
    readonly most: number,
    readonly isAuto: boolean,
    readonly isFixed: boolean,
  ) {}

  async attempt(turn: number, work: () => Promise<unknown>): Promise<void> {
    if (this.failed !== null || turn > this.most) return;
    await work().catch((error: unknown) => {
      this.failed = `turn ${turn}: ${error}`;
    });
  }

  async begin(turn: number): Promise<void> {
    const { chat, isFixed } = this;
    const plan = planOf(turn, isFixed);
    if (turn === CUT) chat.cut(3);
    if (turn === OTHER_PROMPT) Object.assign(chat.settings, { spec: { systemPrompt: "You watch two harbours." } });
    const cut = turn === CUT ? { history_cut: true } : {};
    const answer = await chat.begin(`Question ${turn}`, [...plan], { ...bodyOf(turn), ...cut });
    this.requests.push({ turn, moved: true }, ...plan.map((calls) => ({ turn, moved: !calls.every(isIdle) })));
    this.turns.push(answer);
  }
}

const isIdle = ({ name }: { name: string }) => ["get_time", "read_skill", "find_skill"].includes(name);

const talker = (user: string) => async (route: string, body: object) =>
  (await gateway.send("POST", `${CHAT}/${route}`, body, user)).json();

async function converse([title, sdk, settings, behaviour, most]: (typeof CHATS)[number]): Promise<void> {
  const vendor = await startVendor();
  const user = `caller-${chats.length}`;
  const spec = { systemPrompt: "You watch a harbour." };
  const all = { spec, retention_turns: 1, max_skill_tokens: 4_000, ...settings };
  const chat = new Conversation(vendor, talker(user), sdk, all, behaviour);
  const { delivery } = { delivery: sdk.format === "anthropic" ? "auto" : "system", ...settings };
  const driven = new Driven(title, chat, most, delivery === "auto", delivery === "auto" || "tool_mode" in settings);
  chats.push(driven);
}

const each = (turn: number, work: (chat: Driven, index: number) => Promise<unknown>) =>
  Promise.all(chats.map((chat, index) => chat.attempt(turn, () => work(chat, index))));

beforeAll(async () => {
  await gateway.start();
  await harbour.open();
  for (const chat of CHATS) await converse(chat);
  for (let turn = 1; turn <= TURNS; turn++) {
    await harbour.before(turn);
    if (turn === FORGOTTEN) await each(turn, (_, index) => gateway.send("DELETE", CHAT, undefined, `caller-${index}`));
    await each(turn, (chat) => chat.begin(turn));
    await harbour.during(turn);
    await each(turn, ({ chat }) => chat.finish());
  }
}, 600_000);

afterAll(async () => {
  await Promise.all(chats.map(({ chat }) => chat.vendor.close()));
  await gateway.close();
});

const named = (title: string) => chats.find((each) => each.title === title)!;

describe.each(CHATS)("%s", (title, sdk, _settings, _behaviour, most) => {
  it("is never refused", () => {
    const { chat, failed, turns, requests } = named(title);
    expect([failed, chat.vendor.refusals]).toEqual([null, []]);
    expect(turns).toHaveLength(most);
    expect(chat.vendor.bodies).toHaveLength(requests.length);
    expect(turns.filter(({ warnings }) => warnings.some(({ code }) => code === "BREAKS_THINKING"))).toEqual([]);
  });

  it("repeats earlier messages byte for byte if nothing was loaded", () => {
    const { chat, requests, turns, isAuto } = named(title);
    const kept = requests.flatMap(({ turn, moved }, index) => {
      const isFirst = turn !== requests[index - 1]?.turn;
      if (index === 0 || (!isAuto && (isFirst || moved))) return [];
      if (isAuto && isFirst && (mayChange(turns[turn - 1]!) || turn === CUT || turn in FRONT_CHANGES)) return [];
      return [index];
    });
    expect(kept.length).toBeGreaterThan(isAuto ? 1.5 * most : most / 6);
    for (const index of kept) {
      const [before, now] = [chat.vendor.bodies[index - 1]!, chat.vendor.bodies[index]!];
      const { front, messages } = sdk.read(JSON.parse(before));
      for (const [key, value] of Object.entries(front as object))
        expect(now, `request ${index}, ${key}`).toContain(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
      const start = JSON.stringify(messages).slice(0, -1);
      expect(now.includes(`:${start},`), `request ${index} begins with the messages of the one before`).toBe(true);
    }
  });
});

const mayChange = ({ context_edits, drop_thinking_before }: Turn) =>
  context_edits !== undefined || drop_thinking_before !== undefined;

it("meets loads, edits, removals and dropped thinking on the way", () => {
  const { turns, chat } = named("Anthropic, by default");
  const edits = turns.flatMap(({ context_edits = [] }) => context_edits);
  expect(edits.filter(({ required }) => required).length).toBeGreaterThan(2);
  expect(edits.filter(({ required }) => !required).length).toBeGreaterThan(2);
  expect(chat.thinkingDropped).toBeGreaterThan(3);
  expect(turns.filter(({ append }) => append !== undefined).length).toBeGreaterThan(5);
  expect(JSON.parse(chat.vendor.bodies.at(-1)!)).toMatchObject({
    cache_control: { type: "ephemeral" },
    system: [{ cache_control: { type: "ephemeral" } }],
  });
});

it("is read from the vendor's cache, step after step", () => {
  const { chat, requests } = named("OpenAI chat, auto");
  const { seen } = chat.vendor.meter;
  for (const [index, { cached }] of seen.entries()) {
    const before = seen[index - 1]?.input ?? 0;
    if (requests[index - 1]?.turn !== requests[index]?.turn || before < 1_024) continue;
    expect(cached, `request ${index}`).toBeGreaterThanOrEqual(Math.floor(before / 128) * 128);
  }
});

describe("requests that a thinking model rejects", () => {
  const BOUND = "what stands before a thinking block is as it was";
  let talks = 0;

  /** A skill is loaded and changes its version while the caller sends all its thinking back; this broke the rules once. */
  async function refusalsOf(settings: object, behaviour: Partial<Behaviour> = {}, more: object = {}) {
    const vendor = await startVendor();
    const user = `thinker-${++talks}`;
    const all = { spec: { systemPrompt: "You watch." }, retention_turns: 1, ...settings };
    const chat = new Conversation(vendor, talker(user), anthropicMessages, all, { ...ALL, ...behaviour });
    const load =
      "tool_style" in settings
        ? { name: "skill", input: { skill: "harbour" } }
        : { name: "load_skill", input: { skill_name: "harbour" } };
    const warnings = new Set<boolean>();
    const talk = async (turn: number) => {
      const said = await chat.begin(`Question ${turn}`, turn === 1 ? [[load]] : [], turn === 3 ? more : {});
      warnings.add(said.warnings.some(({ code }) => code === "BREAKS_THINKING"));
      await chat.finish();
      if (turn === 1) await harbour.renew(`${3 + talks}.0.0`);
      if (turn < 4) await talk(turn + 1);
    };
    // An error ends it: the SDK throws, and the vendor has recorded the reason.
    const ended = await talk(1).then(
      () => "well",
      () => "refused",
    );
    await vendor.close();
    const broken = vendor.refusals.map(({ rule }) => rule);
    expect(ended).toBe(broken.length === 0 ? "well" : "refused");
    return { broken, warnings: [...warnings] };
  }

  const changing = ["system", "message", "tool_result"].flatMap((delivery) =>
    ["dynamic", "fixed"].map((tool_mode) => ({ delivery, tool_mode })),
  );
  it.each([...changing, { ...inAnswers, tool_style: "skill" }])("is warned about: %j", async (settings) => {
    expect(await refusalsOf(settings)).toEqual({ broken: [BOUND], warnings: [true] });
  });

  it.each([{}, auto])("never occur under `auto`: %j", async (settings) => {
    expect(await refusalsOf(settings)).toEqual({ broken: [], warnings: [false] });
  });

  it("is thinking that a caller keeps although it was asked to drop it", async () => {
    const cold = { cache: "cold" };
    expect(await refusalsOf(auto, { drops: false }, cold)).toEqual({ broken: [BOUND], warnings: [false] });
    expect(await refusalsOf(auto, {}, cold)).toEqual({ broken: [], warnings: [false] });
  });

  it("does not occur when a user goes back before a change of the prompt", async () => {
    const vendor = await startVendor();
    const settings = { ...auto, spec: { systemPrompt: "You watch." } };
    const chat = new Conversation(vendor, talker(`thinker-${++talks}`), anthropicMessages, settings);
    for (const turn of [1, 2]) await chat.turn(`Question ${turn}`);
    const before = structuredClone(chat.history);
    await chat.turn("Question 3");
    settings.spec = { systemPrompt: "You watch two harbours." };
    await chat.turn("Question 4");
    chat.history = before;
    await chat.post("restore", { history: before });
    const asked = [];
    for (const turn of [3, 4, 5]) asked.push((await chat.turn(`Question ${turn}`)).turn.drop_thinking_before);
    await vendor.close();
    expect(vendor.refusals).toEqual([]);
    expect(asked).toEqual(["new_user_message", undefined, undefined]);
  });
});
