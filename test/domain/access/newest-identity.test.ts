import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Membership, visibleScopes } from "../../../src/domain/access/access";
import { effectiveFacts, joined, type Newest, type UserFacts } from "../../../src/domain/access/newest-identity";
import { DURATIONS } from "../../../src/domain/durations";

const NAMES = ["a", "b", "c"] as const;

/** The registry at one moment: existing groups, the user's groups, and every change counter. */
interface Moment {
  exist: readonly string[];
  member: readonly string[];
  counters: Record<string, number>;
}

const ROLE = "Developer" as const;

/** Consecutive states; a counter never decreases. */
const history = fc
  .array(fc.record({ exist: fc.subarray([...NAMES]), member: fc.subarray([...NAMES]), raised: fc.nat(2) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((steps) => {
    let value = 0;
    return steps.map(({ exist, member, raised }): Moment => {
      value += raised;
      const scopes = ["public", "user:u", ...exist.map((name) => `group:${name}`)];
      const counters = Object.fromEntries(scopes.map((scope) => [scope, value]));
      return { exist, member: member.filter((name) => exist.includes(name)), counters };
    });
  });

const CLAIMS: Record<string, readonly string[]> = { key: [], "jwt:one": ["a", "b"], "jwt:two": ["c"] };

const bookmark = (moment: number) => `0000000${moment}-0`;

/** Returns the facts that a caller with this key or token reads at a moment. */
function read(moments: readonly Moment[], at: number, keyId: string): UserFacts {
  const { exist, member, counters } = moments[at]!;
  const groups: Membership[] = member.map((group) => ({ group, role: ROLE }));
  for (const group of CLAIMS[keyId]!)
    if (exist.includes(group) && !member.includes(group)) groups.push({ group, role: ROLE, claimed: true });
  const principal = { userId: "u", role: "user" as const, groups, scopes: [], keyId };
  const seen = Object.fromEntries(visibleScopes(principal).map((scope) => [scope, counters[scope] ?? 0]));
  return { principal, counters: seen, asOf: bookmark(at) };
}

const calls = (moments: readonly Moment[]) =>
  fc.array(fc.record({ at: fc.nat(moments.length - 1), keyId: fc.constantFrom(...Object.keys(CLAIMS)) }), {
    minLength: 1,
    maxLength: 12,
  });

describe("the newest that is known of a user", () => {
  it("applies to every caller, in any order", () => {
    fc.assert(
      fc.property(
        history.chain((moments) => calls(moments).map((asked) => ({ moments, asked }))),
        ({ moments, asked }) => {
          let newest: Newest | null = null;
          let last = 0;
          const claimedAt = new Map<string, number>();
          for (const { at, keyId } of asked) {
            const told = read(moments, at, keyId);
            newest = joined(newest, told, 0);
            last = Math.max(last, at);
            claimedAt.set(keyId, Math.max(at, claimedAt.get(keyId) ?? 0));
            const by = effectiveFacts(newest, told, 0);
            const now = moments[last]!;
            expect(by.asOf).toBe(bookmark(last));
            const members = by.principal.groups.filter(({ claimed }) => claimed !== true).map(({ group }) => group);
            expect(members).toEqual(now.member);
            // Only the user's own groups, and groups that this token claims.
            const claimed = by.principal.groups.flatMap((one) => (one.claimed === true ? one.group : []));
            for (const group of claimed) expect(CLAIMS[keyId]).toContain(group);
            for (const scope of ["public", "user:u", ...now.member.map((name) => `group:${name}`)])
              expect([scope, by.counters[scope]]).toEqual([scope, now.counters[scope]]);
            for (const scope of Object.keys(by.counters)) expect(visibleScopes(by.principal)).toContain(scope);
            expect({ ...by.principal, groups: [] }).toEqual({ ...told.principal, groups: [] });
          }
        },
      ),
    );
  });

  it("keeps the claims of a token for that token only", () => {
    const moments: Moment[] = [
      { exist: [], member: [], counters: { public: 1, "user:u": 1 } },
      { exist: ["a"], member: [], counters: { public: 1, "user:u": 1, "group:a": 3 } },
    ];
    const newest = joined(null, read(moments, 1, "jwt:one"), 0);
    const groupsOf = (keyId: string) => effectiveFacts(newest, read(moments, 0, keyId), 0).principal.groups;
    expect(groupsOf("jwt:one")).toEqual([{ group: "a", role: ROLE, claimed: true }]);
    expect(groupsOf("key")).toEqual([]);
    expect(groupsOf("jwt:two")).toEqual([]);
    expect(effectiveFacts(newest, read(moments, 0, "key"), 0).counters).toEqual({ public: 1, "user:u": 1 });
  });

  it("leaves role, scopes and key to the caller", () => {
    const told = read([{ exist: [], member: [], counters: {} }], 0, "key");
    const admin = { ...told, principal: { ...told.principal, role: "admin" as const, scopes: ["act_as"] }, asOf: "9" };
    const by = effectiveFacts(joined(null, admin, 0), told, 0);
    expect(by).toMatchObject({ asOf: "9", principal: { role: "user", scopes: [], keyId: "key" } });
  });

  it("is forgotten after longer than anybody remembers: another database may begin its bookmarks anew", () => {
    const moments: Moment[] = [0, 1].map((value) => ({ exist: [], member: [], counters: { public: value } }));
    const [old, later] = [read(moments, 0, "key"), read(moments, 1, "key")];
    const newest = joined(null, later, 0);
    expect(effectiveFacts(newest, old, DURATIONS.newest).asOf).toBe(later.asOf);
    expect(effectiveFacts(newest, old, DURATIONS.newest + 1)).toBe(old);
    expect(joined(newest, old, DURATIONS.newest + 1)?.as_of).toBe(old.asOf);
  });

  it("is nothing that a caller without a date could change", () => {
    const moments: Moment[] = [{ exist: ["a"], member: ["a"], counters: { public: 4 } }];
    const newest = joined(null, read(moments, 0, "key"), 0);
    const undated = { ...read([{ exist: [], member: [], counters: {} }], 0, "key"), asOf: null };
    expect(joined(newest, undated, 0)).toBe(newest);
    expect(effectiveFacts(newest, undated, 0).principal.groups).toEqual([{ group: "a", role: ROLE }]);
  });
});
