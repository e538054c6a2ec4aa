// Groups with reviewers, and requests of /api/v1/reviews.

import { call, keyFor } from "./call";
import { form, type SkillFixture, skillZip } from "./skill";

export const REVIEWS = "/api/v1/reviews";
export const SKILLS = "/api/v1/kinds/skills";

export interface Review {
  id: string;
  name: string;
  state: string;
  author: string;
  version: string | null;
  zip_sha256: string;
  published_version_id: string | null;
  can_decide: boolean;
  base: { skill_id: string; version_id: string } | null;
  content: { description: string; warnings: { code: string }[] } | null;
  files: { path: string; change: string; size: number | null; base_size: number | null }[];
  permissions: { added: { permission: string; value: string }[]; removed: { permission: string; value: string }[] };
  routing: { prompts: { prompt: string; rank: number | null }[] } | null;
  test_results: object | null;
  events: {
    id: string;
    type: string;
    user_id: string;
    comment: string | null;
    path: string | null;
    line: number | null;
  }[];
}

let crews = 0;

/** Creates a group with two Maintainers, a Developer and a Reporter. Returns its name and their keys. */
export async function crewWith(review: "off" | "optional" | "required" | null) {
  const group = `reviewed-${++crews}`;
  await accepted(call("POST", "/api/v1/groups", { json: { name: group } }));
  const member = async (name: string, role: string) => {
    const id = `${name}-${group}`;
    await accepted(call("PUT", `/api/v1/groups/${group}/members/${id}`, { json: { role } }));
    return keyFor(id);
  };
  const keys = {
    owner: await member("owner", "Owner"),
    mia: await member("mia", "Maintainer"),
    max: await member("max", "Maintainer"),
    dev: await member("dev", "Developer"),
    rob: await member("rob", "Reporter"),
  };
  await accepted(call("DELETE", `/api/v1/groups/${group}/members/admin`));
  await accepted(call("PUT", `/api/v1/groups/${group}`, { key: keys.owner, json: { display_name: null, review } }));
  return { group, ...keys, id: (name: string) => `${name}-${group}` };
}

async function accepted(answer: Promise<Response>): Promise<void> {
  const done = await answer;
  if (!done.ok) throw new Error(await done.text());
}

export async function pushDraft(key: string, skill: SkillFixture): Promise<void> {
  await accepted(call("PUT", `${SKILLS}/drafts/${skill.name}`, { key, body: form(skillZip(skill), {}) }));
}

export const submit = (key: string, draft: string, to: object) =>
  call("POST", REVIEWS, { key, json: { draft, ...to } });

/** Pushes a draft and submits it. */
export async function submitted(key: string, skill: SkillFixture, to: object): Promise<Review> {
  await pushDraft(key, skill);
  const answer = await submit(key, skill.name ?? "", to);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json<Review>();
}

export async function readReview(key: string, id: string): Promise<Review> {
  const answer = await call("GET", `${REVIEWS}/${id}`, { key });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json<Review>();
}

/** Decides a submission on what the reviewer reads now. */
export async function decide(key: string, id: string, decision: string, more: object = {}): Promise<Response> {
  const { zip_sha256, base } = await readReview(key, id);
  const compared = decision === "approve" ? { base_version_id: base?.version_id ?? null } : {};
  return call("POST", `${REVIEWS}/${id}/decision`, { key, json: { decision, zip_sha256, ...compared, ...more } });
}

/** Returns `<status> <code>` of an error, or the status. */
export async function outcome(answer: Promise<Response> | Response): Promise<string> {
  const done = await answer;
  if (done.ok) return String(done.status);
  return `${done.status} ${(await done.json<{ code: string }>()).code}`;
}

/** Returns the skill of a group by name, or `null`. */
export async function skillIn(key: string, group: string, name: string) {
  const answer = await call("GET", `${SKILLS}?namespace=${group}&name=${name}`, { key });
  const { items } = await answer.json<{
    items: { metadata: { labels: { id: string } }; status: { version_id: string } }[];
  }>();
  const [found] = items;
  return found === undefined ? null : { id: found.metadata.labels.id, versionId: found.status.version_id };
}
