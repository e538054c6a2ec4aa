// Helpers that upload skills, and the type of the returned resource.

import { expect } from "vitest";
import { type CallOptions, call } from "../../../support/call";
import { form, type SkillFixture, skillZip } from "../../../support/skill";

export const SKILLS = "/api/v1/kinds/skills";

export interface Skill {
  metadata: { name: string; namespace: string; labels: { id: string; user_id: string } };
  spec: { prompt: string; version?: string; description: string };
  status: {
    state: string;
    version_id: string;
    fileHash: string;
    fileSize: number;
    uploadHash: string;
    warnings: { code: string }[];
    tokens: object;
  };
}

export const upload = (skill: SkillFixture, options: CallOptions = {}, fields: Record<string, string> = {}) =>
  call("POST", `${SKILLS}/upload`, { ...options, body: form(skillZip(skill), fields) });

export async function published(skill: SkillFixture, options: CallOptions = {}, fields: Record<string, string> = {}) {
  const answer = await upload(skill, options, fields);
  expect(answer.status).toBe(201);
  return answer.json<Skill>();
}

export const idOf = (skill: Skill) => skill.metadata.labels.id;
export const problemOf = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const body = await response.json<{ code: string; status: number; issues?: { code: string; path?: string }[] }>();
  expect(body.status).toBe(response.status);
  return body;
};
