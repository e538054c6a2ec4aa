// Storage fails at any call of a run, before or after its effect: the run continues and ends as if nothing had failed.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { identityStoresOf } from "../../src/edge/context";
import { continueImport } from "../../src/services/imports/run";
import { openDatabase } from "../../src/storage/d1/database";
import { ImportPlan } from "../../src/storage/object/import-plan";
import { call } from "../support/call";
import { contextOf } from "../support/context";
import { Faults } from "../support/faults";
import { importObject, Site } from "../support/import-source";
import { forgetting } from "../support/isolate";

afterEach(() => void vi.restoreAllMocks());

const ROUNDS = 30;

/** Imports two skills with this fault, and returns the result. */
async function runWith(user: string, site: Site, faults: Faults) {
  const key = await (await call("POST", "/api/v1/keys", { json: { user_id: user } })).json<{ id: string }>();
  const id = `imp_${user}`;
  const source = JSON.stringify({ type: "index", url: `${site.origin}/` });
  await env.DB.prepare(
    "INSERT INTO imports VALUES (?1, 'user:' || ?2, ?3, 'd', ?2, ?4, 0, 1, 'running', NULL, NULL, NULL, 1, 1, 1, 1)",
  )
    .bind(id, user, source, key.id)
    .run();
  const timings = { storage: 0 };
  await runInDurableObject(importObject(id), async (_, { storage }) => {
    const plan = new ImportPlan(storage);
    plan.id = id;
    const shop = {
      ...{ id, plan, timings, signal: new AbortController().signal, now: () => Date.now() },
      db: openDatabase(faults.session(env.DB.withSession("first-primary")), timings, forgetting),
      packages: faults.bucket(env.PACKAGES),
      places: identityStoresOf(env, timings, () => undefined),
      contextFor: ({ principal }: { principal: object }) => contextOf(user, { faults, principal }),
    };
    for (let round = 0; ; round++) {
      const next = await continueImport(shop).catch((error: unknown) => String(error));
      if (next === null) break;
      if (round === ROUNDS) throw new Error(`does not end: ${next}`);
    }
  });
  const of = async (sql: string) => (await env.DB.prepare(sql).bind(id).all()).results;
  return {
    import: await of("SELECT state, problem, total FROM imports WHERE id = ?"),
    items: await of("SELECT name, problem FROM import_items WHERE import_id = ? ORDER BY name"),
    versions: await of(
      "SELECT skills.name, count(*) AS versions FROM skills JOIN versions ON skill_id = skills.id JOIN imports ON imports.scope = skills.scope WHERE imports.id = ? GROUP BY 1 ORDER BY 1",
    ),
  };
}

it.each(["before", "after"] as const)("ends well whichever call fails %s it took effect", async (moment) => {
  const site = new Site();
  Site.open(site);
  await site.index([{ name: "first" }, { name: "second" }]);
  for (let at = 0; ; at++) {
    const faults = new Faults(at, moment);
    expect(await runWith(`faulty-${moment}-${at}`, site, faults), `call ${at}`).toEqual({
      import: [{ state: "done", problem: null, total: 2 }],
      items: ["first", "second"].map((name) => ({ name, problem: null })),
      versions: ["first", "second"].map((name) => ({ name, versions: 1 })),
    });
    if (faults.struck) continue;
    expect(at).toBeGreaterThan(10);
    break;
  }
});
