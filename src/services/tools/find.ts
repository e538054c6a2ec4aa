// Implements `find_tool`, which searches the tools that the conversation can call now, and decides when tools are too many to list. Each
// search and call checks access again.

import { titleOf } from "../../domain/conversation/servers";
import { DURATIONS } from "../../domain/durations";
import { type ToolResult, text } from "../../domain/tool";
import { findTools } from "../../domain/tools/find";
import { areToolsFound, type ToolListing } from "../../domain/tools/listing";
import { renderFoundTools } from "../../domain/tools/render-found";
import type { Session } from "../session";
import { stepOf } from "./offered";
import { connectSources } from "./sources";
import type { ConversationView, Step } from "./step";

/** Returns the conversation's setting for offering tools of servers. */
export function toolListOf({ effective }: Session): ToolListing {
  return effective.tool_list ?? "auto";
}

/** Returns the servers whose tools would be searched; `null` if they would be listed. Skills' own tools are not counted. */
export async function serversToFind({ session, offered }: Step): Promise<string[] | null> {
  const { tools, servers } = await offered();
  const definitions = tools.flatMap(({ skill, definition }) => (skill === null ? (definition ?? []) : []));
  if (!areToolsFound(definitions, toolListOf(session))) return null;
  return servers.filter(({ ref }) => ref.skill === null).map(({ ref }) => ref.name);
}

/** Searches the offered tools, listed or not. The result names servers that do not answer. */
export async function runFindTool(seen: ConversationView, query: string): Promise<ToolResult> {
  await connectSources(seen, null, DURATIONS.patienceList);
  const { tools, servers } = await stepOf(seen).offered();
  const findable = tools.flatMap(({ definition, skill, origin }) => {
    if (definition === null) return [];
    return { source: "server" in origin ? origin.server.name : (skill?.name ?? ""), definition };
  });
  const notes = servers.flatMap(({ ref, state, error }) => {
    if (state === "connected") return [];
    const why = state === "connecting" ? "is still connecting" : `is not available: ${error ?? "it failed"}`;
    return `${titleOf(ref)} ${why}. Its tools are not searched.`;
  });
  return text(renderFoundTools(findTools(findable, query), query, notes));
}
