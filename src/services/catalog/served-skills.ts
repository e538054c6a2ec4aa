// Serves skills for the MCP extension `io.modelcontextprotocol/skills` (SEP-2640): entries with digests, files as resources.

import * as z from "zod";
import { kindOfScope } from "../../domain/access/access";
import {
  ATTESTATION_KEY,
  conforms,
  parseSkillUri,
  type ServedFile,
  type ServedSkill,
  skillUri,
} from "../../domain/catalog/served-skill";
import type { View } from "../../domain/catalog/view";
import { decodeCursor, encodeCursor } from "../../domain/cursor";
import { isJsonObject, type JsonObject } from "../../domain/json";
import { SERVED_LIMITS } from "../../domain/limits";
import { mediaTypeOf } from "../../domain/media-type";
import { literalCredentials, withoutCredentials } from "../../domain/package/credentials";
import { readServedVersions, type ServedVersion } from "../../storage/d1/versions";
import { readPackageRange } from "../../storage/r2/packages";
import type { Context } from "../context";
import { findInView } from "./catalog";
import { readVersionFacts } from "./contents";
import { catalogPage } from "./page";
import { restrictedFilesError, restrictionReason } from "./restricted-files";

/**
 * Returns a page of skills that conform to the extension, by name. Other skills, and those that only users can select, are served by URI
 * only.
 */
export async function pageOfSkills(
  context: Context,
  view: View,
  cursor: string | undefined,
): Promise<{ skills: ServedSkill[]; nextCursor: string | null }> {
  const after = decodeCursor(cursor, z.string());
  const { entries: all, next } = await catalogPage(context, view, after, SERVED_LIMITS.page);
  const entries = all.filter((entry) => !entry.user_only);
  const ids = entries.map((entry) => entry.version_id);
  const versions = await readVersionFacts(context, ids, readServedVersions);
  const skills = entries.flatMap((entry) => {
    const version = versions.get(entry.version_id);
    if (version === undefined) return [];
    const served = servedFrom(context, entry.name, entry.scope, entry.version_id, version);
    return conforms(entry.name, served, version.warnings) ? [served] : [];
  });
  return { skills, nextCursor: next === null ? null : encodeCursor(next) };
}

/** Returns the skill with this SKILL.md URI, listed or not; `null` if the view has none. */
export async function skillAt(context: Context, view: View, uri: string): Promise<ServedSkill | null> {
  const found = await versionAt(context, view, uri);
  if (found === null) return null;
  const served = servedFrom(context, found.name, found.scope, found.versionId, found.version);
  return served.uri === skillUri(found.name, found.path) ? served : null;
}

/** Returns a file's bytes; `null` if the view has no such file. */
export async function fileAt(
  context: Context,
  view: View,
  uri: string,
): Promise<{ bytes: Uint8Array; mediaType: string } | null> {
  const found = await versionAt(context, view, uri);
  const file = found?.version.files.find((candidate) => candidate.path === found.path);
  if (found === null || file === undefined) return null;
  const restriction = restrictionReason(context, found.scope, serversIn(found.version.frontmatter));
  if (restriction !== null) throw restrictedFilesError(restriction);
  const { packages, timings } = context;
  const bytes = await readPackageRange(packages, timings, found.versionId, file.offset, file.size);
  return bytes === null ? null : { bytes, mediaType: mediaTypeOf(file.path) };
}

/** Returns the children of a folder, folders first, by name; `null` if the view has no such folder. */
export async function folderAt(context: Context, view: View, uri: string): Promise<ServedFile[] | null> {
  const found = await versionAt(context, view, uri.replace(/\/+$/, ""));
  if (found === null) return null;
  const prefix = found.path === "" ? "" : `${found.path}/`;
  const children = new Map<string, ServedFile>();
  for (const file of found.version.files) {
    if (!file.path.startsWith(prefix)) continue;
    const [name = "", ...rest] = file.path.slice(prefix.length).split("/");
    const child = skillUri(found.name, prefix + name);
    if (rest.length > 0) children.set(name, { uri: child, name, mediaType: null, size: null });
    else children.set(name, { uri: child, name, mediaType: mediaTypeOf(name), size: file.size });
  }
  if (children.size === 0) return null;
  return [...children.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function versionAt(
  context: Context,
  view: View,
  uri: string,
): Promise<{ name: string; path: string; scope: string; versionId: string; version: ServedVersion } | null> {
  const place = parseSkillUri(uri);
  const entry = place === null ? null : await findInView(context, view, place.name);
  if (place === null || entry === null) return null;
  const version = (await readVersionFacts(context, [entry.version_id], readServedVersions)).get(entry.version_id);
  return version === undefined ? null : { ...place, scope: entry.scope, versionId: entry.version_id, version };
}

function servedFrom(
  { settings, origin }: Context,
  name: string,
  scope: string,
  versionId: string,
  { skillId, zipSha256, frontmatter, files }: ServedVersion,
): ServedSkill {
  const main = files.find((file) => file.path.toLowerCase() === "skill.md")?.path ?? "SKILL.md";
  return {
    uri: skillUri(name, main),
    frontmatter: kindOfScope(scope) === "user" ? frontmatter : withoutCredentialsIn(frontmatter),
    resources: files.map((file) => ({
      uri: skillUri(name, file.path),
      digest: `sha256:${file.sha256}`,
      size: file.size,
    })),
    ...(settings.SECRETS_KEY === undefined || origin === undefined || scope.startsWith("draft:")
      ? {}
      : {
          _meta: {
            [ATTESTATION_KEY]: {
              url: `${origin}/api/v1/kinds/skills/${skillId}/versions/${versionId}/attestation`,
              digest: `sha256:${zipSha256}`,
            },
          },
        }),
  };
}

/** Returns the frontmatter without credentials in its servers. */
function withoutCredentialsIn(frontmatter: JsonObject): JsonObject {
  const servers = serversIn(frontmatter);
  return literalCredentials(servers).length === 0
    ? frontmatter
    : { ...frontmatter, mcpServers: withoutCredentials(servers) };
}

function serversIn({ mcpServers }: JsonObject): JsonObject {
  return isJsonObject(mcpServers) ? mcpServers : {};
}
