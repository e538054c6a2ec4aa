// The gateway's built-in tools: one row each. Their handlers are in `services/conversation/builtin.ts`.

import * as z from "zod";
import { hasListed } from "../catalog/catalog";
import { type JsonObject, jsonObject } from "../json";
import type { ToolDefinition } from "../tool";
import {
  callSkillTool,
  findServerTool,
  findTool,
  loadTool,
  type Offer,
  readTool,
  scriptTool,
  skillTool,
  type ToolMode,
  unloadTool,
} from "./definitions";

interface Builtin {
  /** Unknown arguments are ignored: models invent them, and an error would only cost a step. */
  arguments: z.ZodType;
  define(offer: Offer): ToolDefinition;
  /**
   * `loads`: changes what other calls of the step see, so it runs first and in order. `reads`: can be repeated, so its result is not
   * stored. `runs`: other.
   */
  effect: "loads" | "reads" | "runs";
  /** Whether it is offered if there are skills, and if there are none but tools can be searched. */
  isOffered(offer: Offer): boolean;
  isOfferedAlone?(offer: Offer): boolean;
  /** Whether the gateway handles calls with this name, offered or not. Otherwise a back end may have a tool with this name. */
  isOurs(manner: Partial<ToolMode>): boolean;
  /** Whether it requires a conversation. */
  needsConversation: boolean;
  /** Hints that an MCP client can show its user. */
  hints: JsonObject | null;
  /** Replaces the description for MCP clients, which have no turns and no prompt. */
  forClient?: {
    description: string;
    /** Whether the description ends with the list of skills. */
    lists: boolean;
  };
}

/** Read-only tools need no confirmation by the client's user. */
const LOOKS = { readOnlyHint: true, openWorldHint: false } as const;

const always = () => true;

/** In the order of the tool list. A new tool needs a row here, a handler, and a golden text. */
export const BUILTIN = {
  load_skill: {
    /** `reload` is for delivery `auto`, whose history may have lost the instructions. */
    arguments: z.lazy(() => z.object({ skill_name: z.string(), reload: z.boolean().nullish() })),
    define: loadTool,
    effect: "loads",
    isOffered: ({ style }) => style === "load_skill",
    isOurs: always,
    needsConversation: false,
    hints: { title: "Load a skill", ...LOOKS },
    forClient: {
      description:
        "Get a skill's full instructions when the task at hand matches its description in the list of available skills. " +
        "Call it before you start the task and follow the answer. Call it again when you no longer have the instructions.",
      lists: true,
    },
  },
  skill: {
    arguments: z.lazy(() => z.object({ skill: z.string() })),
    define: skillTool,
    effect: "loads",
    isOffered: ({ style }) => style === "skill",
    isOurs: ({ style }) => style === "skill",
    needsConversation: true,
    hints: { title: "Load a skill", ...LOOKS },
  },
  unload_skill: {
    arguments: z.lazy(() => z.object({ skill_name: z.string() })),
    define: unloadTool,
    effect: "loads",
    isOffered: always,
    isOurs: always,
    needsConversation: true,
    hints: { title: "Unload a skill", ...LOOKS },
    forClient: {
      description: "Unload a skill that is no longer needed. The tools that it brought leave with it.",
      lists: false,
    },
  },
  read_skill: {
    arguments: z.lazy(() =>
      z
        .looseObject({
          skill_name: z.string(),
          file_path: z.string().nullish(),
          offset: z.coerce.number().pipe(z.int().min(0)).nullish(),
          limit: z.coerce.number().pipe(z.int().min(1)).nullish(),
        })
        .superRefine(refuseOtherPaths),
    ),
    define: readTool,
    effect: "reads",
    isOffered: always,
    isOurs: always,
    needsConversation: false,
    hints: { title: "Read a skill", ...LOOKS },
  },
  find_skill: {
    arguments: z.lazy(() => z.object({ query: z.string() })),
    define: findTool,
    effect: "reads",
    isOffered: ({ more }) => more > 0,
    isOurs: always,
    needsConversation: false,
    hints: { title: "Find skills", ...LOOKS },
  },
  execute_skill_script: {
    arguments: z.lazy(() =>
      z.object({
        skill_name: z.string(),
        script_path: z.string(),
        args: z
          .union([
            z.array(z.coerce.string()),
            z.string().transform((text) => text.split(/\s+/).filter((arg) => arg !== "")),
          ])
          .nullish(),
        /** Models often send JSON values. They are converted to text. */
        input: z.union([z.string(), z.unknown().transform((value) => JSON.stringify(value) ?? "")]).nullish(),
        files: z
          .array(
            z.object({
              path: z.string(),
              text: z.string().nullish(),
              base64: z.string().nullish(),
              kept: z.string().nullish(),
            }),
          )
          .nullish(),
      }),
    ),
    define: scriptTool,
    effect: "runs",
    // A fixed list does not change when a skill loads.
    isOffered: ({ scripts, mode }) => scripts || mode === "fixed",
    isOurs: always,
    needsConversation: false,
    // The sandbox has no network, so scripts cannot change existing data.
    hints: { title: "Run a skill's script", destructiveHint: false, openWorldHint: false },
  },
  find_tool: {
    arguments: z.lazy(() => z.object({ query: z.string() })),
    define: findServerTool,
    effect: "reads",
    isOffered: ({ finds }) => finds !== null,
    isOfferedAlone: ({ finds }) => finds !== null,
    isOurs: ({ finds }) => finds != null,
    needsConversation: true,
    hints: { title: "Find tools", ...LOOKS },
  },
  call_skill_tool: {
    arguments: z.lazy(() => z.object({ name: z.string(), arguments: jsonObject.default({}) })),
    define: callSkillTool,
    effect: "runs",
    isOffered: ({ mode, finds }) => mode === "fixed" || finds !== null,
    isOfferedAlone: ({ finds }) => finds !== null,
    isOurs: ({ mode, finds }) => mode === "fixed" || finds != null,
    needsConversation: true,
    // It can call any tool, so hosts that confirm destructive calls must confirm this one.
    hints: { title: "Call a tool", destructiveHint: true },
  },
} as const satisfies Record<string, Builtin>;

/**
 * Rejects a file named in a wrong argument such as `path`, because without a file the tool returns the instructions. Other unknown
 * arguments are ignored: some models and hosts add their own.
 */
function refuseOtherPaths(args: { file_path?: string | null | undefined }, issues: z.RefinementCtx): void {
  if (args.file_path != null) return;
  const message = "Unknown argument. Name the file in 'file_path', or omit it to read the instructions.";
  for (const key of Object.keys(args))
    if (key !== "file_path" && /file|path/i.test(key)) issues.addIssue({ code: "custom", path: [key], message });
}

export type BuiltinName = keyof typeof BUILTIN;

/** The parsed arguments of each tool. */
export type BuiltinArguments = { [N in BuiltinName]: z.output<(typeof BUILTIN)[N]["arguments"]> };

/** The tools that require a conversation. */
export type ConversationTool = {
  [N in BuiltinName]: (typeof BUILTIN)[N]["needsConversation"] extends true ? N : never;
}[BuiltinName];

interface Reader<T> {
  safeParse(value: unknown): z.ZodSafeParseResult<T>;
}

const ROWS: Readonly<Record<BuiltinName, Builtin>> = BUILTIN;
const READERS: { readonly [N in BuiltinName]: { arguments: Reader<BuiltinArguments[N]> } } = BUILTIN;

/** Returns the row of a tool; `null` if the gateway has no tool with this name. */
export function builtinOf(name: string): Builtin | null {
  return isBuiltin(name) ? ROWS[name] : null;
}

export function isBuiltin(name: string): name is BuiltinName {
  return Object.hasOwn(BUILTIN, name);
}

export function needsConversation(name: BuiltinName): name is ConversationTool {
  return ROWS[name].needsConversation;
}

/** Returns the parsed arguments of a call, or their problems. */
export function readArguments<N extends BuiltinName>(
  name: N,
  args: JsonObject,
): { args: BuiltinArguments[N] } | { problem: string } {
  const parsed = READERS[name].arguments.safeParse(args);
  if (parsed.success) return { args: parsed.data };
  const { issues } = parsed.error;
  const problems = issues.slice(0, TOLD_PROBLEMS).map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  if (issues.length > TOLD_PROBLEMS) problems.push(`and ${issues.length - TOLD_PROBLEMS} more`);
  return { problem: `The arguments of '${name}' are not valid: ${problems.join("; ")}` };
}

/** Maximum number of problems shown. */
const TOLD_PROBLEMS = 20;

/** Returns the built-in tools for a catalog, in a fixed order. For an empty catalog, only tools that search other tools. */
export function builtinTools(offer: Offer): ToolDefinition[] {
  const hasSkills = hasListed(offer);
  return Object.values(ROWS)
    .filter((tool) => (hasSkills ? tool.isOffered(offer) : tool.isOfferedAlone?.(offer)))
    .map((tool) => tool.define(offer));
}
