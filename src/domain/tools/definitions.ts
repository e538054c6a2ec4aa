// Definitions of the gateway's tools for models.

import type { CatalogEntry } from "../catalog/catalog";
import { CATALOG_LIMITS } from "../limits";
import { escapeSkillTags } from "../tags";
import { listedDescription, oneLine } from "../tokens";
import type { JsonSchema, ToolDefinition } from "../tool";
import { TOOL_SEARCH_LIMITS } from "./limits";

/** The conversation's settings for loading skills and calling their tools. */
export interface ToolMode {
  style: "load_skill" | "skill";
  mode: "dynamic" | "fixed";
  /** Names of servers whose tools are searched; `null`: all tools are listed. */
  finds: readonly string[] | null;
}

export interface Offer extends ToolMode {
  shown: readonly CatalogEntry[];
  /** Number of skills that the list omits. */
  more: number;
  /** Whether an active skill has scripts that run. */
  scripts: boolean;
}

export function loadTool(offer: Offer): ToolDefinition {
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

export function skillTool(offer: Offer): ToolDefinition {
  const lines = offer.shown.map((entry) => escapeSkillTags(`- ${entry.name}: ${listedDescription(entry.description)}`));
  if (offer.more > 0) lines.push(`… and ${offer.more} more: call find_skill(query)`);
  return {
    name: "skill",
    description: `Load a skill: the answer is its instructions. Available skills:\n${lines.join("\n")}`,
    inputSchema: object({ skill: { type: "string", description: "The skill's name.", ...names(offer) } }, ["skill"]),
  };
}

/** Returns the schema of a skill name: an enum if all names fit, otherwise any text. */
function names(offer: Offer): JsonSchema {
  const all = offer.more === 0 && offer.shown.length <= CATALOG_LIMITS.listedSkills;
  return all ? { enum: offer.shown.map((entry) => entry.name) } : {};
}

export function unloadTool(): ToolDefinition {
  return {
    name: "unload_skill",
    description: "Unload a skill that is no longer needed, to free its room in the prompt.",
    inputSchema: object({ skill_name: { type: "string", description: "The loaded skill's name." } }, ["skill_name"]),
  };
}

export function readTool(): ToolDefinition {
  return {
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
}

export function findTool(): ToolDefinition {
  return {
    name: "find_skill",
    description: "Search all available skills by what they are for. Not every available skill is in the list.",
    inputSchema: object({ query: { type: "string", description: "A few words." } }, ["query"]),
  };
}

export function scriptTool(): ToolDefinition {
  return {
    name: "execute_skill_script",
    description:
      "Run a script of a skill in a sandbox without network. Run only scripts that the skill's instructions name. " +
      "The answer has what it wrote, its exit code, and the files that it left.",
    inputSchema: object(
      {
        skill_name: { type: "string", description: "The skill's name." },
        script_path: {
          type: "string",
          description: "The script, relative to the skill's folder, e.g. scripts/check.js.",
        },
        args: { type: "array", items: { type: "string" }, description: "Command line arguments." },
        input: { type: "string", description: "What the script reads from standard input." },
        files: {
          type: "array",
          description:
            "Files that it finds in /workspace, where it begins. Each has a path and one of text, base64 and kept.",
          items: object(
            {
              path: { type: "string", description: "Relative to /workspace." },
              text: { type: "string" },
              base64: { type: "string" },
              kept: { type: "string", description: "The id of a file that an earlier script left." },
            },
            ["path"],
          ),
        },
      },
      ["skill_name", "script_path"],
    ),
  };
}

export function findServerTool({ finds }: Pick<Offer, "finds">): ToolDefinition {
  return {
    name: "find_tool",
    description: `Search the tools of MCP servers by what they are for. This list does not have them. The answer has the best matches with their arguments. ${describeServers(finds ?? [])}`,
    inputSchema: object(
      { query: { type: "string", description: "A few words: what the tool is to do, and to what." } },
      ["query"],
    ),
  };
}

/** Returns a text that lists the searchable servers. Names are kept on one line and escaped. */
export function describeServers(servers: readonly string[]): string {
  const shown = servers.slice(0, TOOL_SEARCH_LIMITS.servers).map(oneLine);
  const more = servers.length > shown.length ? ` and ${servers.length - shown.length} more` : "";
  return escapeSkillTags(`Servers: ${shown.join(", ")}${more}.`);
}

export function callSkillTool({ mode, finds }: Pick<Offer, "mode" | "finds">): ToolDefinition {
  return {
    name: "call_skill_tool",
    description: describedBy(mode, finds !== null),
    inputSchema: object(
      {
        name: { type: "string", description: "The tool's name." },
        arguments: { type: "object", description: "The tool's arguments.", additionalProperties: true },
      },
      ["name"],
    ),
  };
}

function describedBy(mode: Offer["mode"], finds: boolean): string {
  if (!finds) return "Call a tool that a loaded skill brought. The answer of load_skill describes these tools.";
  if (mode === "dynamic") return "Call a tool that find_tool has found. The answer of find_tool describes it.";
  return "Call a tool that find_tool has found or a loaded skill brought. The answers of find_tool and load_skill describe these tools.";
}

function object(properties: Record<string, JsonSchema>, required: string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
