// Sends requests of the API for hosts and variables of skills.

import { env } from "cloudflare:workers";
import { call } from "./call";
import { publishPublic } from "./chat-turns";
import { nextName } from "./skill-network";

export const PLANTED = "planted-value-5c1d77";
export const DECLARED = "network: [api.example.org, files.example.org]\nenv: [TOKEN, OTHER]";
export const SKILLS = "/api/v1/kinds/skills";
export const MINE = "/api/v1/me/skill-env";

export interface Problem {
  code: string;
  detail: string;
  issues?: { code: string; path: string }[];
  declared?: string[];
  skill_ids?: string[];
}
export interface Variables {
  skill_id: string;
  network: string[];
  env: string[];
  values: { name: string; shared: boolean; hosts: string[]; last_used_at: string | null }[];
  missing: string[];
}

export const codeOf = async (answer: Response) => [answer.status, (await answer.json<Problem>()).code];
export const publishDeclaring = async (frontmatter = DECLARED, name = nextName()) =>
  (await publishPublic({ name, frontmatter })).id;
export const setValues = (key: string | undefined, skill: string, json: object) =>
  call("PUT", `${MINE}/${skill}`, { ...(key === undefined ? {} : { key }), json });
export const readVariables = async (key: string, skill: string) =>
  (await call("GET", `${MINE}/${skill}`, { key })).json<Variables>();
export const rowsOf = async (statement: string, ...bound: string[]) =>
  (
    await env.DB.prepare(statement)
      .bind(...bound)
      .all()
  ).results;
export const acts = async (skill: string) =>
  (await (await call("GET", `/api/v1/audit?resource_id=${skill}&limit=50`)).text()).replaceAll(/"at":"[^"]*"/g, "");
