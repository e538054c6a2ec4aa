// The skills on a shelf as plugins: each with its version and its archive.

import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { claudeManifest, type PluginFacts, pluginVersion } from "../../domain/plugins/marketplace";
import { findArchive } from "../../storage/d1/compat/archives";
import { readPluginRows } from "../../storage/d1/compat/plugins";
import type { PublishedSkillRow } from "../../storage/d1/compat/published-index";
import { versionPlugins } from "../../storage/d1/schema/compat";
import { openArchive } from "../../storage/r2/packages";
import { type ArchiveForm, withArchives } from "./archives";
import { notInIndex, readOffered, type Viewer } from "./published-index";

/** A skill on a shelf as a plugin. */
export interface PluginSkill extends PluginFacts, Pick<PublishedSkillRow, "id" | "versionId" | "servers"> {
  zipSize: number;
  /** Of its archive; `null` where nobody asked for it yet. */
  sha256: string | null;
}

/** What makes the archive of one plugin. Loaded with the first: few requests make any. */
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
      // The same for clients of Agent Plugins: one archive is both.
      await written("plugin.json", agentManifest(plugin)),
      ...(await deflatedFiles(canonical, files, `skills/${plugin.name}/`)),
    ]);
  },
};

/** The skills that a viewer sees as plugins, by name, each with its archive. */
export async function readPlugins(viewer: Viewer): Promise<(PluginSkill & { sha256: string })[]> {
  return withArchives(viewer, FORM, await pluginSkills(viewer));
}

/** The same without archives. */
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

/** The archive of a plugin that the viewer sees, by its digest. The digest alone opens nothing. */
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
