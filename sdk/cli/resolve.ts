// Resolves the gateway, skill and version named on the command line.

import { option, type Values } from "./command";
import type { Work } from "./context";
import { Gateway } from "./gateway";
import { EXIT, Problem } from "./problem";
import { type SkillResource, skillSchema, skillsSchema, type VersionItem, versionsSchema } from "./resources";
import { signIn } from "./sign-in";

export const SKILLS = "/api/v1/kinds/skills";

/** Returns the gateway for this command. */
export async function gatewayOf(work: Work, values: Values): Promise<Gateway> {
  const typed = { url: option(values, "url"), key: option(values, "key"), port: option(values, "port") };
  return new Gateway(work, await signIn(work, typed));
}

/** Returns the skill with this name or id. The user's own skill comes before a group's, and a group's before a public one. */
export async function findNamed(gateway: Gateway, name: string): Promise<SkillResource> {
  if (/^skl_[0-9A-Z]{26}$/.test(name)) return gateway.read(skillSchema, `${SKILLS}/${name}`);
  const { items } = await gateway.read(skillsSchema, SKILLS, { query: { name } });
  const [found] = items;
  if (found === undefined)
    throw new Problem(EXIT.absent, `Skill '${name}' not found. Check its name and who can see it.`);
  return found;
}

/** Returns all versions of a skill, newest first. */
export async function readVersionsOf(gateway: Gateway, id: string): Promise<VersionItem[]> {
  const all: VersionItem[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: { items: VersionItem[]; next_cursor: string | null } = await gateway.read(
      versionsSchema,
      `${SKILLS}/${id}/versions`,
      {
        query: { cursor },
      },
    );
    all.push(...page.items);
    cursor = page.next_cursor;
  }
  return all;
}

/** Returns a version of a skill by its label or id. */
export async function findVersionOf(gateway: Gateway, id: string, version: string): Promise<VersionItem> {
  const all = await readVersionsOf(gateway, id);
  const found = all.find((each) => each.version_id === version) ?? all.find((each) => each.version === version);
  if (found === undefined) throw new Problem(EXIT.absent, `Version '${version}' not found. Check its label or id.`);
  return found;
}
