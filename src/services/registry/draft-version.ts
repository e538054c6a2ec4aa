// Builds the row of a new version: what a package declares, its tokens, and its warnings.

import { kindOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import type { Provenance } from "../../domain/access/provenance";
import type { SkillSource } from "../../domain/catalog/source";
import type { StoredCode } from "../../domain/code/compiled";
import { GatewayError, type Issue, withReasons } from "../../domain/errors";
import { utf8Bytes } from "../../domain/json";
import { ROW_LIMITS } from "../../domain/limits";
import type { SkillPackage } from "../../domain/package/skill";
import type { NewVersion } from "../../storage/d1/registry/version-batch";
import type { Context } from "../context";
import { assess } from "./publish-report";
import type { RoutingReport } from "./routing";

/** A namespace with the name in the package, or an existing skill to replace. */
export type PublishTarget =
  | {
      scope: string;
      namespace: string;
      userId: string;
      id?: undefined /** An existing skill keeps its name. */;
      isNew?: true;
    }
  | { scope: string; id: string; name: string };

/** The row of a new version without the skill it will belong to. */
export type DraftVersion = Omit<NewVersion, "skillId" | "attestation">;

/** A new version: its row, size, code, and routing report. */
interface Draft {
  version: DraftVersion;
  rowBytes: number;
  code: StoredCode | null;
  routing: RoutingReport | null;
}

/** Returns the version's row without the skill it will belong to, and its code if its scope can run code. */
export async function draftVersion(
  context: Context,
  found: SkillPackage,
  target: Pick<PublishTarget, "scope"> & { isShared?: boolean },
  facts: {
    uploadSha256: string;
    startedAt: number;
    label: string | null;
    source: SkillSource | null;
    provenance: Provenance | null;
    createdBy: string;
  },
): Promise<Draft> {
  const { manifest } = found;
  if (target.isShared === true || kindOfScope(target.scope) !== "user") refuseCredentials(found.warnings);
  const { tokens, routing, warnings, findings, code, scripts } = await assess(context, found, target.scope);
  if (target.scope === PUBLIC_SCOPE) refuseDangerous(context, findings);
  const version = {
    ...facts,
    id: context.newId("ver"),
    digest: found.digest,
    description: manifest.description,
    displayName: manifest.displayName ?? null,
    author: manifest.author ?? null,
    tags: manifest.tags,
    bindShells: manifest.bindShells ?? null,
    dependencies: [...manifest.dependencies, ...(manifest.otherDependencies ?? [])],
    hasCapabilities: manifest.tools.length > 0 || Object.keys(manifest.mcpServers).length > 0,
    tokensDescription: tokens.description,
    tokensLine: tokens.line,
    tokensInstructions: tokens.instructions,
    tokensFiles: tokens.files,
    zipSha256: found.zipSha256,
    zipSize: found.zip.length,
    warnings: atMost(ROW_LIMITS.warnings, warnings),
    scripts,
    manifest,
    frontmatter: found.frontmatter,
    files: found.files,
    instructions: found.instructions,
  };
  const rowBytes = utf8Bytes(JSON.stringify(version));
  if (rowBytes > ROW_LIMITS.versionBytes) throw tooLargeToStore();
  return { version, rowBytes, code, routing };
}

/** Limits the stored warnings: they are part of a row, and nobody reads thousands. */
function atMost(most: number, warnings: readonly Issue[]): Issue[] {
  if (warnings.length <= most) return [...warnings];
  const message = `${warnings.length - most} more warnings are not listed. Fix the listed ones first.`;
  return [...warnings.slice(0, most), { code: "WARNINGS_CUT", message }];
}

function tooLargeToStore(): GatewayError {
  const message = "Frontmatter, file list and instructions are too large (limit 1.5 MB together). Shorten them.";
  const issues = [{ code: "ROW_TOO_LARGE", message }];
  return new GatewayError("too_large", "PACKAGE_TOO_LARGE", withReasons("The package is too large.", issues), {
    issues,
  });
}

/** Rejects credentials in packages that others can read. */
export function refuseCredentials(warnings: readonly Issue[]): void {
  const issues = warnings.filter(({ code }) => code === "CREDENTIAL_LITERAL").map((issue) => ({ ...issue }));
  const [first] = issues;
  if (first === undefined) return;
  const message = `The skill would expose credentials to everybody who can see it. ${first.message}`;
  throw new GatewayError("unprocessable", "CREDENTIAL_LITERAL", message, { issues });
}

/** Rejects public packages with findings that the operator wants to review first. */
export function refuseDangerous(context: Context, findings: readonly Issue[]): void {
  const limit = context.settings.PUBLISH_BLOCK_SEVERITY;
  if (limit === "none") return;
  const stopped = findings.filter(({ severity }) => severity === "high" || (limit === "low" && severity === "low"));
  if (stopped.length === 0) return;
  const message = "The package has findings that block publishing it to everybody. Fix them first.";
  const issues = stopped.map((issue) => ({ ...issue }));
  throw new GatewayError("unprocessable", "PACKAGE_INVALID", withReasons(message, stopped), { issues });
}
