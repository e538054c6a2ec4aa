// Writes skills, versions and ghosts directly into D1 and R2, for tests that use skills but do not publish them.

import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { namespaceOfScope, PUBLIC_SCOPE, PUBLIC_USER, userScope } from "../../src/domain/access/access";
import type { GhostSpec } from "../../src/domain/catalog/ghost";
import { sha256Hex } from "../../src/domain/digest";
import { makeId } from "../../src/domain/id";
import type { JsonObject } from "../../src/domain/json";
import type { PackageFile } from "../../src/domain/package/skill";
import { catalogLine } from "../../src/domain/tokens";
import { countTokens } from "../../src/storage/assets/tokenizer";
import { openDatabase } from "../../src/storage/d1/database";
import { raiseCounters } from "../../src/storage/d1/keys";
import { ghostSkills, ghosts, skills, versions } from "../../src/storage/d1/schema/registry";
import { indexSkill, unindexSkill } from "../../src/storage/d1/search";
import { packageKey } from "../../src/storage/r2/packages";
import { forgetting } from "./isolate";

export interface VersionSeed {
  /** The instructions. */
  body?: string;
  description?: string;
  /** Version label. Default: none. */
  version?: string | null;
  dependencies?: string[];
  /** Default: every shell. */
  bindShells?: string[] | null;
  tags?: string[];
  /** Example prompts. */
  examples?: string[];
  /** Whether it has tools or servers. */
  capabilities?: boolean;
  /** MCP server entries, written to the manifest, the frontmatter and SKILL.md. */
  mcpServers?: JsonObject;
  /** Tokens of the instructions. Default: counted. */
  tokens?: number;
  /** Files next to SKILL.md, by path. */
  files?: Record<string, string | Uint8Array>;
}

export interface SkillSeed extends VersionSeed {
  name: string;
  /** `public`, `user:<id>` or `group:<name>`. */
  scope?: string;
}

export interface SeededSkill {
  id: string;
  name: string;
  scope: string;
  versionId: string;
}

const db = () => openDatabase(env.DB.withSession("first-primary"), { storage: 0 }, forgetting);
const newId = (prefix: string) => makeId(prefix, Date.now(), crypto.getRandomValues(new Uint8Array(10)));

/** Creates a skill with its first version. */
export async function seedSkill(seed: SkillSeed): Promise<SeededSkill> {
  const scope = seed.scope ?? PUBLIC_SCOPE;
  const skill = { id: newId("skl"), name: seed.name, scope, versionId: newId("ver") };
  const version = await versionRow(skill, skill.versionId, seed);
  const open = db();
  await open.batch([
    open.insert(skills).values({
      ...skill,
      tokens: version.tokensInstructions,
      bindShells: version.bindShells,
      folded: seed.name.normalize("NFC").toLowerCase(),
      namespace: namespaceOfScope(scope),
      userId: scope === PUBLIC_SCOPE ? PUBLIC_USER : scope.slice(scope.indexOf(":") + 1),
    }),
    open.insert(versions).values(version),
    ...indexSkill(open, skill.id, searchText({ ...skill, name: seed.name }, seed)),
    raiseCounters(open, [scope]),
  ]);
  return skill;
}

/** Adds a version and makes it the current one. */
export async function seedVersion(skill: SeededSkill, seed: VersionSeed): Promise<SeededSkill> {
  const next = { ...skill, versionId: newId("ver") };
  const version = await versionRow(skill, next.versionId, seed);
  const open = db();
  await open.batch([
    open.insert(versions).values(version),
    open
      .update(skills)
      .set({ versionId: next.versionId, tokens: version.tokensInstructions, bindShells: version.bindShells })
      .where(eq(skills.id, skill.id)),
    ...indexSkill(open, skill.id, searchText(skill, seed)),
    raiseCounters(open, [skill.scope]),
  ]);
  return next;
}

/** Moves a skill to another scope, for example to make it private. */
export async function moveSkill(skill: SeededSkill, scope: string): Promise<SeededSkill> {
  const open = db();
  await open.batch([
    open.update(skills).set({ scope }).where(eq(skills.id, skill.id)),
    raiseCounters(open, [skill.scope, scope]),
  ]);
  return { ...skill, scope };
}

export async function deleteSkill(skill: SeededSkill): Promise<void> {
  const open = db();
  await open.batch([
    unindexSkill(open, skill.id),
    open.delete(skills).where(eq(skills.id, skill.id)),
    raiseCounters(open, [skill.scope]),
  ]);
}

/** Deletes all skills. */
export async function clearRegistry(): Promise<void> {
  const open = db();
  const scopes = await open.selectDistinct({ scope: skills.scope }).from(skills);
  await env.DB.batch([env.DB.prepare("DELETE FROM skill_search"), env.DB.prepare("DELETE FROM skills")]);
  await raiseCounters(open, [PUBLIC_SCOPE, ...scopes.map((row) => row.scope)]);
}

/** Creates a ghost of a user or replaces its spec. `resolved`: the skills that its names referred to when it was saved. */
export async function seedGhost(
  userId: string,
  name: string,
  spec: Partial<GhostSpec>,
  resolved: readonly SeededSkill[] = [],
): Promise<string> {
  const id = newId("gho");
  const open = db();
  await open.batch([
    open.delete(ghosts).where(sql`${ghosts.userId} = ${userId} AND ${ghosts.name} = ${name}`),
    open.insert(ghosts).values({
      id,
      userId,
      namespace: "default",
      name,
      folded: name.toLowerCase(),
      spec: { systemPrompt: "", ...spec },
    }),
    ...resolved.map((skill, position) =>
      open.insert(ghostSkills).values({ ghostId: id, position, name: skill.name, range: "*", skillId: skill.id }),
    ),
    raiseCounters(open, [userScope(userId)]),
  ]);
  return id;
}

function searchText({ scope, name }: { scope: string; name: string }, seed: VersionSeed) {
  return {
    ...{ scope, name, displayName: null, whenToUse: null },
    description: seed.description ?? `The skill ${name}.`,
    tags: seed.tags ?? [],
    examples: seed.examples ?? [],
    instructions: seed.body ?? `Follow ${name}.`,
  };
}

async function versionRow(
  skill: { id: string; name: string },
  id: string,
  seed: VersionSeed,
): Promise<typeof versions.$inferInsert> {
  const description = seed.description ?? `The skill ${skill.name}.`;
  const instructions = seed.body ?? `Follow ${skill.name}.`;
  const servers = seed.mcpServers === undefined ? "" : `\nmcpServers: ${JSON.stringify(seed.mcpServers)}`;
  const files = await storeFiles(id, {
    "SKILL.md": `---\ndescription: ${JSON.stringify(description)}${servers}\n---\n\n${instructions}\n`,
    ...seed.files,
  });
  const [line = 0, counted = 0] = await countTokens(env.ASSETS, [catalogLine(skill.name, description), instructions]);
  return {
    id,
    skillId: skill.id,
    label: seed.version ?? null,
    digest: id,
    description,
    displayName: null,
    author: null,
    tags: seed.tags ?? [],
    bindShells: seed.bindShells ?? null,
    dependencies: seed.dependencies ?? [],
    hasCapabilities: seed.capabilities ?? false,
    tokensDescription: line,
    tokensLine: line,
    tokensInstructions: seed.tokens ?? counted,
    tokensFiles: 0,
    zipSha256: "",
    zipSize: 0,
    uploadSha256: "",
    warnings: [],
    createdBy: "test",
    startedAt: Date.now(),
    manifest: {
      description,
      tags: seed.tags ?? [],
      config: {},
      tools: [],
      mcpServers: seed.mcpServers ?? {},
      dependencies: seed.dependencies ?? [],
      preload: false,
      metadata: {},
      allowedTools: [],
      ...(seed.examples === undefined ? {} : { examples: seed.examples }),
    },
    frontmatter: seed.mcpServers === undefined ? {} : { name: skill.name, description, mcpServers: seed.mcpServers },
    files,
    instructions,
  };
}

/** Readers use only offset and size, so the bytes need no ZIP structure. */
async function storeFiles(versionId: string, contents: Record<string, string | Uint8Array>): Promise<PackageFile[]> {
  const encoder = new TextEncoder();
  const parts = Object.entries(contents)
    .map(([path, content]) => ({ path, bytes: typeof content === "string" ? encoder.encode(content) : content }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const whole = new Uint8Array(await new Blob(parts.map((part) => part.bytes)).arrayBuffer());
  await env.PACKAGES.put(packageKey(versionId), whole);
  let offset = 0;
  const files: PackageFile[] = [];
  for (const { path, bytes } of parts) {
    files.push({ path, size: bytes.length, sha256: await sha256Hex(bytes), mode: 0o644, offset });
    offset += bytes.length;
  }
  return files;
}
