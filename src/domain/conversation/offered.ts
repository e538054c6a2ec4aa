// What active skills and MCP servers offer a conversation: cached facts of versions, and the resulting tools.

import * as z from "zod";
import type { SkillRef } from "../catalog/skill-ref";
import type { Issue } from "../errors";
import { jsonObject } from "../json";
import type { ToolDeclaration } from "../package/skill";
import type { UpstreamTool } from "../servers/memory";
import type { ToolDefinition } from "../tool";
import type { ServerRef } from "./servers";

export const describedToolSchema = z.lazy(() =>
  z.object({
    /** As declared by the skill. */
    name: z.string(),
    description: z.string(),
    inputSchema: jsonObject,
  }),
);

/** Existing tools by declared name, and the reasons why others do not exist. */
export const describedSchema = z.lazy(() =>
  z.object({
    tools: z.array(describedToolSchema),
    problems: z.record(z.string(), z.string()),
  }),
);
export type Described = z.infer<typeof describedSchema>;

/** The hosts that a version's code calls, and the variables whose values are sent there. */
export const declaredNetworkSchema = z.lazy(() => z.object({ hosts: z.array(z.string()), env: z.array(z.string()) }));
export type DeclaredNetwork = z.infer<typeof declaredNetworkSchema>;

export const factsSchema = z.lazy(() =>
  z.object({
    digest: z.string(),
    config: jsonObject,
    provider: z.object({ path: z.string(), class: z.string() }).nullable(),
    tools: z.array(z.object({ name: z.string(), provider: z.string().optional(), config: jsonObject.optional() })),
    /** Whether the package has a file that can run as a script. */
    scripts: z.boolean(),
    /** MCP server entries; absent if an earlier gateway stored the facts. */
    servers: jsonObject.optional(),
    /** Absent if the version declares no host. */
    network: declaredNetworkSchema.exactOptional(),
    /** The provider's tool descriptions; `null` until it was asked. */
    described: describedSchema.nullable(),
  }),
);
export type CodeFacts = z.infer<typeof factsSchema>;

export const toolMemorySchema = z.lazy(() =>
  z.object({
    /** Facts of active skills, by version id. */
    versions: z.record(z.string(), factsSchema),
    /**
     * Assigned tool names, valid until the skill's activation ends: by skill, with the activation. Tools of servers without a skill are
     * under `/` and the server's name.
     */
    names: z.record(z.string(), z.object({ order: z.number(), tools: z.record(z.string(), z.string()) })),
    /** Every tool that was ever offered in the conversation, by its name; `skill` is empty if no skill offered it. */
    known: z.record(z.string(), z.object({ skill: z.string(), tool: z.string() })),
  }),
);
export type ToolMemory = z.infer<typeof toolMemorySchema>;

/** An active skill with the declarations of its version. */
export interface ToolSource {
  skill: SkillRef;
  /** Position of the activation in the log. */
  order: number;
  facts: CodeFacts;
  /** Whether its code is offered. Its servers always are. */
  runs: boolean;
}

export interface ToolSources {
  skills: ToolSource[];
  /** All servers of the conversation, including those of the gateway and the ghost. */
  servers: ServerRef[];
}

/** The state of a server. */
export interface OfferedServer {
  ref: ServerRef;
  state: "connecting" | "connected" | "failed" | "open" | "sign_in" | "unsupported";
  /** Tools that the entry allows and the guard accepts, and the names of tools that only the guard rejects. */
  tools: UpstreamTool[];
  restricted: string[];
  error: string | null;
  /** Duration of the last connect, list or call, in milliseconds. */
  latency: number | null;
  /** Tools left out of its list, with reasons. */
  problems: string[];
}

/** An offered tool with its definition, or with the reason why it has none. */
export interface OfferedTool {
  name: string;
  /** Its own name: `tool`, or `server__tool`. */
  own: string;
  /** The skill that offers it; `null` if it comes from a server without a skill. */
  skill: SkillRef | null;
  /** Its implementation: a skill's code, or a tool of a server. */
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
