// Predicts the skill of a user's message: compared with what the model loads (`shadow`), or appended (`on`).

import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CachedChat } from "../../support/cached-chat";
import { call, keyFor } from "../../support/call";
import { publishOwn } from "../../support/chat-turns";
import { holdClock, releaseClock } from "../../support/clock";
import { breakWith, NEVER_WORKS } from "../../support/faults";
import { expectLog } from "../../support/logs";
import {
  eventsIn,
  expectNothingAppended,
  PAYING,
  POEM,
  predictedUser,
  predictionsIn,
  SLOW,
  THANKS,
} from "../../support/predicted";
import { clearRegistry, deleteSkill, seedSkill } from "../../support/registry";
import { form, skillZip } from "../../support/skill";
import { activeIn, load, someone, textOf } from "../../support/users";

beforeEach(clearRegistry);
afterEach(() => {
  vi.restoreAllMocks();
  releaseClock();
});

const on = { conversation: { predict: "on" } };

describe("a prediction that is only compared", () => {
  it("is recorded in the event of its turn by default, and changes nothing that the model receives", async () => {
    const { user, say } = await predictedUser();
    const plain = await user.turn("plain", { ...PAYING, conversation: {} });
    const turn = await say("c", SLOW, { conversation: {} });
    expectNothingAppended(turn);
    expect([turn.prompt, turn.tools, turn.etag]).toEqual([plain.prompt, plain.tools, plain.etag]);
    expect(await predictionsIn(user, "plain")).toEqual([undefined]);
    expect(await predictionsIn(user, "c")).toEqual([
      { agent: null, skill: expect.objectContaining({ name: "postgres", appended: false }) },
    ]);
  });

  it("is none for a message without a likely skill, and absent without a message or if it is off", async () => {
    const { user, say } = await predictedUser();
    await say("c", THANKS, { conversation: {} });
    await user.turn("c", PAYING);
    await say("c", SLOW, { conversation: { predict: "off" } });
    expect(await predictionsIn(user, "c")).toEqual([{ agent: null, skill: null }, undefined, undefined]);
  });

  it("does not name a skill that the model can already read", async () => {
    const { user, say } = await predictedUser();
    await say("c", SLOW, { conversation: {} });
    await user.load("c", "postgres");
    await say("c", SLOW);
    expect((await predictionsIn(user, "c")).map((one) => one?.skill?.name)).toEqual(["postgres", undefined]);
  });

  it("never stores the message", async () => {
    const { user, say } = await predictedUser();
    await say("c", `${SLOW} zebracrossing`, { conversation: {} });
    const rows = await runInDurableObject(user.stub("c"), (_, { storage }) =>
      storage.sql
        .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
        .toArray()
        .flatMap(({ name }) => storage.sql.exec(`SELECT * FROM "${name}"`).toArray()),
    );
    expect(JSON.stringify(rows)).toContain("postgres");
    expect(JSON.stringify(rows)).not.toContain("zebracrossing");
  });

  it("never names another user's skill or a deleted one", async () => {
    const other = await predictedUser();
    const stranger = someone(undefined, {});
    await stranger.seed({ name: "garden", description: "Advises on vegetables.", tokens: 3_000 });
    await stranger.turn("c", { ...PAYING, message: SLOW, conversation: {} });
    expect(await predictionsIn(stranger, "c")).toEqual([{ agent: null, skill: null }]);

    await deleteSkill(other.skills.get("postgres")!);
    await other.say("c", SLOW, { conversation: {} });
    expect((await predictionsIn(other.user, "c"))[0]?.skill?.name).not.toBe("postgres");

    const spec = { skills: ["haiku", "garden"] };
    await other.say("d", SLOW, { conversation: { spec } });
    expect(await predictionsIn(other.user, "d")).toEqual([{ agent: null, skill: null }]);
  });

  it.each([
    ["syntax of the index", '" OR name:* NEAR(postgres slow) {scope} : * --'],
    ["control characters", "\u0000\u0007\u202e \u{e0041} postgres"],
    ["nothing but spaces", " \n\t "],
    ["much text", "slow postgres query ".repeat(4_900)],
  ])("accepts %s", async (_, message) => {
    const { user } = await predictedUser();
    expect((await user.send("POST", "/c/turns", { ...PAYING, message, ...on })).status).toBe(200);
  });

  it("rejects a message that is too long", async () => {
    const { user } = await predictedUser();
    const message = "x".repeat(100_001);
    expect(await user.send("POST", "/c/turns", { message, ...on })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "message" }] },
    });
  });
});

describe("a prediction that is appended", () => {
  it("makes the skill active with its retention, behind the message, and leaves the prompt as it is", async () => {
    const { user, say } = await predictedUser();
    const plain = await user.turn("plain", { ...PAYING, conversation: {} });
    const turn = await say("c", SLOW, { conversation: { predict: "on", retention_turns: 2 } });
    expect([turn.prompt, turn.tools, turn.etag]).toEqual([plain.prompt, plain.tools, plain.etag]);
    expect(turn.active).toEqual([
      expect.objectContaining({ skill: "postgres", reason: "predicted", remaining: 2, loaded_in_turn: 1 }),
    ]);
    const text = JSON.stringify(turn.append);
    expect(text).toContain("How to do postgres.");
    expect(text).toContain("Do not load it again.");
    expect(turn.append_id).toMatch(/^apd_/);
    for (const remaining of [2, 1]) {
      const next = await say("c", THANKS);
      expect([next.append, next.active[0]?.remaining, next.active[0]?.reason]).toEqual([
        undefined,
        remaining,
        "predicted",
      ]);
    }
    expect((await say("c", THANKS)).active).toEqual([]);
  });

  it("changes no earlier message, and its load answers that it is there", async () => {
    const { user } = await predictedUser();
    const chat = new CachedChat(user, "c", { have: true });
    await chat.turn({ ...PAYING, message: THANKS, conversation: { predict: "on" } });
    await chat.turn({ ...PAYING, message: SLOW, conversation: { predict: "on" } });
    const again = await chat.load("postgres");
    expect(textOf(again)[0]).toContain("is already active");
    expect(again.active[0]).toMatchObject({ skill: "postgres", reason: "predicted" });
    await chat.turn({ ...PAYING, message: POEM, conversation: { predict: "on" } });
    // In a later turn its load extends the retention, as for any loaded skill.
    const later = await chat.load("postgres");
    expect(later.active.map(({ skill, reason }) => [skill, reason])).toEqual([
      ["postgres", "loaded"],
      ["haiku", "predicted"],
    ]);
    expect(chat.misses).toBe(0);
    expect(chat.text().split("How to do postgres.")).toHaveLength(2);
  });

  it("is the same for a retried turn, which is no second prediction", async () => {
    const { user, say } = await predictedUser();
    const first = await say("c", SLOW, { ...on, key: "m1" });
    const again = await say("c", POEM, { key: "m1" });
    expect([again.append, again.append_id, again.active]).toEqual([first.append, first.append_id, first.active]);
    expect(await predictionsIn(user, "c")).toHaveLength(1);
  });

  it("is in the ledger without a call that loads it", async () => {
    const { user, say } = await predictedUser();
    const billed = async (id: string) => {
      const { tokens } = (await user.get(`/${id}`)) as unknown as { tokens: { billed: { actual: number } } };
      return tokens.billed.actual;
    };
    await say("shadow", SLOW, { conversation: {} });
    const before = await billed("shadow");
    await user.load("shadow", "postgres");
    await say("on", SLOW, on);
    const withSkill = await billed("on");
    expect(withSkill - before).toBeGreaterThan(600);
    expect(withSkill).toBeLessThan(await billed("shadow"));
  });

  it("does not happen if it does not pay: a large skill behind a short prompt", async () => {
    const { user, say } = await predictedUser(20_000);
    const short = { ...on, history_tokens: 100, model: "claude-sonnet-4-6" };
    expectNothingAppended(await say("c", SLOW, short));
    expect((await predictionsIn(user, "c"))[0]?.skill).toMatchObject({ name: "postgres", appended: false });
  });

  it("does not happen under a delivery that changes the prompt", async () => {
    const { say } = await predictedUser();
    const { append, active } = await say("c", SLOW, { conversation: { predict: "on", delivery: "system" } });
    expect([append, active]).toEqual([undefined, []]);
  });

  it("does not happen if the instructions cannot be read, and the turn begins", async () => {
    expectLog("storage_failed");
    const { user, say } = await predictedUser();
    await say("c", THANKS, on);
    holdClock();
    breakWith(NEVER_WORKS);
    expectNothingAppended(await say("c", SLOW));
    vi.restoreAllMocks();
    expect((await predictionsIn(user, "c"))[1]?.skill).toMatchObject({ name: "postgres", appended: false });
    // The next message appends it.
    expect(activeIn(await say("c", SLOW))).toEqual(["postgres"]);
  });

  it("evicts nothing", async () => {
    const { user, say } = await predictedUser();
    await say("c", THANKS, { conversation: { predict: "on", max_active_skills: 1 } });
    await user.load("c", "haiku");
    expect(activeIn(await say("c", SLOW))).toEqual(["haiku"]);
    expect((await eventsIn(user, "c")).filter(({ type }) => type === "unloaded")).toEqual([]);
  });

  it("is set by the agent, unless the conversation sets something else", async () => {
    const { user, say } = await predictedUser();
    const spec = { skills: ["*"], predict: "on" };
    expect(activeIn(await say("c", SLOW, { conversation: { spec } }))).toEqual(["postgres"]);
    expectNothingAppended(await say("d", SLOW, { conversation: { spec, predict: "off" } }));
    expect(await predictionsIn(user, "d")).toEqual([undefined]);
  });

  it("brings its dependencies, and is left out if one is not available", async () => {
    const { user, say } = await predictedUser();
    await user.seed({
      name: "kafka",
      description: "Streams events through brokers and topics.",
      dependencies: ["haiku"],
      tokens: 700,
    });
    await user.seed({
      name: "violin",
      description: "Practises scales, bows and strings.",
      dependencies: ["nothing"],
      tokens: 700,
    });
    const kafka = await say("c", "Please stream events with Kafka through topics of our brokers.", on);
    expect(activeIn(kafka)).toEqual(["haiku", "kafka"]);
    const violin = await say("d", "How do I practise scales on the violin with bows and strings?", on);
    expect((await predictionsIn(user, "d"))[0]?.skill?.name).toBe("violin");
    expectNothingAppended(violin);
  });
});

it("a skill that only users select is not predicted", async () => {
  const { user, say } = await predictedUser();
  const violin = { name: "violin", description: "Practises scales, bows and strings." };
  const question = "How do I practise scales on the violin with bows and strings?";
  const key = await keyFor(user.name);
  const { id } = await publishOwn(key, { ...violin, body: "Play. ".repeat(300) });
  await say("before", question, on);
  expect((await predictionsIn(user, "before"))[0]?.skill?.name).toBe("violin");
  const kept = form(skillZip({ ...violin, body: "Play. ".repeat(300), frontmatter: "disable-model-invocation: true" }));
  expect((await call("PUT", `/api/v1/kinds/skills/${id}`, { key, body: kept })).status).toBe(200);
  expectNothingAppended(await say("after", question, on));
  expect((await predictionsIn(user, "after"))[0]?.skill).toBeNull();
});

describe("two skills that collide", () => {
  it("are not both appended: neither is likely enough if both fit", async () => {
    const { user, say } = await predictedUser();
    const twin = "Tunes slow queries of a PostgreSQL database and plans its indexes.";
    await user.seed({ name: "postgres-2", description: twin, tokens: 700 });
    for (let turn = 0; turn < 3; turn++) expectNothingAppended(await say("c", SLOW, on));
  });

  it("are not both appended: one is active with another version of what the other needs", async () => {
    const { user, say } = await predictedUser();
    const base = await user.seed({ name: "base", version: "1.0.0", tokens: 50 });
    await user.seed({
      name: "kafka",
      description: "Streams events through brokers and topics.",
      dependencies: ["base@^2"],
      tokens: 700,
    });
    await user.seed({
      name: "violin",
      description: "Practises scales, bows and strings.",
      dependencies: ["base@^1"],
      tokens: 700,
    });
    expect(activeIn(await say("c", "How do I practise scales on the violin with bows and strings?", on))).toEqual([
      "base",
      "violin",
    ]);
    expect(base.name).toBe("base");
    const next = await say("c", "Please stream events with Kafka through topics of our brokers.");
    expect(activeIn(next)).toEqual(["base", "violin"]);
    expect(next.append).toBeUndefined();
  });

  it("are not both appended: they have a server of the same name", async () => {
    const { user, say } = await predictedUser();
    const mcpServers = { converter: { url: "https://converter.test/mcp" } };
    const capable = { tokens: 700, capabilities: true, mcpServers };
    await user.seed({ name: "kafka", description: "Streams events through brokers and topics.", ...capable });
    await user.seed({ name: "violin", description: "Practises scales, bows and strings.", ...capable });
    expect(activeIn(await say("c", "How do I practise scales on the violin with bows and strings?", on))).toEqual([
      "violin",
    ]);
    const next = await say("c", "Please stream events with Kafka through topics of our brokers.");
    expect((await predictionsIn(user, "c"))[1]?.skill).toMatchObject({ name: "kafka", appended: false });
    expect(activeIn(next)).toEqual(["violin"]);
    // The model can still load it.
    expect(activeIn(await user.calls("c", load("kafka")))).toEqual(["violin", "kafka"]);
  });
});

describe("a public skill", () => {
  it("is predicted like an own one", async () => {
    const { user, say } = await predictedUser();
    await seedSkill({ name: "kafka", description: "Streams events through brokers and topics.", tokens: 700 });
    await say("c", "Please stream events with Kafka through topics of our brokers.", { conversation: {} });
    expect((await predictionsIn(user, "c"))[0]?.skill?.name).toBe("kafka");
  });
});
