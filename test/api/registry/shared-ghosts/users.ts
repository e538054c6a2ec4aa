// A group with a member of each role, and how tests of shared ghosts save and read ghosts.

import { call, keyFor } from "../../../support/call";
import { talk } from "../../../support/chat-turns";

export const GHOSTS = "/api/v1/kinds/ghosts";
export const GROUPS = "/api/v1/groups";

export const ROLES = ["Reporter", "Developer", "Maintainer", "Owner"] as const;

export interface Ghost {
  metadata: { name: string; namespace: string; labels: { id: string; user_id: string; scope: string } };
  spec: { systemPrompt: string; skills?: string[]; preload_skills?: string[] };
}

let count = 0;

/** A group with one member of each role, and their keys. */
export async function crew() {
  const name = `crew-${++count}`;
  await call("POST", GROUPS, { json: { name } });
  const keys = {} as Record<(typeof ROLES)[number], string>;
  for (const role of ROLES) {
    await call("PUT", `${GROUPS}/${name}/members/${role}-${name}`, { json: { role } });
    keys[role] = await keyFor(`${role}-${name}`);
  }
  await call("DELETE", `${GROUPS}/${name}/members/admin`);
  return { name, keys, user: (role: (typeof ROLES)[number]) => `${role}-${name}` };
}

export const put = (key: string | undefined, namespace: string, name: string, spec: object = {}) =>
  call("PUT", `${GHOSTS}/by-name/${namespace}/${name}`, { ...(key === undefined ? {} : { key }), json: { spec } });
export async function made(answer: Response): Promise<Ghost & { id: string }> {
  const ghost = await answer.clone().json<Ghost>();
  if (!answer.ok) throw new Error(await answer.text());
  return { ...ghost, id: ghost.metadata.labels.id };
}
export const codeOf = async (answer: Response) => `${answer.status} ${(await answer.json<{ code: string }>()).code}`;
export const issuesOf = async (answer: Response) =>
  (await answer.json<{ issues: { code: string; message: string; path: string }[] }>()).issues;
export const system = async (key: string, settings: object) =>
  (await (await talk({ key }, settings)).turn()).prompt.system;
