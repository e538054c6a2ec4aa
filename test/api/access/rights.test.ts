// The rights that `/me` returns. The matrix checks them against the routes; `domain/access/rights.test.ts` tests the calculation.

import { expect, it } from "vitest";
import { call, keyFor } from "../../support/call";

interface Me {
  memberships: { group: string; role: string }[];
  rights: {
    scopes: string[];
    act_as: boolean;
    operate: boolean;
    make_groups: boolean;
    namespaces: ({ namespace: string; role: string | null; members: string[] } & Record<string, unknown>)[];
  };
}

const me = async (key: string, as?: string) =>
  (await call("GET", "/api/v1/me", as === undefined ? { key } : { key, as })).json<Me>();

it("are those of the role in each namespace, as far as the key opens them", async () => {
  expect((await call("POST", "/api/v1/groups", { json: { name: "rights-team" } })).status).toBe(201);
  const member = await call("PUT", "/api/v1/groups/rights-team/members/rights-ann", { json: { role: "Maintainer" } });
  expect(member.status).toBe(201);
  const { rights, memberships } = await me(await keyFor("rights-ann"));
  expect(memberships).toEqual([{ group: "rights-team", role: "Maintainer" }]);
  expect(
    rights.namespaces.map(({ namespace, role, publish, manage, members }) => ({
      namespace,
      role,
      publish,
      manage,
      members,
    })),
  ).toEqual([
    { namespace: "default", role: null, publish: true, manage: false, members: [] },
    { namespace: "rights-team", role: "Maintainer", publish: true, manage: false, members: ["Developer", "Reporter"] },
    { namespace: "public", role: null, publish: false, manage: false, members: [] },
  ]);
  expect(rights).toMatchObject({ act_as: false, operate: false, make_groups: false });
  const limited = await me(await keyFor("rights-ann", { scopes: ["skills:read"] }));
  expect(limited.rights.scopes).toEqual(["skills:read"]);
  expect(limited.rights.namespaces.map(({ read, publish }) => [read, publish])).toEqual(Array(3).fill([true, false]));
});

it("on behalf of a user are the user's, and never the service's", async () => {
  const service = await keyFor("rights-service", { role: "admin", scopes: ["act_as"] });
  const [own, lent] = [await me(service), await me(service, "rights-bob")];
  expect([own.rights.act_as, own.rights.operate]).toEqual([true, true]);
  expect([lent.rights.act_as, lent.rights.operate, lent.rights.make_groups]).toEqual([false, false, false]);
  expect(lent.rights.scopes).not.toContain("keys");
  expect(lent.rights.scopes).toContain("conversations");
});
