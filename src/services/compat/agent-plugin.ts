// Builds one Agent Plugin from published skills, and publishes the skills of a plugin.

import { namespaceOfScope } from "../../domain/access/access";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, type Issue, invalid } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { agentManifest, MCP_SCHEMA, portableServer } from "../../domain/plugins/agent-plugin";
import { type ReadPlugin, readPluginArchive } from "../../domain/plugins/archive";
import { readVersionPackage } from "../../storage/d1/versions";
import { readWholePackage } from "../../storage/r2/packages";
import { publish } from "../registry/publish";
import { publishScope } from "../registry/skills";
import { type PluginSkill, pluginSkills } from "./plugins";
import type { Viewer } from "./published-index";
import type { VendorScope } from "./vendor-skills";

/** The skills of a plugin, and those that cannot be included. */
export interface PluginReport {
  plugin: { name: string; version: string; description: string };
  skills: { name: string; version: string }[];
  servers: string[];
  left_out: { skill: string; server: string; reason: string }[];
}

/** Returns what a plugin of all or of the named published skills would contain. */
export async function planAgentPlugin(
  viewer: Viewer,
  facts: { name: string; description: string },
  wanted: readonly string[] | null,
): Promise<{ report: PluginReport; skills: PluginSkill[]; servers: JsonObject }> {
  const shown = await pluginSkills(viewer);
  const missing = (wanted ?? []).filter((name) => !shown.some((skill) => skill.name === name));
  if (missing.length > 0)
    throw invalid(
      missing.map((name) => ({ code: "SKILL_NOT_FOUND", message: "Skill not found. Check the name.", path: name })),
    );
  const skills = wanted === null ? shown : shown.filter(({ name }) => wanted.includes(name));
  const servers: Record<string, JsonObject> = {};
  const leftOut: PluginReport["left_out"] = [];
  for (const skill of skills)
    for (const [server, raw] of Object.entries(skill.servers)) {
      const found = portableServer(server, raw);
      const known = Object.hasOwn(servers, server) ? servers[server] : undefined;
      if ("reason" in found) leftOut.push({ skill: skill.name, server, reason: found.reason });
      else if (known === undefined) servers[server] = found.entry;
      else if (JSON.stringify(known) !== JSON.stringify(found.entry))
        leftOut.push({ skill: skill.name, server, reason: "another skill has a server with that name" });
    }
  const ids = skills.map(({ name, versionId }) => `${name} ${versionId}\n`).join("");
  const version = `0.0.0-g${(await sha256Hex(ids)).slice(0, 12)}`;
  const report = {
    plugin: { ...facts, version },
    skills: skills.map(({ name, version }) => ({ name, version })),
    servers: Object.keys(servers),
    left_out: leftOut,
  };
  return { report, skills, servers };
}

/** Builds the plugin. It is built for each request. */
export async function packAgentPlugin(
  viewer: Viewer,
  { report, skills, servers }: Awaited<ReturnType<typeof planAgentPlugin>>,
): Promise<Uint8Array> {
  const bytes = skills.reduce((sum, { zipSize }) => sum + zipSize, 0);
  if (bytes > COMPAT_LIMITS.pluginBytes || skills.length > COMPAT_LIMITS.pluginSkills) {
    const most = `${COMPAT_LIMITS.pluginSkills} skills and ${COMPAT_LIMITS.pluginBytes / 1_048_576} MiB`;
    const mib = Math.ceil(bytes / 1_048_576);
    const message = `Plugin too large (limit ${most}; found ${skills.length} with ${mib} MiB). Select skills with \`?skills=a,b\`.`;
    throw new GatewayError("too_large", "PLUGIN_TOO_LARGE", message);
  }
  const { archiveOf, deflatedFiles, deflatedItem } = await import("../../domain/package/flat");
  const written = (path: string, value: object) =>
    deflatedItem(path, new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`));
  const items = [await written("plugin.json", agentManifest({ ...report.plugin, author: null }))];
  if (report.servers.length > 0) items.push(await written("mcp.json", { $schema: MCP_SCHEMA, mcpServers: servers }));
  for (const { id, versionId, name } of skills) {
    const [found, zip] = await Promise.all([
      readVersionPackage(viewer.db, id, versionId),
      readWholePackage(viewer.packages, viewer.timings, versionId),
    ]);
    // Deleted meanwhile.
    if (found !== null && zip !== null) items.push(...(await deflatedFiles(zip, found.files, `skills/${name}/`)));
  }
  return (await archiveOf(items)).bytes;
}

/** Result for one skill of a plugin. */
export type PublishedPluginSkill = { name: string } & (
  | { status: "published" | "unchanged"; id: string; version_id: string; warnings: Issue[] }
  | { status: "refused"; code: string; message: string; issues: Issue[] }
);

/**
 * Publishes each skill of a plugin as an upload. A rejected skill does not stop the others. The plugin's remote servers are stored with
 * each skill.
 */
export async function publishAgentPlugin(
  { context, scope }: VendorScope,
  upload: Uint8Array,
): Promise<{
  plugin: NonNullable<ReadPlugin["manifest"]>;
  skills: PublishedPluginSkill[];
  servers: string[];
  warnings: Issue[];
}> {
  const { principal } = context.caller;
  const namespace = namespaceOfScope(scope);
  const target = { scope: publishScope(principal, namespace), namespace, userId: principal.userId };
  const { manifest, skills, servers, issues, warnings } = readPluginArchive(upload, COMPAT_LIMITS.pluginSkills);
  if (manifest === null || issues.length > 0)
    throw new GatewayError(
      "unprocessable",
      "PLUGIN_INVALID",
      "The archive is not a valid plugin. Fix the listed issues.",
      {
        issues: issues.map((issue) => ({ ...issue })),
      },
    );
  const taken: PublishedPluginSkill[] = [];
  for (const { name, zip } of skills) {
    try {
      const uploadOptions = { upload: zip, fileName: undefined, name: undefined, target, idempotencyKey: null };
      const { status, skill } = await publish(context, { ...uploadOptions, servers });
      const said = status === 201 ? "published" : "unchanged";
      const { id, versionId: version_id, warnings: found } = skill;
      taken.push({ name: skill.name, status: said, id, version_id, warnings: found });
    } catch (error) {
      // Errors of one skill are reported; failures of the gateway end the request.
      if (!(error instanceof GatewayError) || error.code === "unavailable" || error.code === "rate_limited")
        throw error;
      const { reason: code, message, details } = error;
      taken.push({ name, status: "refused", code, message, issues: issuesIn(details.issues) });
    }
  }
  return { plugin: manifest, skills: taken, servers: Object.keys(servers), warnings };
}

function issuesIn(value: unknown): Issue[] {
  const isIssue = (one: unknown): one is Issue => typeof one === "object" && one !== null && "code" in one;
  return Array.isArray(value) ? value.filter(isIssue) : [];
}
