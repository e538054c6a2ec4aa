// The row of a version to be: what a package says, what it costs, what is to be said about it.

import { PUBLIC_SCOPE } from "../domain/access";
import type { StoredCode } from "../domain/code";
import { GatewayError, type Issue } from "../domain/errors";
import type { SkillPackage } from "../domain/skill";
import type { NewVersion } from "../storage/publishing";
import { runsCode } from "./boundary";
import { compilePackage } from "./compile";
import type { Context } from "./context";
import { codeWarnings, countPackageTokens, dependencyWarnings, findingsIn } from "./inspect";
import type { PublishTarget } from "./publish-target";

/** The version's row, but for the skill it will belong to, and its code if it is one that runs any. */
export async function draftVersion(
  context: Context,
  found: SkillPackage,
  target: PublishTarget,
  facts: { uploadSha256: string; startedAt: number },
): Promise<{ version: Omit<NewVersion, "skillId">; code: StoredCode | null }> {
  const { manifest } = found;
  const findings = findingsIn(found);
  if (target.scope === PUBLIC_SCOPE) refuseDangerous(context, findings);
  const [tokens, unresolved, compiled] = await Promise.all([
    countPackageTokens(context, found),
    dependencyWarnings(context, manifest, target.scope),
    runsCode(target.scope) ? compilePackage(found) : { code: null, warnings: codeWarnings(found) },
  ]);
  const version = {
    ...facts,
    id: context.newId("ver"),
    label: manifest.version ?? null,
    digest: found.digest,
    description: manifest.description,
    displayName: manifest.displayName ?? null,
    author: manifest.author ?? null,
    tags: manifest.tags,
    bindShells: manifest.bindShells ?? null,
    dependencies: manifest.dependencies,
    hasCapabilities: manifest.tools.length > 0 || Object.keys(manifest.mcpServers).length > 0,
    tokensDescription: tokens.description,
    tokensLine: tokens.line,
    tokensInstructions: tokens.instructions,
    tokensFiles: tokens.files,
    zipSha256: found.zipSha256,
    zipSize: found.zip.length,
    warnings: [...found.warnings, ...unresolved, ...compiled.warnings, ...findings],
    createdBy: context.caller.principal.userId,
    manifest,
    frontmatter: found.frontmatter,
    files: found.files,
    instructions: found.instructions,
  };
  return { version, code: compiled.code };
}

/** Nothing goes public that the gateway's operator wants looked at first. */
function refuseDangerous(context: Context, findings: readonly Issue[]): void {
  const limit = context.settings.PUBLISH_BLOCK_SEVERITY;
  if (limit === "none") return;
  const stopped = findings.filter(({ severity }) => severity === "high" || (limit === "low" && severity === "low"));
  if (stopped.length === 0) return;
  const message = "The package has findings that this gateway does not publish to everybody. Mend them first.";
  const issues = stopped.map((issue) => ({ ...issue }));
  throw new GatewayError("unprocessable", "PACKAGE_INVALID", message, { issues });
}
