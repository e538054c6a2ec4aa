// Storing files of scripts while storage fails or the conversation ends: the sweep finds everything that remains.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { removeFromList } from "../../../src/services/conversation/lifecycle";
import { resolveInputFiles, storeWrittenFiles } from "../../../src/services/tools/script-files";
import { deleteFile, sweepFiles } from "../../../src/services/tools/stored-files";
import { contextOf } from "../../support/context";
import { Faults } from "../../support/faults";
import { dropAllFiles, keptIds } from "../../support/filer";

const USER = "sweep-ann";
const NOTHING = { rows: [], objects: [] };
const CALL = { userId: USER, conversation: "talk", created: 1, call: ["one"] };
const DAY_MS = 24 * 60 * 60_000;
const run = (...names: string[]) => ({
  files: names.map((name) => ({ path: `/workspace/${name}`, bytes: new TextEncoder().encode(name) })),
  left: [],
  reason: null,
});

async function enlist(conversation = "talk"): Promise<void> {
  await env.DB.prepare("INSERT OR IGNORE INTO conversations (user_id, id, created_at) VALUES (?, ?, 1)")
    .bind(USER, conversation)
    .run();
}

/** What remains after the hourly job, this number of days later. */
async function afterSweep(days = 0): Promise<Awaited<ReturnType<typeof keptIds>>> {
  await sweepFiles(contextOf("nobody", { now: () => Date.now() + days * DAY_MS }));
  return keptIds();
}

beforeEach(async () => {
  await dropAllFiles();
  await enlist();
});
afterEach(() => vi.restoreAllMocks());

/** Runs it once for each storage call, with that call failing. */
async function atEveryCall(act: (faults: Faults) => Promise<void>): Promise<number> {
  let at = 0;
  for (const moment of ["before", "after"] as const) {
    for (at = 0; ; at++) {
      await dropAllFiles();
      await enlist();
      const faults = new Faults(at, moment);
      await act(faults);
      if (!faults.struck) break;
    }
  }
  return at;
}

describe("keeping two files", () => {
  it("returns no missing file, and leaves nothing that the sweep does not find, whichever storage call fails", async () => {
    const calls = await atEveryCall(async (faults) => {
      const { written, left } = await storeWrittenFiles(contextOf(USER, { faults }), CALL, run("a", "b"));
      const { rows, objects } = await keptIds();
      expect(written.length + left.length).toBe(2);
      for (const { kept } of written)
        expect([rows, objects]).toEqual([expect.arrayContaining([kept?.id]), expect.arrayContaining([kept?.id])]);
      for (const { reason } of left) expect(reason).toBe("UNAVAILABLE");
      // The next hour deletes an object without a row; a row without an object expires.
      const later = await afterSweep();
      expect(later.rows).toEqual(expect.arrayContaining(later.objects));
      for (const { kept } of written) expect(later.objects).toContain(kept?.id);
      expect(await afterSweep(8)).toEqual(NOTHING);
    });
    expect(calls).toBe(3);
  });

  it("again has the same ids, and the row and the object of before", async () => {
    const first = await storeWrittenFiles(contextOf(USER), CALL, run("a", "b"));
    const again = await storeWrittenFiles(contextOf(USER), CALL, run("a", "b"));
    expect(again).toEqual(first);
    expect((await keptIds()).rows).toHaveLength(2);
    for (const other of [{ call: ["two"] }, { created: 2 }, { userId: "sweep-bob" }]) {
      await env.DB.prepare(
        "INSERT OR IGNORE INTO conversations (user_id, id, created_at) VALUES ('sweep-bob', 'talk', 1)",
      ).run();
      const { written } = await storeWrittenFiles(contextOf(USER), { ...CALL, ...other }, run("a"));
      expect(first.written.map(({ kept }) => kept?.id)).not.toContain(written[0]?.kept?.id);
    }
  });

  it("does nothing for a deleted conversation, or if file storage is disabled", async () => {
    await env.DB.prepare("DELETE FROM conversations WHERE user_id = ?").bind(USER).run();
    expect((await storeWrittenFiles(contextOf(USER), CALL, run("a"))).written).toEqual([]);
    await enlist();
    const none = contextOf(USER, { settings: { QUOTA_FILES_MIB: "0" } });
    expect((await storeWrittenFiles(none, CALL, run("a"))).left).toEqual([
      { path: "/workspace/a", reason: "QUOTA_EXCEEDED" },
    ]);
    expect(await keptIds()).toEqual(NOTHING);
  });

  it("is not done of a run that was called off", async () => {
    await storeWrittenFiles(contextOf(USER), CALL, { ...run("a"), reason: "cancelled" });
    expect(await keptIds()).toEqual(NOTHING);
  });
});

describe("deletion", () => {
  it("is deleted when it is deleted again, whichever call to storage failed", async () => {
    const calls = await atEveryCall(async (faults) => {
      const { written } = await storeWrittenFiles(contextOf(USER), CALL, run("a"));
      const id = written[0]?.kept?.id ?? "";
      const first = await deleteFile(contextOf(USER, { faults }), "talk", id).catch((error) => error);
      const again = await deleteFile(contextOf(USER), "talk", id).catch((error) => error);
      if (first !== undefined && again !== undefined) expect(again.reason).toBe("FILE_NOT_FOUND");
      expect(await keptIds()).toEqual(NOTHING);
    });
    expect(calls).toBe(3);
  });

  it("goes with its conversation, at the next sweep where storage failed meanwhile", async () => {
    await atEveryCall(async (faults) => {
      await storeWrittenFiles(contextOf(USER), CALL, run("a", "b"));
      await removeFromList(contextOf(USER, { faults }), { userId: USER, id: "talk" }).catch(() => undefined);
      await removeFromList(contextOf(USER), { userId: USER, id: "talk" });
      const { rows } = await keptIds();
      expect(rows).toEqual([]);
      expect(await afterSweep()).toEqual(NOTHING);
    });
  });

  it("is swept where the conversation ended while a script was writing", async () => {
    const context = contextOf(USER);
    const put = context.packages.put.bind(context.packages);
    const packages = new Proxy(context.packages, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (property !== "put") return typeof value === "function" ? value.bind(target) : value;
        return async (...asked: Parameters<typeof put>) => {
          // Between the row and the object.
          await removeFromList(contextOf(USER), { userId: USER, id: "talk" });
          return put(...asked);
        };
      },
    });
    await storeWrittenFiles({ ...context, packages }, CALL, run("late"));
    expect((await keptIds()).objects).toHaveLength(1);
    expect(await afterSweep()).toEqual(NOTHING);
  });

  it("is swept where its conversation has left the list otherwise, and another's stays", async () => {
    await enlist("other");
    await storeWrittenFiles(contextOf(USER), CALL, run("a"));
    const { written } = await storeWrittenFiles(contextOf(USER), { ...CALL, conversation: "other" }, run("b"));
    await env.DB.prepare("DELETE FROM conversations WHERE user_id = ? AND id = 'talk'").bind(USER).run();
    const ids = written.map(({ kept }) => kept?.id);
    expect(await afterSweep()).toEqual({ rows: ids, objects: ids });
  });

  it("is swept however many there are", async () => {
    const insert = env.DB.prepare(
      "INSERT INTO run_files SELECT 'fil_' || value, ?, 'talk', 'runs/x/y/fil_' || value, '/workspace/a', 1, 5 FROM json_each(?)",
    );
    await insert.bind(USER, JSON.stringify(Array.from({ length: 1_200 }, (_, n) => n))).run();
    expect(await sweepFiles(contextOf("nobody"))).toBe(1_200);
    expect(await keptIds()).toEqual(NOTHING);
  });
});

describe("a stored file without its object", () => {
  it("is not found by a script", async () => {
    const { written } = await storeWrittenFiles(contextOf(USER), CALL, run("a"));
    const id = written[0]?.kept?.id ?? "";
    const { objects } = await env.PACKAGES.list({ prefix: "runs/" });
    await env.PACKAGES.delete(objects.map(({ key }) => key));
    const given = await resolveInputFiles(contextOf(USER), { userId: USER, id: "talk" }, [{ path: "a", kept: id }]);
    expect(given).toEqual({ issues: [expect.objectContaining({ code: "FILE_NOT_KEPT", path: "files.0.kept" })] });
  });
});
