// What versions declare about their code, and their files, from this isolate's memory or D1. Versions are immutable, so what
// was once read stays true.

import { findModule, isCode } from "../../domain/code/graph";
import type { CodeFacts } from "../../domain/conversation/offered";
import { CODE_LIMITS } from "../../domain/limits";
import type { PackageFile } from "../../domain/package/skill";
import { type CodeDeclaration, readDeclarations } from "../../storage/d1/code";
import type { Context } from "../context";

const seen = new Map<string, CodeDeclaration>();
const SEEN = 500;

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
  const missing = versionIds.filter((id) => !seen.has(id));
  const read = missing.length === 0 ? [] : await readDeclarations(context.db, missing);
  for (const declaration of read) seen.set(declaration.versionId, declaration);
  const found = versionIds.flatMap((id) => seen.get(id) ?? []);
  for (const oldest of seen.keys()) {
    if (seen.size <= SEEN) break;
    seen.delete(oldest);
  }
  return found;
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
