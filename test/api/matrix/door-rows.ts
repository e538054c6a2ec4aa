// The rows of the isolation matrix for what opens doors without a key: the open list, which only admins see and fill.

import { call } from "../../support/call";
import { keyOfUser, skill, type Thing, USERS } from "./actors";
import { everybody, open, own, type Row } from "./table";

const L = "/api/v1/links";
const O = "/api/v1/open-skills";
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

export const DOOR_ROWS: Row[] = [
  open(`GET ${L}`, "skills:read", everybody(200)),
  open(`POST ${L}`, "skills:read", everybody(201), () => ({ json: {} })),
  own(`DELETE ${L}/{id}`, "skills:read", link, 204, { spent: true, admin: 204 }),
  open(`GET ${O}`, "admin", forAdmins(200)),
  open(`PUT ${O}/{id}`, "admin", forAdmins(200), undefined, publicSkill),
  open(`DELETE ${O}/{id}`, "admin", forAdmins(204), undefined, openedSkill),
];
