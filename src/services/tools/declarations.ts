// Reads what versions declare about their code and files.

import { findModule, findPython } from "../../domain/code/graph";
import { isScript } from "../../domain/code/language";
import type { CodeFacts } from "../../domain/conversation/offered";
import { CODE_LIMITS } from "../../domain/limits";
import type { PackageFile } from "../../domain/package/skill";
import type { VersionContent } from "../../storage/d1/catalog";
import { contentsOf } from "../catalog/contents";
import type { Context } from "../context";

/** Facts of a version with a provider. */
export type ProviderFacts = CodeFacts & { provider: NonNullable<CodeFacts["provider"]> };

export function hasProvider(facts: CodeFacts): facts is ProviderFacts {
  return facts.provider !== null && facts.tools.length > 0;
}

/** Returns facts of versions by id. Deleted versions are absent. */
export async function factsOf(context: Context, versionIds: readonly string[]): Promise<Map<string, CodeFacts>> {
  const found = await contentsOf(context, versionIds);
  return new Map(Array.from(found, ([id, content]) => [id, factsFrom(content)]));
}

/** Returns everything a version declares; `null` if it was deleted. */
export async function declarationOf(context: Context, versionId: string): Promise<VersionContent | null> {
  return (await contentsOf(context, [versionId])).get(versionId) ?? null;
}

/** Returns the files of a version; empty if it was deleted. */
export async function filesOf(context: Context, versionId: string): Promise<PackageFile[]> {
  return (await declarationOf(context, versionId))?.files ?? [];
}

export function factsFrom(content: VersionContent): CodeFacts {
  const { digest, config, tools, provider, servers, network, files, described } = content;
  const paths = files.map((file) => file.path);
  const named = provider?.module;
  const module = named === undefined ? null : (findModule(named, paths) ?? findPython(named, paths));
  return {
    digest,
    config,
    // Without a provider for this runtime, the tools are not offered.
    provider: module === null || provider?.class === undefined ? null : { path: module, class: provider.class },
    // Names are keys in stored objects, so this one is excluded.
    tools: tools.filter(({ name }) => name !== "__proto__").slice(0, CODE_LIMITS.toolsPerSkill),
    scripts: paths.some(isScript),
    servers,
    ...(network === null ? {} : { network }),
    described,
  };
}
