// Counts of predictions per agent: counted in each conversation, added to the totals once an hour, visible to those who manage the agent.

import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call } from "../../support/call";
import { holdClockAtNoon, pass, releaseClock, ring } from "../../support/clock";
import { predictedUser, SLOW, THANKS } from "../../support/predicted";
import { clearRegistry, seedGhost } from "../../support/registry";
import { HOUR, runCron } from "../../support/skill-use";

beforeEach(async () => {
  await clearRegistry();
  holdClockAtNoon();
});
afterEach(releaseClock);

const G = "/api/v1/kinds/ghosts";

/** A conversation with an agent: a hit, a miss and a message that needs nothing. */
async function conversationWith(predict?: "off" | "on") {
  const { user, say } = await predictedUser();
  const id = await seedGhost(user.name, "helper", { skills: ["*"], ...(predict === undefined ? {} : { predict }) });
  await say("c", SLOW, { conversation: { ghost: "helper", retention_turns: 0 } });
  pass(1_500);
  await user.load("c", predict === "on" ? "haiku" : "postgres");
  await say("c", THANKS);
  await user.load("c", "garden");
  return { user, id, say };
}

async function send(user: { name: string }): Promise<void> {
  pass(HOUR);
  await ring("c", user.name);
}

async function figuresOf(user: { name: string }, id: string) {
  const answer = await call("GET", `${G}/${id}/predictions`, { as: user.name });
  return {
    status: answer.status,
    body: await answer.json<{ totals: Record<string, number | null>; days: object[] }>(),
  };
}

describe("the predictions of an agent", () => {
  it("are there after an hour, with precision, coverage, and what a hit would have saved", async () => {
    const { user, id } = await conversationWith();
    const before = await figuresOf(user, id);
    expect([before.status, before.body.totals]).toMatchObject([200, { messages: 0, precision: null, coverage: null }]);
    await send(user);
    const { body } = await figuresOf(user, id);
    expect(body.totals).toEqual({
      ...{ messages: 2, predicted: 1, appended: 0, needed: 2, hits: 1, precision: 1, coverage: 0.5 },
      ...{ saved: expect.any(Number), lost: 0, saved_ms: 1_500 },
    });
    expect(body.totals.saved).toBeGreaterThan(1_000);
    expect(body.days).toEqual([{ day: new Date().toISOString().slice(0, 10), ...body.totals }]);
  });

  it("are the same if the object was evicted between the message and the load", async () => {
    const { user, say } = await predictedUser();
    const id = await seedGhost(user.name, "helper", { skills: ["*"] });
    await say("c", SLOW, { conversation: { ghost: "helper" } });
    await evictDurableObject(user.stub("c"));
    await user.load("c", "postgres");
    await evictDurableObject(user.stub("c"));
    await send(user);
    expect((await figuresOf(user, id)).body.totals).toMatchObject({ messages: 1, predicted: 1, needed: 1, hits: 1 });
  });

  it("are added once, also if the same batch arrives twice", async () => {
    const { user, id } = await conversationWith();
    await send(user);
    await send(user);
    expect((await figuresOf(user, id)).body.totals).toMatchObject({ messages: 2, hits: 1 });
  });

  it("do not compare appended skills, and count nothing if predictions are off", async () => {
    const on = await conversationWith("on");
    await send(on.user);
    expect((await figuresOf(on.user, on.id)).body.totals).toMatchObject({
      ...{ messages: 2, predicted: 1, appended: 1, needed: 1, hits: 0, precision: null },
    });
    const off = await conversationWith("off");
    await send(off.user);
    expect((await figuresOf(off.user, off.id)).body.totals).toMatchObject({ messages: 0, predicted: 0 });
  });

  it("are not found by others, and go with the agent", async () => {
    const { user, id } = await conversationWith();
    await send(user);
    expect((await figuresOf({ name: "somebody-else" }, id)).status).toBe(404);
    expect((await call("DELETE", `${G}/${id}`, { as: user.name })).status).toBe(204);
    const rows = await env.DB.prepare("SELECT * FROM prediction_counts WHERE ghost_id = ?").bind(id).all();
    expect(rows.results).toEqual([]);
  });

  it("of a public agent are for admins: its users cannot read them", async () => {
    const { user } = await predictedUser();
    const json = {
      metadata: { name: "for-all", namespace: "public" },
      spec: { systemPrompt: "Be brief.", skills: [] },
    };
    const made = await call("POST", G, { json });
    const { metadata } = await made.json<{ metadata: { labels: { id: string } } }>();
    const { id } = metadata.labels;
    expect((await call("GET", `${G}/${id}`, { as: user.name })).status).toBe(200);
    expect((await figuresOf(user, id)).status).toBe(403);
    expect((await call("GET", `${G}/${id}/predictions`)).status).toBe(200);
  });

  it("are dropped for an agent that was deleted before they arrived", async () => {
    const { user, id } = await conversationWith();
    expect((await call("DELETE", `${G}/${id}`, { as: user.name })).status).toBe(204);
    await send(user);
    const rows = await env.DB.prepare("SELECT * FROM prediction_counts WHERE ghost_id = ?").bind(id).all();
    expect(rows.results).toEqual([]);
  });

  it("are deleted after the time for which usage is stored", async () => {
    const { user, id } = await conversationWith();
    await send(user);
    await env.DB.prepare("UPDATE prediction_counts SET day = 0").run();
    await runCron();
    const rows = await env.DB.prepare("SELECT * FROM prediction_counts WHERE ghost_id = ?").bind(id).all();
    expect(rows.results).toEqual([]);
  });
});
