import { expect, it } from "vitest";
import type { Holder } from "../../src/conversation/socket-state";
import { Sockets } from "../../src/conversation/sockets";

const sockets = (open: number) =>
  new Sockets(
    {
      setWebSocketAutoResponse: () => {},
      getWebSockets: () => Array.from({ length: open }, () => ({ deserializeAttachment: () => holder("page") })),
    } as unknown as DurableObjectState,
    () => {},
  );

const holder = (id: string): Holder => ({
  id,
  grant: { credential: "k", user_id: "ann", origin: null, pinned: false, output: false },
  origin: null,
  resume: null,
  hears: [],
  answers: [],
  accepted: 0,
  checked: 0,
  unread: 0,
  mark: null,
});

it("accepts 64 pages", () => {
  expect([sockets(63).full(), sockets(64).full()]).toEqual([false, true]);
});

it("lets each page send 256 frames at once, and then 32 a second", () => {
  const all = sockets(0);
  const sent = (id: string, now: number) => {
    let frames = 0;
    while (all.mayTalk(holder(id), now)) frames++;
    return frames;
  };
  expect(sent("a", 0)).toBe(256);
  expect(sent("b", 0)).toBe(256);
  // The rejected frame counts too.
  expect(sent("a", 1_000)).toBe(31);
  expect(sent("a", 1_000_000)).toBe(256);
  // Setting the clock back adds no allowance.
  expect(sent("a", 0)).toBe(0);
});
