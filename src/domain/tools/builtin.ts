// The gateway's own tools: what the model is told of them, and what their arguments must be.

import * as z from "zod";
import type { CatalogEntry } from "../catalog/catalog";
import { jsonObject } from "../json";
import { CATALOG_LIMITS } from "../limits";
import { escapeSkillTags } from "../tags";
import { listedDescription } from "../tokens";
import type { JsonSchema, ToolDefinition } from "../tool";

/** Arguments of each built-in tool. Unknown ones are ignored: models invent them, and refusing would only cost a step. */
export const BUILTIN_ARGUMENTS = {
  /** `reload` is for MCP hosts, who may have lost what they were told. */
  load_skill: z.object({ skill_name: z.string(), reload: z.boolean().nullish() }),
  skill: z.object({ skill: z.string() }),
  unload_skill: z.object({ skill_name: z.string() }),
  read_skill: z.object({
    skill_name: z.string(),
    file_path: z.string().nullish(),
    offset: z.coerce.number().pipe(z.int().min(0)).nullish(),
    limit: z.coerce.number().pipe(z.int().min(1)).nullish(),
  }),
  find_skill: z.object({ query: z.string() }),
  execute_skill_script: z.object({
    skill_name: z.string(),
    script_path: z.string(),
    args: z
      .union([
        z.array(z.coerce.string()),
        z.string().transform((text) => text.split(/\s+/).filter((arg) => arg !== "")),
      ])
      .nullish(),
    /** A model that has data at hand sends it as it is. */
    input: z.union([z.string(), z.unknown().transform((value) => JSON.stringify(value) ?? "")]).nullish(),
  }),
  call_skill_tool: z.object({ name: z.string(), arguments: jsonObject.default({}) }),
} as const;

export type BuiltinName = keyof typeof BUILTIN_ARGUMENTS;

export function isBuiltin(name: string): name is BuiltinName {
  return Object.hasOwn(BUILTIN_ARGUMENTS, name);
}

export interface Offer {
  style: "load_skill" | "skill";
  mode: "dynamic" | "fixed";
  shown: readonly CatalogEntry[];
  /** Skills of the catalog that the list leaves out. */
  more: number;
  /** Whether an active skill has scripts that run. */
  scripts: boolean;
}

/** The built-in tools offered for a catalog, in a fixed order. An empty catalog offers none. */
export function builtinTools(offer: Offer): ToolDefinition[] {
  if (offer.shown.length === 0 && offer.more === 0) return [];
  const tools = [offer.style === "skill" ? skillTool(offer) : loadTool(offer), UNLOAD, READ];
  if (offer.more > 0) tools.push(FIND);
  // A fixed list does not change when a skill loads.
  if (offer.scripts || offer.mode === "fixed") tools.push(SCRIPT);
  if (offer.mode === "fixed") tools.push(CALL);
  return tools;
}

function loadTool(offer: Offer): ToolDefinition {
  return {
    name: "load_skill",
    description:
      "Load a skill's full instructions when the task at hand matches its description in the list of available skills. " +
      "Load it before you start the task. A skill that is loaded stays for several turns; loading it again only keeps it longer.",
    inputSchema: object({ skill_name: { type: "string", description: "The skill's name.", ...names(offer) } }, [
      "skill_name",
    ]),
  };
}

function skillTool(offer: Offer): ToolDefinition {
  const lines = offer.shown.map((entry) => escapeSkillTags(`- ${entry.name}: ${listedDescription(entry.description)}`));
  if (offer.more > 0) lines.push(`… and ${offer.more} more: call find_skill(query)`);
  return {
    name: "skill",
    description: `Load a skill: the answer is its instructions. Available skills:\n${lines.join("\n")}`,
    inputSchema: object({ skill: { type: "string", description: "The skill's name.", ...names(offer) } }, ["skill"]),
  };
}

/** The argument is an enum while all names fit; beyond that any name of the catalog is taken. */
function names(offer: Offer): JsonSchema {
  const all = offer.more === 0 && offer.shown.length <= CATALOG_LIMITS.listedSkills;
  return all ? { enum: offer.shown.map((entry) => entry.name) } : {};
}

const UNLOAD: ToolDefinition = {
  name: "unload_skill",
  description: "Unload a skill that is no longer needed, to free its room in the prompt.",
  inputSchema: object({ skill_name: { type: "string", description: "The loaded skill's name." } }, ["skill_name"]),
};

const READ: ToolDefinition = {
  name: "read_skill",
  description:
    "Read a skill without loading it: its instructions and the list of its files, or, with file_path, one of its files. " +
    "Long texts come in pages of lines.",
  inputSchema: object(
    {
      skill_name: { type: "string", description: "The skill's name." },
      file_path: { type: "string", description: "A file of the skill, relative to its folder." },
      offset: { type: "integer", minimum: 0, description: "The first line to read, counted from 0." },
      limit: { type: "integer", minimum: 1, description: "How many lines to read." },
    },
    ["skill_name"],
  ),
};

const FIND: ToolDefinition = {
  name: "find_skill",
  description: "Search all available skills by what they are for. Not every available skill is in the list.",
  inputSchema: object({ query: { type: "string", description: "A few words." } }, ["query"]),
};

export const SCRIPT: ToolDefinition = {
  name: "execute_skill_script",
  description:
    "Run a script of a skill in a sandbox without network. Run only scripts that the skill's instructions name. " +
    "The answer has what it wrote and its exit code.",
  inputSchema: object(
    {
      skill_name: { type: "string", description: "The skill's name." },
      script_path: {
        type: "string",
        description: "The script, relative to the skill's folder, e.g. scripts/check.js.",
      },
      args: { type: "array", items: { type: "string" }, description: "Command line arguments." },
      input: { type: "string", description: "What the script reads from standard input." },
    },
    ["skill_name", "script_path"],
  ),
};

const CALL: ToolDefinition = {
  name: "call_skill_tool",
  description: "Call a tool that a loaded skill brought. The answer of load_skill describes these tools.",
  inputSchema: object(
    {
      name: { type: "string", description: "The tool's name." },
      arguments: { type: "object", description: "The tool's arguments.", additionalProperties: true },
    },
    ["name"],
  ),
};

function object(properties: Record<string, JsonSchema>, required: string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
