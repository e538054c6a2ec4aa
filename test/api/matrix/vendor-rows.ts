// Rows of the isolation matrix for the vendors' Skills APIs, in the user's own scope and in a group's scope.

import { filesForm } from "../../support/vendor-skills";
import { fresh, group, skill, type Thing } from "./actors";
import { everybody, members, nothing, type Row, type Sent } from "./table";

const VENDORS = ["anthropic", "openai"] as const;
type Vendor = (typeof VENDORS)[number];
/** Kinds of access, and the lowest group role that has each. */
const LEAST = { read: "Reporter", change: "Developer", manage: "Maintainer" } as const;
type Right = keyof typeof LEAST;

const scopeOf = (right: Right) => (right === "read" ? "skills:read" : "skills:write");
const files: Sent = ({ skill: name = fresh("vendor") }) => ({ body: filesForm({ name, version: "3.0.0" }) });

/** Creates a skill under the ids that the vendor's clients use. Its first version is not current, so it can be deleted. */
async function vendored(vendor: Vendor, of: "self" | "group" | "public"): Promise<Thing> {
  const { id = "", version_id = "", ...thing } = await skill(of);
  const version = vendor === "anthropic" ? version_id.replace("ver_", "skver_") : "1";
  return { id: id.replace("skl_", "skill_"), version_id: version, ...thing };
}

/** Returns rows for a route on a skill of the user, of a group at its scope path, and of the public scope, which is read-only. */
function onSkill(vendor: Vendor, method: string, rest: string, right: Right, send: Sent = nothing): Row[] {
  const path = `/${vendor}/v1/skills/{id}${rest}`;
  const shared = { scope: scopeOf(right), spent: right !== "read", send };
  const row = (of: "self" | "group" | "public", best: Row["best"], may: Row["may"], place = ""): Row => {
    return { ...shared, route: `${method} ${place}${path}`, of, best, may, thing: () => vendored(vendor, of) };
  };
  return [
    row("self", "self", { self: 200 }),
    row("group", "Owner", members(LEAST[right], 200), "/s/group/{group}"),
    row("public", "admin", everybody(right === "read" ? 200 : 403)),
  ];
}

/** Returns rows for a route on all skills of a scope: the caller's own and a group's. */
function onScope(vendor: Vendor, method: "GET" | "POST", right: Right): Row[] {
  const send: Sent = method === "GET" ? nothing : () => ({ body: filesForm({ name: fresh("vendor") }) });
  const path = `/${vendor}/v1/skills`;
  const shared = { scope: scopeOf(right), spent: true, send };
  const own: Row = {
    ...{ ...shared, route: `${method} ${path}`, of: "nobody", best: "admin", may: everybody(200) },
    thing: async () => ({}),
  };
  const ofGroup: Row = {
    ...{ ...shared, route: `${method} /s/group/{group}${path}`, of: "group", best: "Owner" },
    ...{ may: members(LEAST[right], 200), thing: group },
  };
  return [own, ofGroup];
}

const shared = (vendor: Vendor): Row[] => [
  ...onScope(vendor, "GET", "read"),
  ...onScope(vendor, "POST", "change"),
  ...onSkill(vendor, "GET", "", "read"),
  ...onSkill(vendor, "DELETE", "", "manage"),
  ...onSkill(vendor, "GET", "/versions", "read"),
  ...onSkill(vendor, "POST", "/versions", "change", files),
  ...onSkill(vendor, "GET", "/versions/{version_id}", "read"),
  ...onSkill(vendor, "DELETE", "/versions/{version_id}", "manage"),
  ...onSkill(vendor, "GET", "/versions/{version_id}/content", "read"),
];

export const VENDOR_ROWS: Row[] = [
  ...VENDORS.flatMap(shared),
  ...onSkill("openai", "POST", "", "manage", () => ({ json: { default_version: "1" } })),
  ...onSkill("openai", "GET", "/content", "read"),
];
