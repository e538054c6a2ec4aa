// The tools that active skills and MCP servers bring, under the names they have in this conversation.

import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { View } from "../../domain/catalog/view";
import { type ServerRef, titleOf } from "../../domain/conversation/servers";
import type { Issue } from "../../domain/errors";
import type { ToolDeclaration } from "../../domain/package/skill";
import type { ToolDefinition } from "../../domain/tool";
import type { Context } from "../context";
import { connectionsRevision, type OfferedServer, offeredServers } from "../servers/connections";
import type { Session } from "../session";
import { type CodeFacts, keepOffered, type ToolMemory, toolMemory } from "./memory";
import { nameGroups, nameIn, type ToolGroup } from "./names";
import { sourcesOf, type ToolSource, type ToolSources } from "./sources";

/** A tool that is offered: with its definition, or with the reason why there is none. */
export interface OfferedTool {
  name: string;
  /** What it is called where it comes from: `tool`, or `server__tool`. */
  own: string;
  /** Who brought it; `null` where no skill did. */
  skill: SkillRef | null;
  /** What stands behind it: a skill's code, or a tool of a server. */
  origin: { facts: CodeFacts; declared: ToolDeclaration } | { server: ServerRef; tool: string };
  definition: ToolDefinition | null;
  problem: string | null;
}

export interface Offered {
  tools: OfferedTool[];
  servers: OfferedServer[];
  /** Whether an active skill has scripts that run. */
  scripts: boolean;
  warnings: Issue[];
}

const answered = new WeakMap<Session, { carried: ToolSources; revision: number; provided: Offered }>();

/** What is brought now. Asks no server: what is not connected yet has no tools. */
export async function offeredTools(context: Context, session: Session, view: View): Promise<Offered> {
  const carried = await sourcesOf(context, session, view);
  const before = answered.get(session);
  const revision = connectionsRevision(session);
  if (before?.carried === carried && before.revision === revision) return before.provided;

  const servers = await offeredServers(context, session, carried.servers);
  const named = await nameGroups(toolMemory(session), groupsOf(carried, servers));
  keepOffered(session, named);
  const tools = [
    ...servers.filter(({ ref }) => ref.skill === null).flatMap((server) => serverTools(server, named.names)),
    ...carried.skills.flatMap((skill) => [
      ...codeTools(skill, named.names),
      ...servers.filter(({ ref }) => isOf(ref, skill)).flatMap((server) => serverTools(server, named.names)),
    ]),
  ];
  const provided: Offered = {
    tools,
    servers,
    scripts: carried.skills.some(({ facts, runs }) => runs && facts.scripts),
    warnings: [...tools.flatMap(toolWarnings), ...servers.flatMap(serverWarnings)],
  };
  answered.set(session, { carried, revision, provided });
  return provided;
}

function groupsOf({ skills }: ToolSources, servers: readonly OfferedServer[]): ToolGroup[] {
  const shared = servers.filter(({ ref }) => ref.skill === null);
  return [
    ...shared.map((server) => ({ key: keyOf(server.ref), skill: "", order: 0, tools: ownTools(server) })),
    ...skills.map((skill) => ({
      key: skill.skill.name,
      skill: skill.skill.name,
      order: skill.order,
      tools: [
        ...declaredOf(skill).map(({ name }) => ({ id: name, own: name })),
        ...servers.filter(({ ref }) => isOf(ref, skill)).flatMap(ownTools),
      ],
    })),
  ];
}

function isOf(ref: ServerRef, { skill }: ToolSource): boolean {
  return ref.skill?.name === skill.name;
}

function keyOf({ name, skill }: ServerRef): string {
  return skill?.name ?? `/${name}`;
}

function ownTools({ ref, tools }: OfferedServer) {
  return tools.map(({ name }) => ({ id: idOf(ref, name), own: `${ref.name}__${name}` }));
}

/** `a__b` and `c` are called like `a` and `b__c`, and a skill's own tool may be called so too. */
function idOf(ref: ServerRef, tool: string): string {
  return JSON.stringify([ref.name, tool]);
}

function declaredOf({ facts, runs }: ToolSource): readonly ToolDeclaration[] {
  return runs && facts.provider !== null ? facts.tools : [];
}

function codeTools(carried: ToolSource, names: ToolMemory["names"]): OfferedTool[] {
  const { skill, facts } = carried;
  return declaredOf(carried).map((declared): OfferedTool => {
    const name = nameIn(names, skill.name, declared.name);
    const told = facts.described?.tools.find((tool) => tool.name === declared.name);
    const definition = told === undefined ? null : { ...told, name };
    const problems = facts.described?.problems ?? {};
    const why = Object.hasOwn(problems, declared.name) ? problems[declared.name] : undefined;
    const problem = definition === null ? (why ?? "it was not described") : null;
    return { name, own: declared.name, skill, origin: { facts, declared }, definition, problem };
  });
}

function serverTools({ ref, tools }: OfferedServer, names: ToolMemory["names"]): OfferedTool[] {
  return tools.map((tool): OfferedTool => {
    const own = `${ref.name}__${tool.name}`;
    const name = nameIn(names, keyOf(ref), idOf(ref, tool.name));
    const definition = { ...tool, name };
    return { name, own, skill: ref.skill, origin: { server: ref, tool: tool.name }, definition, problem: null };
  });
}

function toolWarnings({ name, own, skill, problem }: OfferedTool): Issue[] {
  const of = skill === null ? "" : ` of skill '${skill.name}'`;
  const path = skill === null ? {} : { path: skill.name };
  if (problem !== null)
    return [{ code: "TOOL_UNAVAILABLE", message: `Tool '${own}'${of} is not available: ${problem}.`, ...path }];
  if (name === own) return [];
  return [{ code: "TOOL_RENAMED", message: `Tool '${own}'${of} is called '${name}' here.`, ...path }];
}

function serverWarnings({ ref, state, error, problems }: OfferedServer): Issue[] {
  const what = titleOf(ref);
  const path = { path: ref.skill?.name ?? ref.name };
  const left = problems.map((problem) => ({
    code: "MCP_TOOLS_LEFT_OUT",
    message: `${what}: ${problem}.`,
    ...path,
  }));
  if (state === "connected") return left;
  if (state === "connecting")
    return [{ code: "MCP_SERVER_CONNECTING", message: `${what} is still connecting; its tools come later.`, ...path }];
  const code = state === "unsupported" ? "MCP_SERVER_UNSUPPORTED" : "MCP_SERVER_UNAVAILABLE";
  return [{ code, message: `${what} is not available: ${error ?? "it failed"}.`, ...path }];
}
