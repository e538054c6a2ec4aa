// Converts the archive of a plugin to its manifest, its servers, and one upload for each skill.

import type { Issue } from "../errors";
import type { JsonObject } from "../json";
import { type ArchiveEntry, readArchive } from "../package/archive";
import { writeZip } from "../package/canonical";
import { SKILL_FILE } from "../package/skill";
import { exactText } from "../text";
import { type ReadManifest, readAgentManifest, readAgentServers } from "./agent-plugin";

export interface ReadPlugin extends ReadManifest {
  /** In order of their folders. */
  skills: { name: string; zip: Uint8Array }[];
  servers: JsonObject;
}

/** Reads a plugin. Its root is the archive's root or the only folder in it. Returns all problems at once. */
export function readPluginArchive(upload: Uint8Array, mostSkills: number): ReadPlugin {
  const archive = readArchive(upload);
  const nothing = { manifest: null, skills: [], servers: {}, warnings: archive.warnings };
  if (archive.issues.length > 0) return { ...nothing, issues: archive.issues };
  const root = rootOf(archive.entries);
  const inside = archive.entries
    .filter(({ path }) => path.startsWith(root))
    .map((entry) => ({ ...entry, path: entry.path.slice(root.length) }));
  const text = textOf(inside, "plugin.json");
  if (text === null) {
    const message = "`plugin.json` not found. Add it in UTF-8 at the root of the archive or in its only folder.";
    return { ...nothing, issues: [{ code: "PLUGIN_MISSING", message }] };
  }
  const read = readAgentManifest(text);
  const mcp = inside.some(({ path }) => path === "mcp.json") ? (textOf(inside, "mcp.json") ?? "") : null;
  const { servers, warnings } = mcp === null ? { servers: {}, warnings: [] } : readAgentServers(mcp);
  const folders = [...new Set(inside.flatMap(({ path }) => skillFolder(path) ?? []))].toSorted();
  const issues = [...read.issues, ...countIssues(folders.length, mostSkills)];
  const skills = issues.length > 0 ? [] : folders.map((name) => ({ name, zip: zipOfFolder(inside, name) }));
  return { ...read, issues, skills, servers, warnings: [...archive.warnings, ...read.warnings, ...warnings] };
}

function countIssues(count: number, most: number): Issue[] {
  if (count === 0)
    return [{ code: "NO_SKILLS", message: `The plugin contains no skills. Add \`skills/<name>/${SKILL_FILE}\`.` }];
  if (count <= most) return [];
  return [
    {
      code: "TOO_MANY_SKILLS",
      message: `Too many skills in the plugin (limit ${most}, found ${count}). Split the plugin.`,
    },
  ];
}

/** Returns the prefix before the plugin's own paths. */
function rootOf(entries: readonly ArchiveEntry[]): string {
  if (entries.some(({ path }) => path === "plugin.json")) return "";
  const tops = new Set(entries.map(({ path }) => path.slice(0, path.indexOf("/") + 1)));
  const [only] = tops;
  return tops.size === 1 && only !== undefined ? only : "";
}

function textOf(entries: readonly ArchiveEntry[], wanted: string): string | null {
  const found = entries.find(({ path }) => path === wanted);
  return found === undefined ? null : exactText(found.bytes);
}

/** Returns the skill folder of a path: it contains a file with exactly this name, directly below `skills/`. */
function skillFolder(path: string): string | null {
  const [top, folder, file, ...more] = path.split("/");
  return top === "skills" && folder !== undefined && file === SKILL_FILE && more.length === 0 ? folder : null;
}

function zipOfFolder(entries: readonly ArchiveEntry[], folder: string): Uint8Array {
  const prefix = `skills/${folder}/`;
  const items = entries
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path, bytes, crc, mode }) => {
      const name = path.slice("skills/".length);
      return { path: name, name, stored: bytes, size: bytes.length, crc, mode, method: 0 } as const;
    });
  return writeZip(items).zip;
}
