import { expect, it } from "vitest";
import { ChatLeases } from "../../../src/domain/chat/leases";

it("grants free slots, keeps renewed ones, and releases expired ones", () => {
  const places = new ChatLeases();
  const hold = (id: string, now: number) => places.hold(id, 2, now, 100);
  expect([hold("a", 0), hold("b", 50), hold("c", 60)]).toEqual([true, true, false]);
  expect(hold("a", 90)).toBe(true);
  // `b` was last active at 50, `a` later.
  expect(hold("c", 149)).toBe(false);
  expect([hold("c", 150), hold("d", 151)]).toEqual([true, false]);
  places.release("a");
  places.release("a");
  expect([hold("d", 152), hold("e", 153)]).toEqual([true, false]);
});
