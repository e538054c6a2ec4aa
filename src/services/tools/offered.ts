// Lists the tools of active skills and MCP servers under their names in this conversation.

import type {
  Offered,
  OfferedServer,
  OfferedTool,
  ToolMemory,
  ToolSource,
  ToolSources,
} from "../../domain/conversation/offered";
import { type ServerRef, titleOf } from "../../domain/conversation/servers";
import type { Issue } from "../../domain/errors";
import type { ToolDeclaration } from "../../domain/package/skill";
import { aliasOf, markedPage, serverProviderOf } from "../../domain/servers/library/addresses";
import type { UpstreamTool } from "../../domain/servers/memory";
import type { ToolDefinition } from "../../domain/tool";
import { loadConnections } from "../servers/late-connections";
import { storeToolNames, toolMemory } from "./memory";
import { nameGroups, nameIn, type ToolGroup } from "./names";
import { sourcesOf } from "./sources";
import type { ConversationView, Step } from "./step";

/** Returns a step that starts now. */
export function stepOf({ context, session, view, looks }: ConversationView): Step {
  const seen = { context, session, view, ...(looks ? { looks } : {}) };
  let asked: Promise<Offered> | null = null;
  return {
    ...seen,
    offered() {
      asked ??= offeredTools(seen);
      return asked;
    },
  };
}

/** Returns what is offered now, without contacting servers: a server that is not connected has no tools. */
export async function offeredTools(seen: ConversationView): Promise<Offered> {
  const { context, session } = seen;
  const { memory } = session;
  const sources = await sourcesOf(seen);
  const before = memory.offered;
  const { revision } = memory.connections;
  if (before?.sources === sources && before.revision === revision && isEnough(seen)) return before.offered;

  const servers =
    sources.servers.length === 0
      ? []
      : await (await loadConnections()).offeredServers(context, session, sources.servers);
  const named = await nameGroups(toolMemory(session), groupsOf(sources, servers));
  storeToolNames(session, named, seen.looks === true);
  const tools = [
    ...servers.filter(({ ref }) => ref.skill === null).flatMap((server) => serverTools(server, named.names)),
    ...sources.skills.flatMap((skill) => [
      ...codeTools(skill, named.names),
      ...servers.filter(({ ref }) => isOf(ref, skill)).flatMap((server) => serverTools(server, named.names)),
    ]),
  ];
  const offered: Offered = {
    tools,
    servers,
    scripts: sources.skills.some(({ facts, runs }) => runs && facts.scripts),
    warnings: [
      ...tools.flatMap(toolWarnings),
      ...servers.flatMap((server) => [...serverWarnings(server), ...namelessWarnings(server, named.names)]),
    ],
  };
  memory.offered = { sources, revision, offered };
  return offered;
}

/** Whether the cached result can be used: a read has stored nothing. */
export function isEnough({ session, looks }: ConversationView): boolean {
  return looks === true || session.memory.tools?.unsaved !== true;
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

function ownTools({ ref, tools }: OfferedServer): ToolGroup["tools"] {
  const prefix = prefixOf(ref);
  return tools.map(({ name }) => ({
    id: idOf(ref, name),
    own: `${ref.name}__${name}`,
    ...(prefix === "always" ? {} : { bare: name, bareOnly: prefix === "never" }),
  }));
}

function prefixOf({ entry }: ServerRef) {
  return entry?.prefix ?? "always";
}

/** Distinguishes `a__b` with `c` from `a` with `b__c`, and from a skill's own tool. Another prefix gives other names. */
function idOf(ref: ServerRef, tool: string): string {
  const prefix = prefixOf(ref);
  return JSON.stringify([ref.name, tool, ...(prefix === "always" ? [] : [prefix])]);
}

function declaredOf({ facts, runs }: ToolSource): readonly ToolDeclaration[] {
  return runs && facts.provider !== null ? facts.tools : [];
}

function codeTools(source: ToolSource, names: ToolMemory["names"]): OfferedTool[] {
  const { skill, facts } = source;
  return declaredOf(source).map((declared): OfferedTool => {
    const name = nameIn(names, skill.name, declared.name) ?? declared.name;
    const told = facts.described?.tools.find((tool) => tool.name === declared.name);
    const definition = told === undefined ? null : { ...told, name };
    const problems = facts.described?.problems ?? {};
    const why = Object.hasOwn(problems, declared.name) ? problems[declared.name] : undefined;
    const problem = definition === null ? (why ?? "the provider returned no description") : null;
    return { name, own: declared.name, skill, origin: { facts, declared }, definition, problem };
  });
}

function serverTools({ ref, tools }: OfferedServer, names: ToolMemory["names"]): OfferedTool[] {
  return tools.flatMap((tool): OfferedTool[] => {
    const name = nameIn(names, keyOf(ref), idOf(ref, tool.name));
    if (name === null) return [];
    const isBare = prefixOf(ref) !== "always" && name === tool.name;
    const own = isBare ? name : `${ref.name}__${tool.name}`;
    const definition = { ...definitionOf(ref, tool), name };
    return [{ name, own, skill: ref.skill, origin: { server: ref, tool: tool.name }, definition, problem: null }];
  });
}

/** Returns the public definition of a tool. Its page URI contains the server; with a guard, of `_meta` only the page was approved. */
function definitionOf(ref: ServerRef, { digest: _, _meta: meta, ...told }: UpstreamTool): Omit<ToolDefinition, "name"> {
  const { ui } = meta ?? {};
  const passed = ref.approved === null ? meta : ui === undefined ? undefined : { ui };
  if (passed === undefined) return told;
  return { ...told, _meta: markedPage(passed, (uri) => aliasOf(serverProviderOf(ref), uri)) };
}

/** Warnings for tools whose only possible name is taken. */
function namelessWarnings({ ref, tools }: OfferedServer, names: ToolMemory["names"]): Issue[] {
  const nameless = tools.filter(({ name }) => nameIn(names, keyOf(ref), idOf(ref, name)) === null);
  if (nameless.length === 0) return [];
  const shown = nameless.slice(0, NAMELESS_SHOWN).map(({ name }) => `'${name}'`);
  const more = nameless.length > shown.length ? ` and ${nameless.length - shown.length} more` : "";
  return [
    {
      code: "MCP_TOOLS_LEFT_OUT",
      message: `${titleOf(ref)}: other tools already use these names: ${shown.join(", ")}${more}. Set \`prefix\` of the server to \`on-conflict\`.`,
      path: ref.skill?.name ?? ref.name,
    },
  ];
}

/** Number of tools that a warning names. */
const NAMELESS_SHOWN = 10;

function toolWarnings({ name, own, skill, problem }: OfferedTool): Issue[] {
  const of = skill === null ? "" : ` of skill '${skill.name}'`;
  const path = skill === null ? {} : { path: skill.name };
  if (problem !== null)
    return [
      {
        code: "TOOL_UNAVAILABLE",
        message: `Tool '${own}'${of} is not available: ${problem}. The conversation continues without it.`,
        ...path,
      },
    ];
  if (name === own) return [];
  return [
    { code: "TOOL_RENAMED", message: `Tool '${own}'${of} is called '${name}' here. Call it by this name.`, ...path },
  ];
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
    return [
      {
        code: "MCP_SERVER_CONNECTING",
        message: `${what} is still connecting. Its tools are available later.`,
        ...path,
      },
    ];
  const code = state === "unsupported" ? "MCP_SERVER_UNSUPPORTED" : "MCP_SERVER_UNAVAILABLE";
  return [
    { code, message: `${what} is not available: ${error ?? "it failed"}. Check its entry and the server.`, ...path },
  ];
}
