// Sends requests of the vendors' Skills APIs in the form that their SDKs use.

import { unzipSync } from "fflate";
import { call } from "./call";
import { type SkillFixture, skillZip } from "./skill";

/** Returns a form with a skill's files, each under its path including the folder. */
export function filesForm(skill: SkillFixture & { folder?: string }, fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  for (const [field, value] of Object.entries(fields)) data.append(field, value);
  for (const [path, bytes] of Object.entries(unzipSync(skillZip(skill)))) {
    const name = skill.folder === undefined ? path : path.replace(/^[^/]+/, skill.folder);
    data.append("files[]", new File([new Uint8Array(bytes)], name));
  }
  return data;
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** Returns a client of one vendor's API at one base URL. */
export function vendorApi(base: string, key: string | null, headers: Record<string, string> = {}) {
  return async <T = Record<string, unknown>>(
    method: string,
    path = "",
    more: { body?: FormData; json?: unknown } = {},
  ): Promise<Answer<T>> => {
    const answer = await call(method, `${base}${path}`, { key, headers, ...more });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: (text === "" ? null : JSON.parse(text)) as T };
  };
}

export const BETA = { "anthropic-beta": "skills-2025-10-02", "anthropic-version": "2023-06-01" };
