// Asks a provider for its tools. For Python this starts an interpreter, which no conversation should wait for: it happens after publishing,
// and the result is stored with the version.

import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { Described } from "../../domain/conversation/offered";
import { utf8Bytes } from "../../domain/json";
import { ROW_LIMITS } from "../../domain/limits";
import type { Isolates } from "../../sandbox/isolate";
import { describeProvider } from "../../sandbox/provider";
import { isPython } from "../../sandbox/python/executor";
import { readVersionContents } from "../../storage/d1/catalog";
import { keepDescribed } from "../../storage/d1/versions";
import { noteDescribed, readVersionFacts } from "../catalog/contents";
import type { Context } from "../context";
import { providerCode } from "./code";
import { factsFrom, hasProvider, type ProviderFacts } from "./declarations";

/**
 * Returns a provider's tool descriptions. For Python they are stored, so that it is asked once; for JavaScript asking is cheaper than
 * reading.
 */
export async function askProvider(
  context: Context,
  isolates: Isolates,
  skill: Pick<SkillRef, "name" | "version_id">,
  facts: ProviderFacts,
): Promise<Described> {
  const code = providerCode(context, skill, facts, facts.provider);
  const userId = context.settings.CODE_SCOPES === "public" ? null : context.caller.principal.userId;
  const { described, isAnswered } = await describeProvider(isolates, code, skill.name, facts.tools, userId);
  if (
    isAnswered &&
    isPython(facts.provider.path) &&
    utf8Bytes(JSON.stringify(described)) <= ROW_LIMITS.describedBytes
  ) {
    noteDescribed(skill.version_id, described);
    // Uses the nearest database: the write goes to the primary anyway, and nobody waits to see it.
    context.later(keepDescribed(context.nearest, skill.version_id, described).catch(noteFailure));
  }
  return described;
}

/** Asks the provider of a version that was just published, if it is written in Python. Failures are logged. */
export async function describePublished(
  context: Context,
  isolates: Isolates,
  { name, versionId }: { name: string; versionId: string },
): Promise<void> {
  try {
    const content = (await readVersionFacts(context, [versionId], readVersionContents)).get(versionId);
    const facts = content === undefined ? null : factsFrom(content);
    if (facts?.described !== null || !hasProvider(facts) || !isPython(facts.provider.path)) return;
    await askProvider(context, isolates, { name, version_id: versionId }, facts);
  } catch (error) {
    noteFailure(error);
  }
}

/** The next conversation that loads the version asks again. */
function noteFailure(error: unknown): void {
  console.error(JSON.stringify({ event: "provider_not_described", reason: String(error).slice(0, 300) }));
}
