// Actions with schemas: invalid input never reaches the page's code, and an invalid answer never reaches a skill.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { action, answering, choose, confirm, form, json, pickFile } from "../../sdk/src/client/actions";
import { FakeSocket, settle, welcomed } from "./page";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Sends a request to a page with the action and returns its answer. */
async function asked(given: Parameters<typeof answering<unknown, unknown>>[0], payload: unknown, result: unknown) {
  const handler = vi.fn(async (_: unknown) => result);
  const { connection } = await welcomed();
  connection.on(given.name, answering(given, handler));
  FakeSocket.last.ask("r1", { action: given.name, payload });
  await settle();
  const { success, result: answered, error } = FakeSocket.last.answers[0] ?? {};
  return { calls: handler.mock.calls.map(([first]) => first), answer: success ? answered : error };
}

describe("an action", () => {
  it("is answered by the page's handler, with the payload as its schema reads it", async () => {
    const tide = action("tide", z.object({ at: z.coerce.date() }), z.object({ metres: z.number() }));
    expect(await asked(tide, { at: "2026-11-22T00:00:00Z", more: 1 }, { metres: 3, more: 1 })).toEqual({
      calls: [{ at: new Date("2026-11-22T00:00:00Z") }],
      answer: { metres: 3 },
    });
  });

  it("that is asked in the wrong form runs nothing, and says what is wrong with it", async () => {
    const tide = action("tide", z.object({ pier: z.object({ n: z.int() }) }), z.unknown());
    const { calls, answer } = await asked(tide, { pier: { n: "three" } }, 1);
    expect(calls).toEqual([]);
    expect(answer).toMatch(/^The input of 'tide' is not valid: pier\.n: /);
    expect((await asked(confirm, { question: "" }, { confirmed: true })).answer).toBe(
      "The input of 'confirm' is not valid: question: at least 1 characters",
    );
    expect((await asked(choose, { question: "Which?", options: [{ label: "A" }, 2] }, {})).answer).toBe(
      "The input of 'choose' is not valid: options.0.value: missing; options.1: object expected, number found",
    );
  });

  it("that the page answers in the wrong form is a failure, and no answer", async () => {
    const { calls, answer } = await asked(confirm, { question: "Sure?" }, { confirmed: "yes" });
    expect(calls).toEqual([{ question: "Sure?" }]);
    expect(answer).toBe("The answer of 'confirm' is not valid: confirmed: boolean expected, string found");
  });

  it.each([
    [confirm, { question: "Sure?", detail: "It cannot be undone." }, { confirmed: false }],
    [choose, { question: "Which?", options: [{ value: "a" }, { value: "b", label: "B" }] }, { chosen: ["b"] }],
    [form, { fields: [{ name: "age", type: "number", required: true }] }, { values: { age: 7 } }],
    [pickFile, { accept: ".csv" }, { files: [{ name: "a.csv", text: "1,2" }] }],
  ])("is one that skills and pages share: %o", async (shared, payload, result) => {
    expect(await asked(shared as Parameters<typeof asked>[0], payload, result)).toEqual({
      calls: [payload],
      answer: result,
    });
  });
});

describe("an answer that the gateway does not take for one", () => {
  const refuse = (request_id: string) =>
    FakeSocket.last.say({ type: "ack", request_id, success: false, error: "invalid_answer", problems: ["no metres"] });

  it("is a failure where a handler gave it, which would give the same again", async () => {
    const { connection } = await welcomed();
    const handler = vi.fn(() => ({ feet: 9 }));
    connection.on("tide", handler);
    FakeSocket.last.ask("r1", { action: "tide" });
    await settle();
    refuse("r1");
    await settle();
    expect(handler).toHaveBeenCalledTimes(1);
    expect(FakeSocket.last.answers.map(({ success, result, error }) => [success, result ?? error])).toEqual([
      [true, { feet: 9 }],
      [false, "The answer does not match the requested schema: no metres"],
    ]);
  });

  it("may be given again by hand, and the request waits until then", async () => {
    const { connection } = await welcomed();
    FakeSocket.last.ask("r1", { action: "tide" });
    const first = connection.answer("r1", { success: true, result: 1 });
    expect(connection.state.pending).toEqual([]);
    refuse("r1");
    expect(await first).toEqual({ success: false, error: "invalid_answer", problems: ["no metres"] });
    expect(connection.state.pending.map(({ request_id }) => request_id)).toEqual(["r1"]);
    const second = connection.answer("r1", { success: true, result: 2 });
    FakeSocket.last.ack("r1");
    expect(await second).toEqual({ success: true });
  });
});

describe("json", () => {
  const issues = async (schema: Parameters<typeof json>[0], value: unknown) => {
    const checked = await json(schema)["~standard"].validate(value);
    return checked.issues?.map(({ path = [], message }) => [path.join("."), message].filter(Boolean).join(": "));
  };

  it("looks at types, sizes, members and entries, and passes over what it does not know", async () => {
    expect(await issues({ type: ["string", "null"] }, null)).toBeUndefined();
    expect(await issues({ type: "integer" }, 1)).toBeUndefined();
    expect(await issues({ type: "integer" }, 1.5)).toEqual(["integer expected, number found"]);
    expect(await issues({ type: "number", minimum: 1, maximum: 3 }, 4)).toEqual(["at most 3"]);
    expect(await issues({ enum: ["a", "b"] }, "c")).toEqual(["one of a, b expected"]);
    expect(await issues({ type: "array", minItems: 2, items: { type: "string" } }, [1])).toEqual([
      "at least 2 entries",
      "0: string expected, number found",
    ]);
    const closed = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false } as const;
    expect(await issues(closed, JSON.parse('{"a":"x","__proto__":1,"toString":2}'))).toEqual([
      "__proto__: not known",
      "toString: not known",
    ]);
    expect(await issues({ type: "object", required: ["constructor"] }, {})).toEqual(["constructor: missing"]);
    expect(await issues({ format: "email", if: {} }, "x")).toBeUndefined();
  });
});
