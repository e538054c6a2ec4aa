// Finding the tools of servers where there are too many to list: when that is, and find_tool, which searches what the conversation may
// call now. Whether it may is judged again with each search and each call.

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

/** How this conversation is set to offer the tools of its servers. */
export function toolListOf({ effective }: Session): ToolListing {
  return effective.tool_list ?? "auto";
}

/** The servers whose tools would be found by what is known now; `null` where they would be listed. Of skills' tools none are counted. */
export async function serversToFind({ session, offered }: Step): Promise<string[] | null> {
  const { tools, servers } = await offered();
  const definitions = tools.flatMap(({ skill, definition }) => (skill === null ? (definition ?? []) : []));
  if (!areToolsFound(definitions, toolListOf(session))) return null;
  return servers.filter(({ ref }) => ref.skill === null).map(({ ref }) => ref.name);
}

/** Searches the tools that are offered, listed or not. What a server that does not answer would have is said to be missing. */
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
