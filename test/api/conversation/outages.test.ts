import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call } from "../../support/call";
import { holdClock, pass, releaseClock } from "../../support/clock";
import { breakWith, Faults, NEVER_WORKS } from "../../support/faults";
import { expectLog } from "../../support/logs";
import { type Answer, activeIn, BASE, history, load, read, someone } from "../../support/users";

afterEach(() => {
  vi.restoreAllMocks();
  releaseClock();
});

/** Longer than an isolate caches a caller in normal operation, and shorter than it does while D1 is down. */
const PAST_MEMORY = 11_000;

describe("when D1 does not work", () => {
  /** Runs the first turns of a conversation. Every request can be retried. */
  async function live(user: ReturnType<typeof someone>, onAnswer: (answer: Answer) => Promise<Answer>): Promise<void> {
    const settings = { delivery: "system", spec: { skills: ["wiki", "draw"], preload_skills: ["draw"] } };
    const requests: [string, string, unknown][] = [
      ["POST", "/x/turns", { key: "m1", conversation: settings, history: history("wiki", "none") }],
      ["POST", "/x/tool-calls", { calls: [{ id: "1", name: "load_skill", arguments: { skill_name: "wiki" } }] }],
      ["PUT", "/x", { ...settings, retention_turns: 2 }],
      ["POST", "/x/turns", { key: "m2" }],
      ["GET", "/x", undefined],
    ];
    for (const [method, path, json] of requests) {
      let answer = await onAnswer(await user.send(method, path, json));
      for (let tries = 0; answer.status === 503 && tries < 3; tries++)
        answer = await onAnswer(await user.send(method, path, json));
      expect(answer.status, answer.text).toBeLessThan(300);
    }
  }

  it.each(["before", "after"] as const)(
    "at any one call (%s it took effect) the request is 503, and can be sent again",
    async (moment) => {
      expectLog("storage_failed");
      const expected = {
        turn: 4,
        active: [
          { skill: "draw", remaining: null },
          { skill: "wiki", remaining: 2, loaded_in_turn: 3 },
        ],
      };
      let struck = true;
      let refused = 0;
      for (let at = 0; struck; at++) {
        const user = someone();
        for (const name of ["wiki", "draw"]) await user.seed({ name });
        const faults = new Faults(at, moment);
        breakWith(faults);
        await live(user, async (answer) => {
          if (answer.status >= 400) {
            expect([answer.status, answer.body.code, answer.headers.get("retry-after")], answer.text).toEqual([
              503,
              "UNAVAILABLE",
              "2",
            ]);
            refused++;
          }
          return answer;
        });
        vi.mocked(Object.getPrototypeOf(env.DB).withSession).mockRestore();
        struck = faults.struck;
        expect(await user.get("/x"), `fault ${at}`).toMatchObject(expected);
        expect(
          (await user.get("/x/events")).events.filter((event) => event.type === "turn").map((event) => event.turn),
        ).toEqual([3, 4]);
        expect((await user.get("")).items.map((item) => item.id)).toEqual(["x"]);
      }
      expect(refused).toBeGreaterThanOrEqual(3);
    },
  );

  it("what was settled for the next turn does not leak into this one", async () => {
    expectLog("storage_failed");
    const user = someone();
    for (const name of ["wiki", "draw"]) await user.seed({ name });
    await user.put("/x", { spec: { skills: ["wiki"] } });
    await user.turn("x");
    await user.load("x", "wiki");
    await user.put("/x", { spec: { skills: ["draw"] } });
    breakWith(new Faults(0));
    expect((await user.send("POST", "/x/turns", {})).status).toBe(503);
    vi.restoreAllMocks();
    expect(activeIn(await user.get("/x"))).toEqual(["wiki"]);
  });

  it("an existing conversation continues with its cached view and a warning; everything else fails", async () => {
    expectLog("storage_failed");
    const user = someone();
    for (const name of ["wiki", "draw"]) await user.seed({ name, body: `Do ${name}.` });
    await user.put("/x", {});
    await user.turn("x");
    // Another conversation loaded the skill, so the instructions are in this isolate's cache.
    await user.turn("other", { conversation: {} });
    await user.load("other", "wiki");
    holdClock();
    breakWith(NEVER_WORKS);
    // The caller is still cached, so the outage has no effect yet.
    const loaded = await user.calls("x", load("wiki"));
    expect(loaded.prompt?.system).toContain("Do wiki.");
    expect(loaded.warnings).toEqual([]);
    pass(PAST_MEMORY);
    const next = await user.turn("x");
    expect([activeIn(next), next.warnings.map((warning) => warning.code)]).toEqual([["wiki"], ["catalog_stale"]]);
    expect((await user.get("/x")).warnings).toMatchObject([{ code: "catalog_stale" }]);
    const refused = [
      await user.send("GET", ""),
      await user.send("POST", "", {}),
      await user.send("PUT", "/new", {}),
      await user.send("DELETE", "/x"),
      await user.send("POST", "/x/tool-calls", { calls: [load("draw")] }),
      await user.send("POST", "/x/tool-calls", { calls: [read("draw")] }),
      await someone().send("GET", "/x"),
    ];
    expect(refused.map((answer) => answer.status)).toEqual(refused.map(() => 503));
    expect((await call("GET", "/api/v1/me", { as: user.name })).status).toBe(503);
    vi.restoreAllMocks();
    // The gateway does not retry D1 this soon after a failure.
    expect((await user.get("/x")).warnings).toMatchObject([{ code: "catalog_stale" }]);
    pass(2_000);
    const back = await user.get("/x");
    expect([activeIn(back), back.warnings]).toEqual([["wiki"], []]);
    expect((await user.send("GET", "/new")).status).toBe(404);
  });

  it("a principal that was refused is not remembered from before", async () => {
    expectLog("storage_failed");
    const made = await call("POST", "/api/v1/keys", { json: { user_id: "revoked-user" } });
    const { id, key } = await made.json<{ id: string; key: string }>();
    const ask = async () => (await call("GET", `${BASE}/x`, { key })).status;
    expect((await call("PUT", `${BASE}/x`, { key, json: {} })).status).toBe(201);
    holdClock();
    breakWith(NEVER_WORKS);
    expect(await ask()).toBe(200);
    pass(PAST_MEMORY);
    expect(await ask()).toBe(200);
    vi.restoreAllMocks();
    pass(2_000);
    await call("DELETE", `/api/v1/keys/${id}`);
    expect(await ask()).toBe(401);
    breakWith(NEVER_WORKS);
    expect(await ask()).toBe(503);
  });
});
