// Builds plugins from published skills, each with its version and archive.

import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { claudeManifest, type PluginFacts, pluginVersion } from "../../domain/plugins/marketplace";
import { findArchive } from "../../storage/d1/compat/archives";
import { readPluginRows } from "../../storage/d1/compat/plugins";
import type { PublishedSkillRow } from "../../storage/d1/compat/published-index";
import { versionPlugins } from "../../storage/d1/schema/compat";
import { openArchive } from "../../storage/r2/packages";
import { type ArchiveForm, withArchives } from "./archives";
import { notInIndex, readOffered, type Viewer } from "./published-index";

/** A published skill as a plugin. */
export interface PluginSkill extends PluginFacts, Pick<PublishedSkillRow, "id" | "versionId" | "servers"> {
  zipSize: number;
  /** Digest of the archive; `null` until a client requests it. */
  sha256: string | null;
}

/** Builds the archive of one plugin. Loaded lazily, because few requests build one. */
const FORM: ArchiveForm<PluginSkill> = {
  kind: "plugin",
  table: versionPlugins,
  async build(plugin, canonical, files) {
    const { archiveOf, deflatedFiles, deflatedItem } = await import("../../domain/package/flat");
    const { agentManifest } = await import("../../domain/plugins/agent-plugin");
    const written = (path: string, value: object) =>
      deflatedItem(path, new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`));
    return archiveOf([
      await written(".claude-plugin/plugin.json", claudeManifest(plugin)),
      // Also for clients of Agent Plugins: one archive serves both.
      await written("plugin.json", agentManifest(plugin)),
      ...(await deflatedFiles(canonical, files, `skills/${plugin.name}/`)),
    ]);
  },
};

/** Returns the visible skills as plugins, by name, each with its archive. */
export async function readPlugins(viewer: Viewer): Promise<(PluginSkill & { sha256: string })[]> {
  return withArchives(viewer, FORM, await pluginSkills(viewer));
}

/** Like `readPlugins`, without archives. */
export async function pluginSkills(viewer: Viewer): Promise<PluginSkill[]> {
  const rows = await readOffered(viewer, { limit: COMPAT_LIMITS.indexedSkills });
  const known = await readPluginRows(
    viewer.db,
    rows.map(({ versionId }) => versionId),
  );
  return rows.flatMap(({ id, name, description, versionId, servers }) => {
    const row = known.get(versionId);
    // Deleted meanwhile.
    if (row === undefined) return [];
    const { label, number, author, zipSize, sha256 } = row;
    const version = pluginVersion(label, number);
    return [{ id, name, description, versionId, servers, version, author, zipSize, sha256 }];
  });
}

/** Opens the archive of a visible plugin by its digest. The digest alone grants no access. */
export async function openPlugin(viewer: Viewer, name: string, sha256: string): Promise<R2ObjectBody> {
  const [shown] = await readOffered(viewer, { name, limit: viewer.scopes.length });
  if (shown === undefined) throw notInIndex();
  const archives = await findArchive(viewer.db, viewer, name, sha256, versionPlugins);
  const found = archives.find(({ scope }) => scope === shown.scope);
  const stored =
    found === undefined ? null : await openArchive(viewer.packages, viewer.timings, found.versionId, "plugin");
  if (stored === null) throw notInIndex();
  return stored;
}
