// Reading what a version says about its code: its manifest's declarations and its files. The code itself is in `packages.ts`.

import { eq, sql } from "drizzle-orm";
import type { JsonObject } from "../../domain/json";
import type { Manifest, PackageFile, ToolDeclaration } from "../../domain/package/skill";
import type { Database } from "./database";
import { versions } from "./schema/registry";

/** The code of a version as declared. Immutable, like the version. */
export interface CodeDeclaration {
  versionId: string;
  skillId: string;
  /** Identity of the content. */
  digest: string;
  config: JsonObject;
  tools: ToolDeclaration[];
  provider: Manifest["provider"] | null;
  /** Entries of MCP servers, as they were written. */
  servers: JsonObject;
  files: PackageFile[];
}

/** What versions declare; one that is gone is absent. */
export async function readDeclarations(db: Database, versionIds: readonly string[]): Promise<CodeDeclaration[]> {
  const rows = await db
    .select({
      versionId: versions.id,
      skillId: versions.skillId,
      digest: versions.digest,
      manifest: versions.manifest,
      files: versions.files,
    })
    .from(versions)
    .where(
      versionIds.length === 1
        ? eq(versions.id, versionIds[0] ?? "")
        : sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(versionIds)}))`,
    );
  return rows.map(({ manifest: { config, tools, provider, mcpServers }, ...row }) => ({
    ...row,
    config,
    tools,
    provider: provider ?? null,
    servers: mcpServers,
  }));
}
