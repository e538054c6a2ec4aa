// The rights of a caller, as returned before an attempt. Compares every right with the decision that it describes.

import { describe, expect, it } from "vitest";
import { GROUP_ROLES, type GroupRole, type Principal } from "../../../src/domain/access/access";
import { rightsOf } from "../../../src/domain/access/rights";

const principal = (more: Partial<Principal> = {}): Principal => ({
  ...{ userId: "ann", role: "user", groups: [], scopes: [], keyId: "key_1" },
  ...more,
});
const inGroup = (role: GroupRole) => [{ group: "team", role }];
const of = (who: Principal, namespace: string) =>
  rightsOf(who, false, false).namespaces.find((one) => one.namespace === namespace)!;
const given = (rights: object) =>
  Object.entries(rights)
    .filter(([, value]) => value === true)
    .map(([name]) => name);

const ALL = ["read", "publish", "change", "activate", "delete", "measure", "define", "secrets"];

describe("rights", () => {
  it("on own resources are complete, and on public ones reading", () => {
    expect(
      rightsOf(principal({ groups: inGroup("Reporter") }), false, false).namespaces.map((one) => one.namespace),
    ).toEqual(["default", "team", "public"]);
    expect(given(of(principal(), "default"))).toEqual(ALL);
    expect(given(of(principal(), "public"))).toEqual(["read"]);
    expect(given(of(principal({ role: "admin" }), "public"))).toEqual(ALL);
  });

  it.each([
    ["Reporter", ["read"], []],
    ["Developer", ["read", "publish", "change"], []],
    ["Maintainer", ALL, ["Developer", "Reporter"]],
    ["Owner", [...ALL, "manage"], [...GROUP_ROLES]],
  ] as const)("of a %s in a group", (role, rights, members) => {
    const found = of(principal({ groups: inGroup(role) }), "team");
    expect([found.role, given(found), found.members]).toEqual([role, rights, members]);
  });

  it("are no more than the key opens", () => {
    const who = principal({ groups: inGroup("Owner"), scopes: ["skills:read"] });
    const found = rightsOf(who, false, true);
    expect(found).toMatchObject({ scopes: ["skills:read"], act_as: false, operate: false, make_groups: false });
    expect(found.namespaces.map(given)).toEqual([["read", "measure"], ["read", "measure"], ["read"]]);
    expect(found.namespaces.flatMap(({ members }) => members)).toEqual([]);
    const ghosts = of({ ...who, scopes: ["ghosts"] }, "team");
    expect(given(ghosts)).toEqual(["define"]);
  });

  it("to operate require an admin with an admin key, and are not given through a service", () => {
    const operate = (who: Principal, acting = false) => rightsOf(who, acting, false).operate;
    expect(operate(principal({ role: "admin" }))).toBe(true);
    expect(operate(principal({ role: "admin", scopes: ["admin"] }))).toBe(true);
    expect(operate(principal({ role: "admin", scopes: ["skills:read"] }))).toBe(false);
    expect(operate(principal({ scopes: ["admin"] }))).toBe(false);
    expect(operate(principal({ role: "admin" }), true)).toBe(false);
    const service = principal({ scopes: ["act_as"] });
    expect(rightsOf(service, false, false).act_as).toBe(true);
    const acting = rightsOf(service, true, false);
    expect([acting.act_as, acting.scopes.includes("keys"), acting.scopes.includes("conversations")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("to make groups are everybody's where that is open, else the admins'", () => {
    const make = (who: Principal, open: boolean) => rightsOf(who, false, open).make_groups;
    expect([make(principal(), false), make(principal(), true)]).toEqual([false, true]);
    expect(make(principal({ role: "admin" }), false)).toBe(true);
  });
});
