// The tools that active skills bring, under the names they have in this conversation. Described once a version, then known.

import { activeSkills } from "../domain/activation";
import { BUILTIN_ARGUMENTS } from "../domain/builtin";
import { GatewayError, type Issue } from "../domain/errors";
import type { SkillRef } from "../domain/event";
import type { ToolDeclaration } from "../domain/skill";
import type { ToolDefinition } from "../domain/tool";
import { nameTools } from "../domain/tool-name";
import type { View } from "../domain/view";
import { describeTools } from "../sandbox/provider";
import { BARS, barOf } from "./boundary";
import { providerCode } from "./code-source";
import type { Context } from "./context";
import { factsOf } from "./declarations";
import { type CodeFacts, keepProvided, type ProvidedStore, providedStore } from "./provided-store";
import type { Session } from "./session";

/** A tool of an active skill: with its definition, or with the reason why there is none. */
export interface ProvidedTool {
  name: string;
  skill: SkillRef;
  facts: CodeFacts;
  declared: ToolDeclaration;
  definition: ToolDefinition | null;
  problem: string | null;
}

export interface Provided {
  tools: ProvidedTool[];
  /** Whether an active skill has scripts that run. */
  scripts: boolean;
  warnings: Issue[];
}

const answered = new WeakMap<Session, { key: string; provided: Provided }>();

/** What the active skills bring now. Asks D1 and an isolate only for a version that this conversation has not seen. */
export async function providedBy(context: Context, session: Session, view: View): Promise<Provided> {
  const active = activeSkills(session.state).map(({ skill }) => ({
    skill,
    order: session.state.activated.get(skill.name)?.order ?? 0,
  }));
  const { stale } = context.caller;
  const key = JSON.stringify([view.key, stale, active.map(({ skill, order }) => [skill.version_id, order])]);
  const before = answered.get(session);
  if (before?.key === key) return before.provided;

  const bars = await Promise.all(active.map(({ skill }) => barOf(context, view, skill)));
  // Without the registry what was offered stays offered; calls refuse.
  const running = active.filter((_, index) => bars[index] !== "not_public" && bars[index] !== "not_visible");
  const store = providedStore(session);
  const missing = running.map(({ skill }) => skill.version_id).filter((id) => store.versions[id] === undefined);
  const read = stale || missing.length === 0 ? new Map<string, CodeFacts>() : await factsOf(context, missing);
  const lasting = new Map<string, CodeFacts>();
  let settled = true;
  const found = await Promise.all(
    running.map(async ({ skill, order }) => {
      const known = store.versions[skill.version_id] ?? read.get(skill.version_id);
      if (known === undefined) return null;
      const asked = await described(context, skill, known);
      settled &&= asked.isSettled;
      lasting.set(skill.version_id, asked.isSettled ? asked.facts : { ...asked.facts, described: null });
      return { skill, order, facts: asked.facts };
    }),
  );
  const kept = found.filter((skill) => skill !== null);
  const named = await nameAll(store, kept);
  keepProvided(session, {
    versions: Object.fromEntries(lasting),
    names: named.names,
    known: { ...store.known, ...named.known },
  });
  const tools = kept.flatMap(({ skill, facts }) => toolsOf(skill, facts, named.names));
  const provided = { tools, scripts: kept.some(({ facts }) => facts.scripts), warnings: tools.flatMap(warningsOf) };
  if (settled) answered.set(session, { key, provided });
  return provided;
}

/** Facts with what the provider says of its tools. What may be otherwise next time is not settled. */
async function described(
  context: Context,
  skill: SkillRef,
  facts: CodeFacts,
): Promise<{ facts: CodeFacts; isSettled: boolean }> {
  if (facts.described !== null || facts.provider === null || facts.tools.length === 0)
    return { facts, isSettled: true };
  const all = (reason: string) => ({
    ...facts,
    described: { tools: [], problems: Object.fromEntries(facts.tools.map((tool) => [tool.name, reason])) },
  });
  if (context.caller.stale) return { facts: all(BARS.stale), isSettled: false };
  if (context.loader === undefined) return { facts: all(BARS.no_loader), isSettled: false };
  try {
    const code = providerCode(context, skill, facts, facts.provider);
    const answer = await describeTools(context.loader, code, skill.name, facts.tools);
    return { facts: { ...facts, described: answer }, isSettled: true };
  } catch (error) {
    // Level 1 never waits for R2: the skill goes on as a prompt, and the next turn asks again.
    if (!(error instanceof GatewayError)) throw error;
    return { facts: all("its code could not be read just now"), isSettled: false };
  }
}

interface Naming {
  names: ProvidedStore["names"];
  known: ProvidedStore["known"];
}

/** Names for all tools: those of activations that go on keep theirs, then the rest in order of activation. */
async function nameAll(
  store: ProvidedStore,
  skills: readonly { skill: SkillRef; order: number; facts: CodeFacts }[],
): Promise<Naming> {
  const names: Naming["names"] = {};
  const fresh: { skill: string; own: string }[] = [];
  for (const { skill, order, facts } of skills) {
    const before = store.names[skill.name];
    const held = before?.order === order ? before.tools : {};
    names[skill.name] = { order, tools: { ...held } };
    if (facts.provider === null) continue;
    for (const { name } of facts.tools) if (!Object.hasOwn(held, name)) fresh.push({ skill: skill.name, own: name });
  }
  const taken = Object.values(names).flatMap(({ tools }) => Object.values(tools));
  const given = await nameTools(fresh, new Set([...Object.keys(BUILTIN_ARGUMENTS), ...taken]));
  const known: Naming["known"] = {};
  for (const [index, { skill, own }] of fresh.entries()) {
    const name = given[index];
    const named = names[skill];
    if (name === undefined || named === undefined) continue;
    named.tools[own] = name;
    known[name] = { skill, tool: own };
  }
  return { names, known };
}

function toolsOf(skill: SkillRef, facts: CodeFacts, names: Naming["names"]): ProvidedTool[] {
  if (facts.provider === null) return [];
  return facts.tools.map((declared): ProvidedTool => {
    const name = own(names[skill.name]?.tools, declared.name) ?? declared.name;
    const told = facts.described?.tools.find((tool) => tool.name === declared.name);
    const definition = told === undefined ? null : { ...told, name };
    const problem =
      definition === null ? (own(facts.described?.problems, declared.name) ?? "it was not described") : null;
    return { name, skill, facts, declared, definition, problem };
  });
}

/** A tool may be called `constructor`. */
function own(record: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function warningsOf({ name, skill, declared, problem }: ProvidedTool): Issue[] {
  const path = skill.name;
  if (problem !== null) {
    const message = `Tool '${declared.name}' of skill '${skill.name}' is not available: ${problem}.`;
    return [{ code: "TOOL_UNAVAILABLE", message, path }];
  }
  if (name === declared.name) return [];
  const message = `Tool '${declared.name}' of skill '${skill.name}' is called '${name}' here.`;
  return [{ code: "TOOL_RENAMED", message, path }];
}
