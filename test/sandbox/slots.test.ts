// The number of concurrent isolates, and the waiting time of further calls.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PARALLEL } from "../../src/domain/code/script-limits";
import { DURATIONS } from "../../src/domain/durations";
import { Slots } from "../../src/sandbox/slots";
import { runOne } from "../support/run-code";

describe("slots", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("let in as many as there are, then the longest waiting first", async () => {
    const slots = new Slots(2);
    const [a, b] = [await slots.take("a"), await slots.take("b")];
    const came: string[] = [];
    const waiting = ["c", "d"].map((id) => slots.take(id).then(() => came.push(id)));
    await Promise.resolve();
    expect(came).toEqual([]);
    a?.();
    await waiting[0];
    expect(came).toEqual(["c"]);
    b?.();
    await waiting[1];
    expect(came).toEqual(["c", "d"]);
  });

  it("are one for all calls in one isolate, until the last has ended", async () => {
    const slots = new Slots(1);
    const [first, second] = [await slots.take("a"), await slots.take("a")];
    const other = slots.take("b");
    first?.();
    first?.();
    expect(await Promise.race([other, "waits"])).toBe("waits");
    second?.();
    expect(await other).toBeTypeOf("function");
  });

  it("limit the waiting time, and the length of the queue", async () => {
    const slots = new Slots(1);
    const release = await slots.take("held");
    const waiting = Array.from({ length: PARALLEL.waiting }, (_, n) => slots.take(`${n}`));
    expect(await slots.take("one too many")).toBeNull();
    await vi.advanceTimersByTimeAsync(DURATIONS.queue);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => null));
    // A call that was cancelled uses no slot.
    release?.();
    expect(await slots.take("next")).toBeTypeOf("function");
  });

  it("are not reserved for cancelled calls", async () => {
    const slots = new Slots(1);
    const release = await slots.take("held");
    const cancel = new AbortController();
    const waiting = slots.take("gone", cancel.signal);
    cancel.abort();
    expect(await waiting).toBeNull();
    release?.();
    expect(await slots.take("next", cancel.signal)).toBeNull();
    expect(await slots.take("next")).toBeTypeOf("function");
  });
});

describe("scripts of one conversation", () => {
  it("wait for each other where there are too many, and all run", async () => {
    const slots = new Slots(1);
    const script = { "scripts/run.js": "setTimeout(() => console.log(process.argv[2]), 20)" };
    const runs = ["a", "b", "c"].map((name) =>
      runOne({ name, files: script }, "scripts/run.js", { args: [name], slots }),
    );
    expect((await Promise.all(runs)).map(({ stdout }) => stdout)).toEqual(["a\n", "b\n", "c\n"]);
  });

  it("get an error if their turn does not come", async () => {
    const slots = new Slots(0);
    const skills = Array.from({ length: PARALLEL.waiting }, (_, n) => slots.take(`${n}`));
    const run = await runOne({ name: "late", files: { "scripts/run.js": "console.log('ran')" } }, "scripts/run.js", {
      slots,
    });
    expect(run).toMatchObject({
      ...{ exit_code: 1, stdout: "", killed: false, reason: "busy" },
      stderr: "The script was not started: too many scripts at once; try again in a moment.",
    });
    expect(skills).toHaveLength(PARALLEL.waiting);
  });
});
