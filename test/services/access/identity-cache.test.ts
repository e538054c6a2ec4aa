import { expect, it } from "vitest";
import { IdentityMemory } from "../../../src/services/access/identity-cache";

const dated = (position: number, began = 0, byPrimary = true) => ({ asOf: `0000000${position}-`, began, byPrimary });
const keyOf = (id: string, userId: string) => ({
  id,
  hash: "h".repeat(64),
  userId,
  role: "user" as const,
  scopes: [],
  expiresAt: null,
  lastUsedAt: null,
});
const nobody = { groups: [], counters: { public: 1 } };
const MiB = 1024 * 1024;

it("never exceeds its size, and a service with ten thousand users evicts no other caller", () => {
  const memory = new IdentityMemory();
  for (let n = 0; n < 100; n++) {
    const key = keyOf(`own${n}`, `user-${n}`);
    memory.keep({ keyId: key.id, userId: null, claimed: [] }, { key, ...nobody }, dated(1));
  }
  const service = keyOf("service", "backend");
  const counters = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`group:a-group-with-a-name-${n}`, n]));
  for (let n = 0; n < 10_000; n++) {
    memory.keep(
      { keyId: "service", userId: `named-${n}`, claimed: [] },
      { key: service, groups: [], counters },
      dated(1),
    );
  }
  expect(memory.bytes).toBeLessThanOrEqual(4 * MiB);
  for (let n = 0; n < 100; n++) {
    expect(memory.find({ keyId: `own${n}`, userId: null, claimed: [] }), `user-${n}`).not.toBe(null);
  }
  expect(memory.find({ keyId: "service", userId: "named-9999", claimed: [] })).not.toBe(null);
  expect(memory.find({ keyId: "service", userId: "named-0", claimed: [] })).toBe(null);
});

it("separates the groups of one token from those of another, and of the user's keys", () => {
  const memory = new IdentityMemory();
  const claimed = [{ group: "team", role: "Owner" as const }];
  const member = [{ group: "team", role: "Owner" as const, claimed: true as const }];
  memory.keep({ keyId: "", userId: "ann", claimed }, { key: null, groups: member, counters: {} }, dated(1));
  memory.keep({ keyId: "", userId: "ann", claimed: [] }, { key: null, ...nobody }, dated(1));
  expect(memory.find({ keyId: "", userId: "ann", claimed })?.user.value.groups).toEqual(member);
  expect(memory.find({ keyId: "", userId: "ann", claimed: [] })?.user.value.groups).toEqual([]);
  const other = [{ group: "team", role: "Reporter" as const }];
  expect(memory.find({ keyId: "", userId: "ann", claimed: other })).toBe(null);
});

it("returns immutable values, and never older ones", () => {
  const memory = new IdentityMemory();
  const asked = { keyId: "one", userId: null, claimed: [] };
  memory.keep(asked, { key: keyOf("one", "ann"), groups: [{ group: "g", role: "Owner" }], counters: {} }, dated(2));
  memory.keep(asked, { key: keyOf("one", "ann"), ...nobody }, dated(1, 9_000));
  const found = memory.find(asked);
  expect(found?.user.value.groups).toEqual([{ group: "g", role: "Owner" }]);
  expect(
    [found?.user.value, found?.user.value.groups, found?.user.value.groups[0], found?.key?.value].every(
      Object.isFrozen,
    ),
  ).toBe(true);
});

it("forgets a key that is gone, and believes nothing older from then on; of one it never knew it learns nothing", () => {
  const memory = new IdentityMemory();
  memory.keep({ keyId: "one", userId: null, claimed: [] }, { key: keyOf("one", "ann"), ...nobody }, dated(1));
  memory.drop("never", "00000009-");
  expect([memory.mark, memory.key("one")?.value.id]).toEqual(["", "one"]);
  memory.drop("one", "00000002-");
  expect([memory.mark, memory.key("one")]).toEqual(["00000002-", null]);
});
