// Rows of the isolation matrix for the hosts that skill code can call, and for values of skills' variables.

import { call } from "../../support/call";
import { form, skillZip } from "../../support/skill";
import { keyOfUser, skill, type Thing } from "./actors";
import { everybody, json, open, own, type Row, skilled, without } from "./table";

const S = "/api/v1/kinds/skills/{id}";
const V = "/api/v1/me/skill-env";
const HOST = "api.github.com";

/** A skill whose current version declares a host and a variable. `skill` is its id, as `{skill}` in paths. */
async function declaring(of: Row["of"]): Promise<Thing> {
  const { id = "", skill: name = "" } = await skill(of === "nobody" ? "self" : of);
  const key = await keyOfUser(of === "self" ? "self" : of === "group" ? "Owner" : "admin");
  const zip = skillZip({ name, version: "3.0.0", frontmatter: `network: [${HOST}]\nenv: [GITHUB_TOKEN]` });
  const answer = await call("PUT", `/api/v1/kinds/skills/${id}`, { key, body: form(zip) });
  if (answer.status !== 200) throw new Error(await answer.text());
  return { id, skill: id };
}

const values = json(() => ({ values: { GITHUB_TOKEN: "ghp_0123456789abcdef" } }));

/** A skill with a value: the user's own for their own skill, a shared one for a public skill. */
async function valued(of: "self" | "public"): Promise<Thing> {
  const thing = await declaring(of);
  const path = of === "self" ? `${V}/${thing.id}` : `/api/v1/kinds/skills/${thing.id}/env`;
  const key = await keyOfUser(of === "self" ? "self" : "admin");
  const answer = await call("PUT", path, { key, ...values({}) });
  if (answer.status !== 200) throw new Error(await answer.text());
  return thing;
}

/** Returns rows for a route on a skill of the user, of a group and of the public scope that declares a host and a variable. */
function called(...asked: Parameters<typeof skilled>): Row[] {
  return skilled(...asked).map((row) => ({ ...row, thing: () => declaring(row.of) }));
}

/** Returns a row for shared values, which only admins change. */
function shared(method: "PUT" | "DELETE", status: number, thing: Row["thing"], send: Row["send"]): Row {
  const may = without({ admin: status }, 403);
  return { route: `${method} ${S}/env`, of: "public", scope: "secrets", best: "admin", may, thing, spent: true, send };
}

export const NETWORK_ROWS: Row[] = [
  ...called(`GET ${S}/network`, "read", 200),
  ...called(`PUT ${S}/network`, "manage", 200, { send: json(() => ({ hosts: [HOST] })) }),
  shared("PUT", 200, () => declaring("public"), values),
  shared(
    "DELETE",
    204,
    () => valued("public"),
    () => ({}),
  ),
  open(`GET ${V}`, "secrets", everybody(200)),
  ...called(`GET ${V}/{skill}`, "read", 200, { scope: "secrets" }),
  ...called(`PUT ${V}/{skill}`, "read", 200, { scope: "secrets", send: values }),
  own(`DELETE ${V}/{skill}`, "secrets", () => valued("self"), 204, { spent: true }),
];
