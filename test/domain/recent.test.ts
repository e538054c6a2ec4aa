// The bounded cache: which entries it evicts, and when.

import { expect, it } from "vitest";
import { Recent } from "../../src/domain/recent";

it("keeps the values added last, and removes the oldest", () => {
  const recent = new Recent<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("a", 3);
  recent.set("c", 4);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([3, undefined, 4]);
  recent.delete("a");
  recent.set("d", 5);
  expect(["a", "c", "d"].map((key) => recent.get(key))).toEqual([undefined, 4, 5]);
});
