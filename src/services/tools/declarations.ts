// What versions declare about their code, and their files.

import { findModule, findPython } from "../../domain/code/graph";
import { isScript } from "../../domain/code/language";
import type { CodeFacts } from "../../domain/conversation/offered";
import { CODE_LIMITS } from "../../domain/limits";
import type { PackageFile } from "../../domain/package/skill";
import type { VersionContent } from "../../storage/d1/catalog";
import { contentsOf } from "../catalog/contents";
import type { Context } from "../context";

/** Facts of a version that has a provider. */
export type ProviderFacts = CodeFacts & { provider: NonNullable<CodeFacts["provider"]> };

export function hasProvider(facts: CodeFacts): facts is ProviderFacts {
  return facts.provider !== null && facts.tools.length > 0;
}

/** The facts of versions, by id; a version that is gone is absent. */
export async function factsOf(context: Context, versionIds: readonly string[]): Promise<Map<string, CodeFacts>> {
  const found = await contentsOf(context, versionIds);
  return new Map(Array.from(found, ([id, content]) => [id, factsFrom(content)]));
}

/** All that a version declares; `null` when it is gone. */
export async function declarationOf(context: Context, versionId: string): Promise<VersionContent | null> {
  return (await contentsOf(context, [versionId])).get(versionId) ?? null;
}

/** The files of a version; empty when it is gone. */
export async function filesOf(context: Context, versionId: string): Promise<PackageFile[]> {
  return (await declarationOf(context, versionId))?.files ?? [];
}

export function factsFrom(content: VersionContent): CodeFacts {
  const { digest, config, tools, provider, servers, files, described } = content;
  const paths = files.map((file) => file.path);
  const named = provider?.module;
  const module = named === undefined ? null : (findModule(named, paths) ?? findPython(named, paths));
  return {
    digest,
    config,
    // A provider for another runtime, or none: its tools are not this gateway's.
    provider: module === null || provider?.class === undefined ? null : { path: module, class: provider.class },
    // Names are keys in what is stored; this one cannot be.
    tools: tools.filter(({ name }) => name !== "__proto__").slice(0, CODE_LIMITS.toolsPerSkill),
    scripts: paths.some(isScript),
    servers,
    described,
  };
}
