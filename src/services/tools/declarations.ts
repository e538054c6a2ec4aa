// What versions declare about their code, and their files, from this isolate's memory or D1. Versions are immutable, so what
// was once read stays true.

import { findModule, isCode } from "../../domain/code/graph";
import type { CodeFacts } from "../../domain/conversation/offered";
import { CODE_LIMITS } from "../../domain/limits";
import type { PackageFile } from "../../domain/package/skill";
import { Recent } from "../../domain/recent";
import { type CodeDeclaration, readDeclarations } from "../../storage/d1/code";
import type { Context } from "../context";

const seen = new Recent<string, CodeDeclaration>(500);

/** The facts of versions, by id; a version that is gone is absent. */
export async function factsOf(context: Context, versionIds: readonly string[]): Promise<Map<string, CodeFacts>> {
  const found = await declarationsOf(context, versionIds);
  return new Map(found.map((declaration) => [declaration.versionId, factsFrom(declaration)]));
}

/** All that a version declares; `null` when it is gone. */
export async function declarationOf(context: Context, versionId: string): Promise<CodeDeclaration | null> {
  return (await declarationsOf(context, [versionId]))[0] ?? null;
}

/** The files of a version; empty when it is gone. */
export async function filesOf(context: Context, versionId: string): Promise<PackageFile[]> {
  const [found] = await declarationsOf(context, [versionId]);
  return found?.files ?? [];
}

async function declarationsOf(context: Context, versionIds: readonly string[]): Promise<CodeDeclaration[]> {
  const found = new Map(versionIds.map((id) => [id, seen.get(id)]));
  const missing = versionIds.filter((id) => found.get(id) === undefined);
  const read = missing.length === 0 ? [] : await readDeclarations(context.db, missing);
  for (const declaration of read) {
    found.set(declaration.versionId, declaration);
    seen.set(declaration.versionId, declaration);
  }
  return versionIds.flatMap((id) => found.get(id) ?? []);
}

function factsFrom({ digest, config, tools, provider, servers, files }: CodeDeclaration): CodeFacts {
  const paths = files.map((file) => file.path);
  const module = provider?.module === undefined ? null : findModule(provider.module, paths);
  return {
    digest,
    config,
    // A provider for another runtime, or none: its tools are not this gateway's.
    provider: module === null || provider?.class === undefined ? null : { path: module, class: provider.class },
    // Names are keys in what is stored; this one cannot be.
    tools: tools.filter(({ name }) => name !== "__proto__").slice(0, CODE_LIMITS.toolsPerSkill),
    scripts: paths.some(isCode),
    servers,
    described: null,
  };
}
