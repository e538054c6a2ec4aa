import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bearerOf, type ClaimNames, isToken } from "../../../src/domain/access/token";

const names: ClaimNames = { user: "sub", name: "name", role: "roles", adminValue: "boss", groups: "groups" };

describe("claims", () => {
  it("name the user, an admin by role, and groups with roles", () => {
    const claims = {
      sub: "jo",
      name: "Jo",
      roles: ["dev", "boss"],
      groups: ["one", "two:Owner", "three:King", "a:Owner:b", 7, "a b"],
    };
    expect(bearerOf(claims, names)).toEqual({
      userId: "jo",
      name: "Jo",
      role: "admin",
      claimed: [
        { group: "one", role: "Developer" },
        { group: "two", role: "Owner" },
      ],
      unread: ["three:King", "a:Owner:b", "a b"],
    });
    expect(bearerOf({ sub: "jo", roles: "boss" }, names)).toMatchObject({ role: "admin" });
    expect(bearerOf({ sub: "jo", roles: "bosses" }, names)).toMatchObject({ role: "user" });
    expect(bearerOf({ sub: "jo", roles: "boss" }, { ...names, role: undefined })).toMatchObject({ role: "user" });
    expect(bearerOf({ sub: "jo", groups: ["default", "public:Owner"] }, names)?.claimed).toEqual([]);
  });

  it("are found by name, dots and all, and else by path", () => {
    const claims = { sub: "x", "https://a.test/user": "u1", realm_access: { roles: ["boss"] } };
    const found = bearerOf(claims, { ...names, user: "https://a.test/user", role: "realm_access.roles" });
    expect(found).toMatchObject({ userId: "u1", role: "admin" });
    for (const user of ["constructor.name", "realm_access.roles.length", "__proto__", "toString"]) {
      expect(bearerOf(claims, { ...names, user })).toBeNull();
    }
  });

  it("cannot name invalid or reserved users", () => {
    for (const sub of [
      "0",
      "admin",
      "deployment",
      "",
      "a b",
      "a\nb",
      "auth0|1",
      "é",
      "x".repeat(129),
      7,
      null,
      ["jo"],
      { a: 1 },
    ]) {
      expect(bearerOf({ sub }, names)).toBeNull();
    }
    expect(bearerOf({}, names)).toBeNull();
  });

  it("never throw, whatever they are", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("sub", "name", "roles", "groups", "a"), fc.jsonValue()), (claims) => {
        const bearer = bearerOf(claims, names);
        return bearer === null || /^[A-Za-z0-9._:@+=-]{1,128}$/.test(bearer.userId);
      }),
    );
  });
});

it("recognizes a token by its form", () => {
  expect(isToken("a.b.c")).toBe(true);
  expect(isToken("a.b.")).toBe(true);
  for (const text of ["", "a.b", "a.b.c.d.e", "..", "a b.c.d", "sgw_0000_00", "a.b.c\n"])
    expect(isToken(text)).toBe(false);
});
