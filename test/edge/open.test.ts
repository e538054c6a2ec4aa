// Open routes cost at most one lookup.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { wholeApp } from "../../src/edges";
import { askWith } from "../support/app";
import { keyFor } from "../support/call";
import { holdClock, pass, releaseClock } from "../support/clock";
import { expectLog } from "../support/logs";

const app = await wholeApp();

async function ask(url: string, init: RequestInit = {}, bindings: Env = env): Promise<Response> {
  const context = createExecutionContext();
  const answer = await app.fetch(new Request(url, init), bindings, context);
  await waitOnExecutionContext(context);
  return answer;
}

describe("/health", () => {
  afterEach(releaseClock);

  /** Returns the pool's bindings with a storage that counts its requests and can fail. */
  function counted() {
    const looks = { d1: 0, r2: 0, down: false };
    const first = async () => {
      looks.d1++;
      if (looks.down) throw new Error("down");
      return null;
    };
    const head = async () => {
      looks.r2++;
      return null;
    };
    const bindings = { ...env, DB: { prepare: () => ({ first }) }, PACKAGES: { head } } as unknown as Env;
    const health = async () => {
      const answer = await ask("https://gateway.test/health", {}, bindings);
      const body = await answer.json<{ checked_at: string }>();
      return { code: answer.status, headers: answer.headers, ...body };
    };
    return { looks, health };
  }

  it("checks storage once for all requests within a second, and returns the time", async () => {
    holdClock();
    const { looks, health } = counted();
    const began = new Date().toISOString();
    expect(await health()).toMatchObject({ code: 200, checked_at: began });
    pass(900);
    for (let n = 0; n < 20; n++) expect(await health()).toMatchObject({ code: 200, checked_at: began });
    expect(looks).toMatchObject({ d1: 1, r2: 1 });
    pass(200);
    const crowd = await Promise.all(Array.from({ length: 20 }, health));
    expect(looks).toMatchObject({ d1: 2, r2: 2 });
    expect(new Set(crowd.map((answer) => answer.checked_at)).size).toBeLessThanOrEqual(2);
    expect((await health()).checked_at).toBe(new Date().toISOString());
  });

  it("never passes off an old answer for a new one", async () => {
    expectLog("storage_failed");
    holdClock();
    const { looks, health } = counted();
    expect((await health()).code).toBe(200);
    looks.down = true;
    pass(60_000);
    const crowd = await Promise.all([health(), health(), health()]);
    expect(crowd.map((answer) => answer.code)).toEqual([503, 503, 503]);
    expect(crowd[0]?.headers.get("cache-control")).toBe("no-store");
    looks.down = false;
    pass(1_100);
    expect((await health()).code).toBe(200);
  });
});

describe("/health, of D1", () => {
  /** Returns the pool's D1 with results that name the instance that served them. */
  const servedBy = (region: string, primary: boolean) => {
    const meta = { served_by_region: region, served_by_primary: primary };
    const telling = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(object, name) {
          const member: unknown = Reflect.get(object, name, object);
          if (typeof member !== "function") return member;
          return (...given: unknown[]) => {
            const result: unknown = Reflect.apply(member, object, given);
            if (name === "all" || name === "run")
              return Promise.resolve(result).then((answer) => ({ ...(answer as object), meta }));
            if (name === "batch")
              return Promise.resolve(result).then((answers) =>
                (answers as object[]).map((answer) => ({ ...answer, meta })),
              );
            return ["withSession", "prepare", "bind"].includes(String(name)) ? telling(result as object) : result;
          };
        },
      });
    return { DB: telling(env.DB) };
  };

  it("returns the last result without a check", async () => {
    const asked = async (bindings: object) => {
      const headers = { authorization: `Bearer ${await keyFor("served")}` };
      return askWith({ ...bindings }, "/api/v1/me", { headers });
    };
    const told = async () =>
      (await (await askWith({}, "/health")).json<{ database?: Record<string, unknown> }>()).database;
    for (const [region, primary] of [
      ["APAC", false],
      ["WEUR", true],
    ] as const) {
      expect((await asked(servedBy(region, primary))).status).toBe(200);
      expect(await told()).toEqual({ served_by_region: region, served_by_primary: primary });
    }
  });
});
