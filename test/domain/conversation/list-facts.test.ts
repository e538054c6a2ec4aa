// The skills and failures by which a conversation is found in its list.

import { expect, it } from "vitest";
import type { FinishedCall } from "../../../src/domain/conversation/event";
import { factsAfter, failedCalls, NO_FACTS } from "../../../src/domain/conversation/list-facts";
import { CONVERSATION_LIMITS } from "../../../src/domain/limits";
import { loaded, ref, turn, unloaded } from "./activation/events";

const call = (ended?: FinishedCall["ended"]): FinishedCall => ({
  ...{ name: "tool", at: 1, ms: 1 },
  ...(ended === undefined ? {} : { ended }),
});

it("counts failed calls, and neither cancelled ones nor those that succeeded", () => {
  const previous_calls = [call(), call("failed"), call("cancelled"), call("failed")];
  expect(failedCalls(previous_calls)).toBe(2);
  const once = factsAfter(NO_FACTS, turn(2, [], { previous_calls }));
  expect(factsAfter(once, turn(3, [], { previous_calls })).failures).toBe(4);
});

it("contains every skill that was active, once, up to a limit", () => {
  const [a, b] = [ref("a"), ref("b")];
  const events = [turn(1, [a]), loaded(1, [a, b]), unloaded(1, "a"), turn(2, [b])];
  expect(events.reduce(factsAfter, NO_FACTS).skills).toEqual(["a", "b"]);
  const many = Array.from({ length: CONVERSATION_LIMITS.listedSkills + 1 }, (_, n) => ref(`skill-${n}`));
  expect(factsAfter(NO_FACTS, turn(1, many)).skills).toHaveLength(CONVERSATION_LIMITS.listedSkills);
});
