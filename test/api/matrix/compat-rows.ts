// Rows of the isolation matrix for links, for the list of open skills, which only admins can read and change, and for imports.

import { env } from "cloudflare:workers";
import { call } from "../../support/call";
import { keyOfUser, skill, type Thing, USERS, userOf } from "./actors";
import { everybody, open, own, type Row } from "./table";

const L = "/api/v1/links";
const O = "/api/v1/open-skills";
const V = "/api/v1/kinds/skills/{id}/versions/{version_id}/verdict";
const forAdmins = (status: number): Row["may"] => ({
  ...Object.fromEntries(USERS.map((user) => [user, 403])),
  admin: status,
});
const publicSkill = () => skill("public");

async function openedSkill(): Promise<Thing> {
  const thing = await publicSkill();
  const answer = await call("PUT", `${O}/${thing.id}`);
  if (answer.status !== 200) throw new Error(await answer.text());
  return thing;
}

const link = async () => {
  const answer = await call("POST", L, { key: await keyOfUser("self"), json: {} });
  return { id: (await answer.json<{ id: string }>()).id };
};

const I = "/api/v1/imports";
/** Its secret does not exist, so no request is sent to the source. */
const unasked = () => ({
  source: { type: "index", url: `https://skills.dev/${crypto.randomUUID()}`, secret: "NO_SUCH_SECRET" },
});
/** One that waits for its source. */
const anImport = async () => {
  const id = `imp_${crypto.randomUUID()}`;
  await env.DB.prepare(
    `INSERT INTO imports VALUES (?1, 'user:' || ?2, '{"type":"index","url":"https://skills.dev/"}', ?1, ?2, 'k', 0, 1, 'waiting', NULL, NULL, NULL, 1, 1, 1, ?3)`,
  )
    .bind(id, userOf("self"), Date.now() + 3_600_000)
    .run();
  return { id };
};

export const DOOR_ROWS: Row[] = [
  open(`GET ${L}`, "skills:read", everybody(200)),
  open(`POST ${L}`, "skills:read", everybody(201), () => ({ json: {} })),
  own(`DELETE ${L}/{id}`, "skills:read", link, 204, { spent: true, admin: 204 }),
  open(`GET ${O}`, "admin", forAdmins(200)),
  open(`PUT ${O}/{id}`, "admin", forAdmins(200), undefined, publicSkill),
  open(`DELETE ${O}/{id}`, "admin", forAdmins(204), undefined, openedSkill),
  open(
    `PUT ${V}`,
    "admin",
    forAdmins(200),
    () => ({ json: { blocked: true, reason: "Bad." } }),
    () => skill("self"),
  ),
  open(`GET ${I}`, "skills:write", everybody(200)),
  open(`POST ${I}`, "skills:write", everybody(202), () => ({ json: unasked() })),
  own(`GET ${I}/{id}`, "skills:write", anImport, 200, { admin: 200 }),
  own(`POST ${I}/{id}/cancel`, "skills:write", anImport, 200, { spent: true, admin: 200 }),
  own(`DELETE ${I}/{id}`, "skills:write", anImport, 204, { spent: true, admin: 204 }),
];
