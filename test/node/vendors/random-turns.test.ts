// Random conversations under delivery `auto` with the official SDKs: checks invariants of every request. Run them with `npm run try:sdks`.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Harness } from "../../support/harness";
import { type Behaviour, Conversation, type Sdk, type Turn } from "../../support/sdks/caller";
import { Dice, markOf, RandomRegistry, type RandomTurn, randomSpec, randomTurn } from "../../support/sdks/random";
import { anthropicMessages, openaiChat } from "../../support/sdks/sdks";
import { startVendor } from "../../support/vendors/server";

const TURNS = 50;
const ALL: Behaviour = { edits: "all", have: true, drops: true };
const CALLERS: [Sdk, Behaviour][] = [
  [anthropicMessages, ALL],
  [anthropicMessages, { ...ALL, edits: "required" }],
  [anthropicMessages, { edits: "none", have: false, drops: true }],
  [openaiChat, ALL],
];

/** A caller that records violations in the responses it receives and the requests it must send. */
class Watched {
  private constructor(
    readonly chat: Conversation,
    readonly settings: object,
  ) {}
  private first = 0;

  static async start(gateway: Harness, user: string, [sdk, behaviour]: (typeof CALLERS)[number]): Promise<Watched> {
    const settings = { delivery: "auto", spec: randomSpec(0), retention_turns: 1, max_skill_tokens: 3_500 };
    const post = async (route: string, body: object) =>
      (await gateway.send("POST", `/api/v1/conversations/chat/${route}`, body, user)).json();
    return new Watched(new Conversation(await startVendor(), post, sdk, settings, behaviour), settings);
  }

  async begin(turn: number, { plan, body, settings, cut }: RandomTurn, forbidden: readonly string[]): Promise<void> {
    const { chat } = this;
    const { bodies } = chat.vendor;
    if (cut) chat.cut(2);
    Object.assign(this.settings, settings);
    this.first = bodies.length;
    const answer = await chat.begin(`Question ${turn}`, [...plan], body);
    if ("key" in body) expect(asks(await this.again(body))).toEqual(asks(answer));
    const isKept = answer.context_edits === undefined && answer.drop_thinking_before === undefined && !cut;
    if (chat.sdk.format === "anthropic" && turn > 1 && isKept) this.expectKept(this.first);
    if (chat.behaviour.edits === "all") this.expectTold(answer, this.first);
    const gone = chat.behaviour.edits === "none" ? [] : forbidden;
    expect(gone.filter((mark) => bodies[this.first]?.includes(mark))).toEqual([]);
  }

  async finish(): Promise<void> {
    const steps = await this.chat.finish();
    for (const [index, step] of steps.entries()) {
      this.expectKept(this.first + index + 1);
      this.expectTold(step, this.first + index + 1);
    }
  }

  private async again(body: object): Promise<Turn> {
    return (await this.chat.post("turns", { ...body, format: this.chat.sdk.format })) as Turn;
  }

  /** A request begins with the whole previous request. */
  private expectKept(index: number): void {
    const { sdk, vendor } = this.chat;
    const [before, now] = [index - 1, index].map((each) => sdk.read(JSON.parse(vendor.bodies[each]!)));
    expect(now?.front).toEqual(before?.front);
    expect(now?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
  }

  /** The model can read the instructions of active skills, in their versions. */
  private expectTold({ active }: { active: { skill: string; version?: string }[] }, index: number): void {
    const marks = active.map(({ skill, version }) => markOf(skill, version ?? ""));
    expect(marks.filter((mark) => !this.chat.vendor.bodies[index]?.includes(mark))).toEqual([]);
  }
}

const asks = ({ prompt, tools, append, append_id, context_edits, drop_thinking_before }: Turn) => ({
  ...{ prompt, tools, append, append_id, context_edits, drop_thinking_before },
});

describe.runIf(process.env.SDK_TURNS === "all")("random conversations", () => {
  const gateway = new Harness();
  beforeAll(() => gateway.start(), 120_000);
  afterAll(() => gateway.close());

  const given = process.env.SDK_SEED;
  const seeds = given === undefined ? [1, 2, 3] : [Number(given)];
  it.each(seeds)("are never rejected, and never see removed skills: seed %d", { timeout: 600_000 }, async (seed) => {
    const dice = new Dice(seed);
    const registry = new RandomRegistry(gateway, dice);
    await registry.open();
    const callers = await Promise.all(
      CALLERS.map((caller, index) => Watched.start(gateway, `${seed}-${index}`, caller)),
    );
    for (let turn = 1; turn <= TURNS; turn++) {
      while (dice.chance(0.35)) await registry.change();
      const random = randomTurn(dice, turn);
      const forbidden = registry.forbidden();
      await Promise.all(callers.map((caller) => caller.begin(turn, random, forbidden)));
      if (dice.chance(0.2)) await registry.change();
      await Promise.all(callers.map((caller) => caller.finish()));
    }
    await registry.close();
    await Promise.all(callers.map(({ chat }) => chat.vendor.close()));
    expect(callers.map(({ chat }) => chat.vendor.refusals)).toEqual(CALLERS.map(() => []));
  });
});
