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
    /** As the skill declares it. */
    name: z.string(),
    description: z.string(),
    inputSchema: jsonObject,
  }),
);

/** Tools that exist, and why others do not, by declared name. */
export const describedSchema = z.lazy(() =>
  z.object({
    tools: z.array(describedToolSchema),
    problems: z.record(z.string(), z.string()),
  }),
);
export type Described = z.infer<typeof describedSchema>;

export const factsSchema = z.lazy(() =>
  z.object({
    digest: z.string(),
    config: jsonObject,
    provider: z.object({ path: z.string(), class: z.string() }).nullable(),
    tools: z.array(z.object({ name: z.string(), provider: z.string().optional(), config: jsonObject.optional() })),
    /** Whether the package has any file that could run as a script. */
    scripts: z.boolean(),
    /** MCP server entries; absent if an earlier gateway stored the facts. */
    servers: jsonObject.optional(),
    /** The provider's tool descriptions; `null` until it was asked. */
    described: describedSchema.nullable(),
  }),
);
export type CodeFacts = z.infer<typeof factsSchema>;

export const toolMemorySchema = z.lazy(() =>
  z.object({
    /** By version id; those of active skills. */
    versions: z.record(z.string(), factsSchema),
    /**
     * Assigned tool names, valid until the skill's activation ends: by skill, with the activation. Tools of servers without a skill are
     * under `/` and the server's name.
     */
    names: z.record(z.string(), z.object({ order: z.number(), tools: z.record(z.string(), z.string()) })),
    /** Every tool that was ever offered here, by the name it had; `skill` is empty where no skill offers it. */
    known: z.record(z.string(), z.object({ skill: z.string(), tool: z.string() })),
  }),
);
export type ToolMemory = z.infer<typeof toolMemorySchema>;

/** An active skill with what its version declares. */
export interface ToolSource {
  skill: SkillRef;
  /** When it became active. */
  order: number;
  facts: CodeFacts;
  /** Whether its code is offered; its servers are in any case. */
  runs: boolean;
}

export interface ToolSources {
  skills: ToolSource[];
  /** All servers of the conversation, the gateway's and the ghost's too. */
  servers: ServerRef[];
}

/** The state of a server. */
export interface OfferedServer {
  ref: ServerRef;
  state: "connecting" | "connected" | "failed" | "open" | "sign_in" | "unsupported";
  /** Those that its entry allows and its guard lets pass, and the names of those that only the guard does not. */
  tools: UpstreamTool[];
  withheld: string[];
  error: string | null;
  /** Duration of the last connect, list or call, in milliseconds. */
  latency: number | null;
  /** Tools left out of its list, with reasons. */
  problems: string[];
}

/** A tool that is offered: with its definition, or with the reason why there is none. */
export interface OfferedTool {
  name: string;
  /** Its own name: `tool`, or `server__tool`. */
  own: string;
  /** The skill that offers it; `null` where none does. */
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
