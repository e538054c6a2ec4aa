// An interrupted run continues; a run whose owner lost the right stops and reports it; and ending a run deletes its data.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { holdClock, pass, releaseClock } from "../support/clock";
import {
  beginIndex,
  fates,
  flatZip,
  IMPORTS,
  importObject,
  over,
  type Report,
  reportOf,
  Site,
} from "../support/import-source";
import { runCron } from "../support/skill-use";

const DAY = 24 * 60 * 60_000;
let site: Site;
let user: string;
let key: string;
let users = 0;
beforeEach(async () => {
  site = new Site();
  Site.open(site);
  user = `runner-${++users}`;
  key = await keyFor(user);
});
afterEach(() => {
  releaseClock();
  vi.restoreAllMocks();
});

const many = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `run-${String(n).padStart(3, "0")}` }));
/** Delays the response for a skill until it is released. */
function gate(name: string) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: open, resolve: release } = Promise.withResolvers<void>();
  site.says(`/.well-known/agent-skills/${name}.zip`, async () => {
    reach();
    await open;
    return new Response(flatZip({ name }));
  });
  return { reached, release };
}
/** Waiting advances the clock slightly. */
const minutesTo = ({ next_at }: Report) => Math.round((Date.parse(next_at!) - Date.now()) / 60_000);
const ended = (id: string) =>
  vi.waitFor(() =>
    runInDurableObject(importObject(id), async (_, { storage }) => {
      expect([await storage.getAlarm(), [...storage.kv.list()].length]).toEqual([null, 0]);
    }),
  );
const versions = async (id: string | null) =>
  (await (await call("GET", `/api/v1/kinds/skills/${id}/versions`, { key })).json<{ items: object[] }>()).items.length;

describe("a run that is cut off", () => {
  it("continues after its object ran out of memory, and creates nothing twice", { tags: ["slow"] }, async () => {
    holdClock();
    await site.index(many(12));
    const busy = () => new Response("", { status: 503, headers: { "retry-after": "60" } });
    site.says("/.well-known/agent-skills/run-005.zip", busy);
    const waits = await over(key, await beginIndex(key, site));
    expect([waits.state, waits.counts.created]).toEqual(["waiting", 5]);
    await evictDurableObject(importObject(waits.id));
    site.says("/.well-known/agent-skills/run-005.zip", flatZip({ name: "run-005" }));
    site.says("/.well-known/agent-skills/index.json", "gone");
    pass(60_000);
    await runDurableObjectAlarm(importObject(waits.id));
    const done = await over(key, waits);
    expect(done).toMatchObject({ state: "done", counts: { created: 12, failed: 0, refused: 0 } });
    expect(site.asked.filter(({ url }) => url.endsWith("index.json"))).toHaveLength(1);
    const fetched = Map.groupBy(site.fetched, (path) => path);
    expect([...fetched].filter(([, times]) => times.length > 1)).toHaveLength(1);
    for (const { skill_id } of done.items) expect(await versions(skill_id)).toBe(1);
  });

  it("waits as often as its source requests, which is not a failure", { tags: ["slow"] }, async () => {
    holdClock();
    const busy = () => new Response("", { status: 503, headers: { "retry-after": "1" } });
    site.says("/.well-known/agent-skills/index.json", busy);
    const begun = await beginIndex(key, site);
    for (let n = 0; n < 6; n++) {
      expect((await over(key, begun)).state).toBe("waiting");
      if (n === 5) await site.index(many(2));
      pass(2_000);
      await runDurableObjectAlarm(importObject(begun.id));
    }
    expect((await over(key, begun)).counts.created).toBe(2);
  });

  it("recognizes a skill that it published but has not recorded", { tags: ["slow"] }, async () => {
    await site.index(many(3));
    const done = await over(key, await beginIndex(key, site));
    // As after a crash between the two writes: the skill exists without a row about its source.
    await env.DB.prepare("DELETE FROM import_items WHERE import_id = ? AND name = 'run-001'").bind(done.id).run();
    await env.DB.prepare("UPDATE imports SET state = 'running' WHERE id = ?").bind(done.id).run();
    await importObject(done.id).wake(done.id);
    const again = await over(key, done);
    expect(fates(again)).toMatchObject({ "run-001": expect.stringMatching(/created|unchanged/) });
    expect(again.items.find(({ name }) => name === "run-001")!.skill_id).toBe(
      done.items.find(({ name }) => name === "run-001")!.skill_id,
    );
  });

  it("is woken by the cron when its alarm was lost", async () => {
    await site.index(many(2));
    const done = await over(key, await beginIndex(key, site));
    await ended(done.id);
    await env.DB.prepare("DELETE FROM import_items WHERE import_id = ?").bind(done.id).run();
    await env.DB.prepare("UPDATE imports SET state = 'running', updated_at = 5, next_at = 5 WHERE id = ?")
      .bind(done.id)
      .run();
    await runCron();
    // Reading it would wake it too.
    await vi.waitFor(
      async () => {
        const row = await env.DB.prepare("SELECT state FROM imports WHERE id = ?").bind(done.id).first();
        expect(row).toEqual({ state: "done" });
      },
      { timeout: 10_000 },
    );
  });

  it("leaves a source alone that does not answer, comes back to it, and gives up in the end", async () => {
    holdClock();
    site.says("/.well-known/agent-skills/index.json", () => Promise.reject(new TypeError("connection refused")));
    const begun = await beginIndex(key, site);
    for (const minutes of [1, 5, 15]) {
      const waits = await over(key, begun);
      expect(waits).toMatchObject({ state: "waiting", problem: { code: "SOURCE_UNREACHABLE" } });
      expect(minutesTo(waits)).toBe(minutes);
      pass(minutes * 60_000);
      await runDurableObjectAlarm(importObject(begun.id));
    }
    expect(await over(key, begun)).toMatchObject({ state: "failed", problem: { code: "SOURCE_UNREACHABLE" } });
  });

  it("waits as long as a busy source requests, and then imports", async () => {
    holdClock();
    await site.index(many(2));
    site.says(
      "/.well-known/agent-skills/run-000.zip",
      () => new Response("", { status: 429, headers: { "retry-after": "600" } }),
    );
    const waits = await over(key, await beginIndex(key, site));
    expect([waits.state, minutesTo(waits)]).toEqual(["waiting", 10]);
    await site.index(many(2));
    pass(600_000);
    await runDurableObjectAlarm(importObject(waits.id));
    expect(fates(await over(key, waits))).toEqual({ "run-000": "created", "run-001": "created" });
  });
});

describe("the user who runs an import", () => {
  const stopped = async (report: Pick<Report, "id">, by = ADMIN_KEY) => {
    const done = await over(by, report);
    expect([done.state, done.problem?.code, done.mirror]).toEqual(["stopped", "IMPORTER_ENDED", false]);
    return done;
  };
  /** Starts an import whose next slice is its second. */
  async function underWay(by: string, more: object = {}) {
    await site.index(many(60));
    const held = gate("run-039");
    const begun = await beginIndex(by, site, more);
    await held.reached;
    return { begun, release: held.release };
  }

  it("must still have its key at each slice", async () => {
    const made = await (await call("POST", "/api/v1/keys", { json: { user_id: user } })).json<{
      key: string;
      id: string;
    }>();
    const { begun, release } = await underWay(made.key);
    expect((await call("DELETE", `/api/v1/keys/${made.id}`)).status).toBe(204);
    release();
    const done = await stopped(begun);
    expect(done.counts.created).toBe(40);
  });

  it("must still be a Maintainer of the group", async () => {
    const name = `crew-${users}`;
    await call("POST", "/api/v1/groups", { json: { name } });
    await call("PUT", `/api/v1/groups/${name}/members/${user}`, { json: { role: "Maintainer" } });
    const { begun, release } = await underWay(key, { namespace: name });
    await call("PUT", `/api/v1/groups/${name}/members/${user}`, { json: { role: "Developer" } });
    release();
    await stopped(begun);
  });

  it("must still be an admin for public skills", async () => {
    const made = await (await call("POST", "/api/v1/keys", { json: { user_id: user, role: "admin" } })).json<{
      key: string;
      id: string;
    }>();
    const { begun, release } = await underWay(made.key, { namespace: "public", mirror: true });
    await env.DB.prepare("UPDATE keys SET role = 'user' WHERE id = ?").bind(made.id).run();
    await env.DB.prepare("UPDATE counters SET value = value + 1").run();
    release();
    await stopped(begun);
  });
});

describe("a name that another user takes during the download", () => {
  it("stays theirs", async () => {
    await site.index([{ name: "raced" }]);
    const held = gate("raced");
    const begun = await beginIndex(key, site);
    await held.reached;
    const { id } = await publishOwn(key, { name: "raced", body: "Mine." });
    held.release();
    expect(fates(await over(key, begun))).toEqual({ raced: "NAME_TAKEN" });
    expect(await versions(id)).toBe(1);
  });
});

describe("the end of an import", () => {
  it("after a cancellation: nothing more is imported, and the report remains", async () => {
    await site.index(many(60));
    const held = gate("run-020");
    const begun = await beginIndex(key, site);
    await held.reached;
    const answer = await call("POST", `${IMPORTS}/${begun.id}/cancel`, { key });
    expect([answer.status, await answer.json()]).toMatchObject([200, { state: "cancelled", next_at: null }]);
    held.release();
    await ended(begun.id);
    const report = await reportOf(key, begun.id);
    expect(report).toMatchObject({ state: "cancelled", counts: { created: 20 } });
    expect((await call("POST", `${IMPORTS}/${begun.id}/cancel`, { key })).status).toBe(409);
    const again = await over(key, await beginIndex(key, site));
    expect(again.counts).toMatchObject({ created: 40, unchanged: 20 });
  });

  it("after its deletion: its skills remain and belong to their owner", async () => {
    await site.index(many(2));
    const { id } = await over(key, await beginIndex(key, site));
    expect((await call("DELETE", `${IMPORTS}/${id}`, { key })).status).toBe(204);
    expect((await call("GET", `${IMPORTS}/${id}`, { key })).status).toBe(404);
    await ended(id);
    const again = await over(key, await beginIndex(key, site));
    expect(again.id).not.toBe(id);
    expect(fates(again)).toEqual({ "run-000": "NAME_TAKEN", "run-001": "NAME_TAKEN" });
  });

  it("comes with its user: row, object and alarm; and an export has it before", async () => {
    await site.index(many(60));
    const held = gate("run-010");
    const begun = await beginIndex(key, site);
    await held.reached;
    const exported = await (await call("GET", `/api/v1/users/${user}/export`)).json<{ imports: object[] }>();
    expect(exported.imports).toMatchObject([{ id: begun.id, source: { url: `${site.origin}/` }, state: "running" }]);
    expect((await call("DELETE", `/api/v1/users/${user}`)).status).toBe(200);
    await ended(begun.id);
    held.release();
    expect((await call("GET", `${IMPORTS}/${begun.id}`)).status).toBe(404);
  });

  it("comes with its group", async () => {
    const name = `gone-${users}`;
    await call("POST", "/api/v1/groups", { json: { name } });
    site.says("/.well-known/agent-skills/index.json", { skills: [] });
    const { id } = await over(ADMIN_KEY, await beginIndex(ADMIN_KEY, site, { namespace: name }));
    expect((await call("DELETE", `/api/v1/groups/${name}`)).status).toBe(204);
    expect((await call("GET", `${IMPORTS}/${id}`)).status).toBe(404);
  });
});

describe("a mirror", () => {
  it("is read again every day, by an admin's word alone, until it is cancelled", async () => {
    const admin = await keyFor(`mirrors-${users}`, { role: "admin" });
    /** Runs alarms until the run has ended, because alarms do not fire while the clock stands still. */
    const nextRun = async (id: string, run: number) => {
      for (;;) {
        await runDurableObjectAlarm(importObject(id));
        const report = await reportOf(admin, id);
        if (report.run === run && report.state !== "running") return report;
      }
    };
    await site.index([{ name: "daily" }]);
    holdClock();
    const first = await over(admin, await beginIndex(admin, site, { mirror: true, namespace: "public" }));
    expect([first.mirror, minutesTo(first)]).toEqual([true, 24 * 60]);
    await site.index([{ name: "daily", body: "Newer." }]);
    pass(DAY);
    const second = await nextRun(first.id, 2);
    expect(fates(second)).toEqual({ daily: "updated" });
    site.says("/.well-known/agent-skills/index.json", "nonsense");
    pass(DAY);
    const third = await nextRun(first.id, 3);
    expect(third).toMatchObject({ state: "failed", mirror: true, next_at: expect.any(String) });
    const cancelled = await call("POST", `${IMPORTS}/${first.id}/cancel`, { key: admin });
    expect(await cancelled.json()).toMatchObject({ state: "failed", mirror: false, next_at: null });
    await ended(first.id);
  });
});
