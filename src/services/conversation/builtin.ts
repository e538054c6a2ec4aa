// Runs the gateway's built-in tools: one handler per row of `domain/tools/builtin.ts`.

import type { JsonObject } from "../../domain/json";
import { failed, type ToolResult } from "../../domain/tool";
import {
  type BuiltinArguments,
  type BuiltinName,
  type ConversationTool,
  needsConversation,
  readArguments,
} from "../../domain/tools/builtin";
import { exclusively } from "../session";
import { type CallPlace, callByDescription } from "../tools/call";
import { runFindTool } from "../tools/find";
import type { ScriptPlace } from "../tools/script";
import { findModeInEffect } from "./auto/front";
import { loadSkill } from "./load";
import { readSkillForClient } from "./load-checks";
import { runFindSkill, runReadSkill } from "./read";
import { unloadSkill } from "./unload";

/** The module that runs scripts. Loaded lazily, because few conversations need it. */
let scripts: typeof import("../tools/script") | null = null;

/** Where a built-in tool runs, with or without a conversation. */
export type BuiltinPlace = ScriptPlace & ForWhom;

type ConversationPlace = CallPlace & ForWhom;

interface ForWhom {
  /** Whether the result goes to an MCP client, which has no prompt of the gateway. */
  forClient: boolean;
}

type Handlers<Names extends BuiltinName, Place> = {
  readonly [N in Names]: (place: Place, args: BuiltinArguments[N]) => ToolResult | Promise<ToolResult>;
};

const ANYWHERE: Handlers<Exclude<BuiltinName, ConversationTool>, BuiltinPlace> = {
  load_skill: (place, { skill_name, reload }) =>
    place.session === null
      ? readSkillForClient(place.context, place.view, skill_name)
      : exclusively(place.session, () =>
          loadSkill(place, skill_name, { forClient: place.forClient, again: reload === true, call: place.callId }),
        ),
  read_skill: ({ context, session, view }, { skill_name, file_path, offset, limit }) =>
    runReadSkill(context, session, view, skill_name, file_path ?? null, { offset, limit }),
  find_skill: ({ context, session, view }, { query }) =>
    runFindSkill(context, session, view, query, session?.state.policy?.tool_style ?? "load_skill"),
  execute_skill_script: async (place, { args, input, files, ...asked }) => {
    scripts ??= await import("../tools/script");
    return scripts.executeScript(place, { ...asked, args: args ?? [], input: input ?? "", files: files ?? [] });
  },
};

const IN_CONVERSATION: Handlers<ConversationTool, ConversationPlace> = {
  skill: (place, { skill }) =>
    exclusively(place.session, () =>
      loadSkill(place, skill, { forClient: place.forClient, again: false, call: place.callId }),
    ),
  unload_skill: ({ context, session }, { skill_name }) =>
    exclusively(session, async () => unloadSkill(context, session, skill_name)),
  find_tool: (place, { query }) => runFindTool(place, query),
  call_skill_tool: async (place, { name, arguments: args }) =>
    (await callByDescription(place, name, args)) ?? toolNotFound(name, findModeInEffect(place.session) !== null),
};

function toolNotFound(name: string, canFind: boolean): ToolResult {
  return failed(
    canFind
      ? `Error: Tool '${name}' not found. Call find_tool for the names of tools.`
      : `Error: Tool '${name}' not found in the loaded skills. Load the skill that has it first.`,
  );
}

/** Runs a built-in tool. Returns `null` if it requires a conversation and there is none. */
export async function runBuiltin(place: BuiltinPlace, name: BuiltinName, args: JsonObject): Promise<ToolResult | null> {
  if (!needsConversation(name)) return withArguments(ANYWHERE, name, place, args);
  return place.session === null ? null : withArguments(IN_CONVERSATION, name, place, args);
}

async function withArguments<N extends BuiltinName, Place>(
  handlers: Handlers<N, Place>,
  name: N,
  place: Place,
  args: JsonObject,
): Promise<ToolResult> {
  const read = readArguments(name, args);
  return "problem" in read ? failed(`Error: ${read.problem}`) : handlers[name](place, read.args);
}
