// Publishes and yanks the skills of folders through the gateway's HTTP API.

import { readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { packageForm } from "../../../sdk/cli/commands/check";
import { packFolder, readSkill } from "../../../sdk/cli/folder";
import { type Gateway, Refused } from "../../../sdk/cli/gateway";
import { type SkillResource, skillSchema, type VersionItem, versionsSchema } from "../../../sdk/cli/resources";
import { foldName } from "../../../src/domain/package/path";
import { type ListedSkill, nextLocalLabel, type PublishedSkill, withLabel, withoutLocalSuffix } from "./plan";
import type { ScannedFolder } from "./scan";

const SKILLS = "/api/v1/kinds/skills";
const PAGE = "100";

const listSchema = z.array(
  z.looseObject({ id: z.string(), name: z.string(), version: z.string().nullable(), updated_at: z.string() }),
);

/** Something about one folder that its author can change. */
export class FolderProblem extends Error {
  override name = "FolderProblem";
}

export interface Packed {
  zip: Uint8Array;
  read: { name: string; label: string | null; digest: string; zipSha256: string };
}

/** Packs a folder and reads it as the gateway would. `label` replaces its version label. */
export async function packAndRead(from: ScannedFolder, label?: string): Promise<Packed> {
  const instead = new Map<string, string>();
  if (label !== undefined) {
    const text = withLabel(await readFile(path.join(from.folder, from.skillFile), "utf8"), label);
    if (text === null)
      throw new FolderProblem("its content has changed, and its version cannot be replaced. Raise it in SKILL.md");
    instead.set(from.skillFile, text);
  }
  const zip = await packFolder(from.folder, instead, from.files);
  const { package: found, issues } = await readSkill(zip, `${path.basename(from.folder)}.zip`);
  if (found === null) {
    const [first] = issues;
    throw new FolderProblem(first?.message ?? "it is not a valid skill");
  }
  const { name, digest, zipSha256 } = found;
  return { zip, read: { name, label: found.manifest.version ?? null, digest, zipSha256 } };
}

/** Returns every public skill by its folded name. */
export async function listPublic(gateway: Gateway): Promise<Map<string, ListedSkill>> {
  const found = new Map<string, ListedSkill>();
  for (let cursor: string | undefined; ; ) {
    const response = await gateway.send(`${SKILLS}/public/list`, { query: { limit: PAGE, cursor } });
    for (const { id, name, version, updated_at } of listSchema.parse(await response.json()))
      found.set(foldName(name), { id, name, label: version, updatedAt: updated_at });
    const next = /[?&]cursor=([^&>]+)/.exec(response.headers.get("link") ?? "")?.[1];
    if (next === undefined) return found;
    cursor = decodeURIComponent(next);
  }
}

export interface Outcome {
  skillId: string;
  versionId: string;
  label: string | null;
  updatedAt: string;
  /** Findings of high severity, for example a private key. */
  dangers: string[];
}

/** Publishes a folder and makes that version current. If the label belongs to other content, it gains a local suffix. */
export async function publishFolder(
  gateway: Gateway,
  from: ScannedFolder,
  { zip, read }: Packed,
  known: PublishedSkill | undefined,
): Promise<Outcome> {
  try {
    return await upload(gateway, from, zip);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const versionId = typeof error.body.version_id === "string" ? error.body.version_id : "";
    if (error.body.code === "VERSION_YANKED" && known?.isYanked === true && known.versions.includes(versionId))
      return restore(gateway, known.skillId, versionId);
    if (error.body.code !== "VERSION_EXISTS" || read.label === null) throw error;
    const skillId = known?.skillId ?? (await listPublic(gateway)).get(foldName(read.name))?.id;
    if (skillId === undefined) throw error;
    const labels = (await versionsOf(gateway, skillId)).map(({ version }) => version);
    const renamed = await packAndRead(from, nextLocalLabel(read.label, labels));
    return upload(gateway, from, renamed.zip);
  }
}

async function upload(gateway: Gateway, from: ScannedFolder, zip: Uint8Array): Promise<Outcome> {
  const form = packageForm(zip, path.basename(from.folder));
  const { status, body } = await gateway.readWithStatus(skillSchema, `${SKILLS}/public`, { method: "POST", form });
  // Content of an earlier version is not published again, so that version becomes current.
  return status === 201 ? outcomeOf(body) : activate(gateway, body.metadata.labels.id, body.status.version_id);
}

async function restore(gateway: Gateway, skillId: string, versionId: string): Promise<Outcome> {
  await gateway.read(skillSchema, versionPath(skillId, versionId, "unyank"), { method: "POST" });
  return activate(gateway, skillId, versionId);
}

async function activate(gateway: Gateway, skillId: string, versionId: string): Promise<Outcome> {
  return outcomeOf(await gateway.read(skillSchema, versionPath(skillId, versionId, "activate"), { method: "POST" }));
}

/** Yanks the versions of a skill that were published from folders. Other versions stay. */
export async function yankVersions(gateway: Gateway, { skillId, versions }: PublishedSkill): Promise<void> {
  for (const { version_id, yanked_at } of await versionsOf(gateway, skillId)) {
    if (yanked_at === null && versions.includes(version_id))
      await gateway.read(skillSchema, versionPath(skillId, version_id, "yank"), { method: "POST" });
  }
}

/** Adopts a skill from another source if its current content equals that of the folder. Otherwise returns `null`. */
export async function adoptEqual(
  gateway: Gateway,
  from: ScannedFolder,
  { read }: Packed,
  listed: ListedSkill,
): Promise<Outcome | null> {
  const skill = await gateway.read(skillSchema, `${SKILLS}/${listed.id}`);
  const { version } = skill.spec;
  const isLocal = version !== undefined && version !== read.label && withoutLocalSuffix(version) === read.label;
  const content = isLocal ? (await packAndRead(from, version)).read : read;
  return skill.status.fileHash === content.zipSha256 ? outcomeOf(skill) : null;
}

/** Whether a version is there, yanked or not. */
export async function hasVersion(gateway: Gateway, skillId: string, versionId: string): Promise<boolean> {
  return (await versionsOf(gateway, skillId)).some(({ version_id }) => version_id === versionId);
}

async function versionsOf(gateway: Gateway, skillId: string): Promise<VersionItem[]> {
  const found: VersionItem[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await gateway.read(versionsSchema, `${SKILLS}/${skillId}/versions`, {
      query: { limit: PAGE, cursor },
    });
    found.push(...page.items);
    if (page.next_cursor === null) return found;
    cursor = page.next_cursor;
  }
}

const versionPath = (skillId: string, versionId: string, change: string) =>
  `${SKILLS}/${skillId}/versions/${versionId}/${change}`;

function outcomeOf({ metadata, spec, status }: SkillResource): Outcome {
  return {
    skillId: metadata.labels.id,
    versionId: status.version_id,
    label: spec.version ?? null,
    updatedAt: status.updated_at ?? "",
    dangers: status.warnings.filter(({ severity }) => severity === "high").map(dangerOf),
  };
}

function dangerOf({ message, path: file, line }: SkillResource["status"]["warnings"][number]): string {
  const place = [file, line].filter((part) => part !== undefined).join(":");
  return place === "" ? message : `${place}: ${message}`;
}
