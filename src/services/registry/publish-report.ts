// Builds the report of a package: tokens, missing dependencies, findings in files and code. Validating and publishing use the same report.

import {
  codeScopeOf,
  groupScope,
  may,
  namespaceOfScope,
  PUBLIC_SCOPE,
  userScope,
  visibleScopes,
} from "../../domain/access/access";
import { BUILTIN_AUTHOR, BUILTIN_SKILLS } from "../../domain/catalog/builtin-skills";
import { canUseBareNames, type Dependency, readNeeds } from "../../domain/catalog/dependency-list";
import type { ScriptVerdict } from "../../domain/code/check/verdict";
import type { StoredCode } from "../../domain/code/compiled";
import { isScript } from "../../domain/code/language";
import type { Issue } from "../../domain/errors";
import { inspect } from "../../domain/inspection/inspection";
import { type Naming, type PackageOutcome, readPackage } from "../../domain/package/package";
import { SKILL_FILE, type SkillPackage, type SkillTokens } from "../../domain/package/skill";
import { shownText } from "../../domain/text";
import { catalogLine, estimateFileTokens } from "../../domain/tokens";
import { compileInIsolate } from "../../sandbox/compiling";
import { countTokens } from "../../storage/assets/tokenizer";
import { approvedNetworkByName } from "../../storage/d1/registry/skill-network";
import { findNamed } from "../../storage/d1/skills";
import { canRunCodeInScope } from "../catalog/can-run";
import type { Context } from "../context";
import { chooseSkill } from "./by-name";
import { type RoutingReport, reportRouting } from "./routing";

/** Returns the report for publishing an upload to the caller's namespace: its issues, or the assessment of a valid package. */
export async function assessUpload(
  context: Context,
  upload: Uint8Array,
  naming: Naming,
): Promise<PackageOutcome & Told> {
  const outcome = await readPackage(upload, naming);
  if (outcome.package === null) return { ...outcome, tokens: null, routing: null, scripts: null };
  const { principal } = context.caller;
  const scope = userScope(principal.userId);
  // Admins can also publish it as public.
  const compiles = canRunCodeInScope(context, scope) || may(principal, "publish", PUBLIC_SCOPE);
  const told = await assess(context, outcome.package, scope, compiles);
  const { tokens, routing, warnings, scripts } = told;
  return { ...outcome, warnings, tokens, routing, scripts };
}

/** Additional fields of validation; `null` for an invalid package. */
interface Told extends Pick<Assessment, "routing" | "scripts"> {
  tokens: SkillTokens | null;
}

/** The assessment of a package before it is published to a scope, and what is stored with it. */
export interface Assessment {
  tokens: SkillTokens;
  /** `null` if it has no example prompts. */
  routing: RoutingReport | null;
  /** Findings in files come first, so that they stay if the list is cut. */
  warnings: Issue[];
  /** Findings in files; also part of the warnings. */
  findings: Issue[];
  /** `null` if it has no code, or none that runs in this scope. */
  code: StoredCode | null;
  /** Whether its scripts run, and why; `null` if not analysed, for example because no code runs in this scope. */
  scripts: ScriptVerdict[] | null;
}

/**
 * Assesses a package for publishing to a scope, without storing anything.
 *
 * @param compiles whether to analyse its code; otherwise a warning says that the code will not run
 */
export async function assess(
  context: Context,
  found: SkillPackage,
  scope: string,
  compiles = canRunCodeInScope(context, scope),
): Promise<Assessment> {
  const findings = findingsIn(found);
  const [tokens, routing, unresolved, waiting, compiled] = await Promise.all([
    countPackageTokens(context, found),
    reportRouting(context, found, scope),
    dependencyWarnings(context, found, scope),
    networkWarnings(context, found, scope),
    compiles
      ? compileInIsolate(context, found, context.caller.principal.userId)
      : { code: null, warnings: codeWarnings(context, found, scope), scripts: null },
  ]);
  const placed = builtinWarnings(found, scope);
  const warnings = [...findings, ...placed, ...found.warnings, ...unresolved, ...waiting, ...compiled.warnings];
  return { tokens, routing, warnings, findings, code: compiled.code, scripts: compiled.scripts };
}

/** Warnings for a skill that replaces a built-in skill, or takes precedence over it for a user or group. */
function builtinWarnings({ name, manifest }: SkillPackage, scope: string): Issue[] {
  if (scope !== PUBLIC_SCOPE || !BUILTIN_SKILLS.includes(name) || manifest.author === BUILTIN_AUTHOR) return [];
  const message = `The skill replaces the built-in skill '${name}' for everybody. Use another name if you do not want that.`;
  return [{ code: "BUILTIN_REPLACED", message, path: SKILL_FILE }];
}

/** Returns findings in a package's files for a reviewer. */
export function findingsIn({ files, zip }: SkillPackage): Issue[] {
  return inspect(
    files.map(({ path, offset, size }) => ({
      path,
      size,
      get text() {
        return shownText(zip.subarray(offset, offset + size));
      },
    })),
  );
}

/** Warnings about code that will not run: the provider, and scripts in a supported language. */
function codeWarnings(
  { settings }: Pick<Context, "settings">,
  { manifest, files }: SkillPackage,
  scope: string,
): Issue[] {
  const script = files.find(({ path }) => path.startsWith("scripts/") && isScript(path));
  const hasProvider = manifest.provider?.module !== undefined;
  if (!hasProvider && script === undefined) return [];
  const what = hasProvider
    ? "the provider is stored, and the skill loads without its tools"
    : "the scripts are stored and can be read";
  const path = hasProvider ? SKILL_FILE : (script?.path ?? SKILL_FILE);
  return [
    {
      code: "CODE_NOT_RUN",
      message: `Its code does not run (\`CODE_SCOPES=${settings.CODE_SCOPES}\`): ${what}. An admin can publish the skill as public, or the operator can set \`CODE_SCOPES=${codeScopeOf(scope)}\`.`,
      path,
      severity: "info",
    },
  ];
}

/** A note about declared hosts that code of the skill cannot call yet. */
async function networkWarnings(context: Context, { name, manifest }: SkillPackage, scope: string): Promise<Issue[]> {
  if (manifest.network === undefined) return [];
  const approved = await approvedNetworkByName(context.db, scope, name);
  const waiting = manifest.network.filter((host) => !approved.includes(host));
  if (waiting.length === 0) return [];
  const message = `Code of this skill cannot call ${waiting.join(", ")} yet. Somebody who manages the skill approves the hosts: \`skillgate network ${name} --approve\`.`;
  return [{ code: "NETWORK_NOT_APPROVED", message, path: SKILL_FILE, severity: "info" }];
}

/** Counts a package's tokens: SKILL.md exactly, other files estimated by size. */
export async function countPackageTokens(context: Pick<Context, "assets">, found: SkillPackage): Promise<SkillTokens> {
  const { description } = found.manifest;
  const texts = [description, catalogLine(found.name, description), found.instructions];
  const [inDescription = 0, inLine = 0, inInstructions = 0] = await countTokens(context.assets, texts);
  const files = found.files.filter((file) => file.path.toLowerCase() !== SKILL_FILE.toLowerCase());
  return {
    description: inDescription,
    line: inLine,
    instructions: inInstructions,
    files: files.reduce((sum, file) => sum + estimateFileTokens(file.size), 0),
  };
}

/** Warnings about dependencies that are missing now. They can be published later. */
async function dependencyWarnings(
  context: Context,
  { name: own, manifest }: Pick<SkillPackage, "name" | "manifest">,
  scope: string,
): Promise<Issue[]> {
  const { dependencies, otherDependencies = [] } = manifest;
  const needs = readNeeds(own, [...dependencies, ...otherDependencies]);
  const wanted = needs.filter(({ kind }) => kind === "marked" || kind === "bare");
  const scopes = scopesBeside(context, scope);
  const names = wanted.map(({ name }) => name);
  const found = wanted.length === 0 ? [] : await findNamed(context.db, scopes, names, "all");
  const rows = Map.groupBy(found, (row) => row.name);
  const isMissing = ({ name, range }: Dependency) => chooseSkill(rows.get(name) ?? [], scopes, [range]) === null;
  const missing = new Set(wanted.filter(isMissing));
  const bareCount = canUseBareNames(needs) && ![...missing].some(({ kind }) => kind === "bare");
  return needs.flatMap((need) => {
    const message = dependencyWarning(need, missing.has(need), bareCount);
    return message === null ? [] : [{ ...message, path: SKILL_FILE }];
  });
}

function dependencyWarning({ name, range, kind }: Dependency, isMissing: boolean, bareCount: boolean): Issue | null {
  const what = range === "*" ? `'${name}'` : `'${name}' (${range})`;
  if (kind === "own")
    return {
      code: "DEPENDENCY_ON_ITSELF",
      message: `The skill '${name}' lists itself as a dependency. The list is treated as a list of packages: names without a range are not loaded.`,
    };
  if (isMissing) {
    const message = `The dependency ${what} was not found. The skill loads without it.`;
    return { code: "DEPENDENCY_MISSING", message };
  }
  if (kind !== "bare" || bareCount) return null;
  const message = `The dependency ${what} is not loaded because other names in the list are not skills. Write '${name}@*' to load it.`;
  return { code: "DEPENDENCY_NOT_LOADED", message };
}

/** The scopes in which every user of this scope finds dependencies. */
function scopesBeside(context: Context, scope: string): string[] {
  if (scope === PUBLIC_SCOPE) return [PUBLIC_SCOPE];
  const namespace = namespaceOfScope(scope);
  return scope === groupScope(namespace) ? [scope, PUBLIC_SCOPE] : visibleScopes(context.caller.principal);
}
