// Reads a server's list of tools: page by page, with a limit. An invalid tool does not affect the others.

import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { type JsonObject, jsonObject, utf8Bytes } from "../domain/json";
import { UPSTREAM_LIMITS } from "../domain/limits";
import { toolDigest } from "../domain/servers/guard";
import { iconsSchema, marksSchema, present } from "../domain/servers/library/marks";
import type { ToolList, UpstreamTool } from "../domain/servers/memory";
import { toolHintsSchema } from "../domain/tool";
import { headerProblem } from "../domain/tools/headers";
import { NO_TIMEOUT_MS } from "./connection";

const pageSchema = z.lazy(() =>
  z.object({
    tools: z.array(z.unknown()),
    nextCursor: z.string().optional(),
    ttlMs: z.number().nonnegative().optional().catch(undefined),
  }),
);

const toolSchema = z.lazy(() =>
  z.object({
    name: z.string().min(1).max(UPSTREAM_LIMITS.toolNameChars),
    description: z.string().optional().catch(undefined),
    title: z.string().optional().catch(undefined),
    annotations: toolHintsSchema.optional().catch(undefined),
    icons: iconsSchema,
    _meta: marksSchema,
    execution: z.object({ taskSupport: z.string().optional() }).optional().catch(undefined),
    // Any JSON Schema dialect: the schema is for the model and the server.
    inputSchema: jsonObject.refine((schema) => schema.type === "object", "is not a schema of type 'object'"),
    // Hosts of older revisions reject a whole list because of one output schema of another type.
    outputSchema: jsonObject
      .refine((schema) => schema.type === "object")
      .optional()
      .catch(undefined),
  }),
);

const namedSchema = z.object({ name: z.string().min(1) });
/** The part of an overlong name that is shown. */
const NAME_SHOWN = 100;

/** Returns the tools of a server, up to the limits, and the omitted ones. */
export async function readTools(client: Client, signal: AbortSignal, now: () => number): Promise<ToolList> {
  const tools = new Map<string, { tool: UpstreamTool; raw: JsonObject }>();
  const problems: string[] = [];
  let ttl: number | null = null;
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const asked = { method: "tools/list" as const, params: cursor === undefined ? {} : { cursor } };
    const answer = await client.request(asked, pageSchema, { signal, timeout: NO_TIMEOUT_MS });
    ttl = answer.ttlMs ?? ttl;
    for (const value of answer.tools) addTool(value, tools, problems);
    const more = answer.nextCursor !== undefined && answer.nextCursor !== cursor;
    if (tools.size >= UPSTREAM_LIMITS.tools && (more || tools.size > UPSTREAM_LIMITS.tools)) {
      problems.push(`it has too many tools (limit ${UPSTREAM_LIMITS.tools}); the rest is ignored`);
      break;
    }
    if (!more) break;
    if (page >= UPSTREAM_LIMITS.pages) {
      problems.push(`its list of tools has too many pages (limit ${UPSTREAM_LIMITS.pages}); the rest is ignored`);
      break;
    }
    cursor = answer.nextCursor;
  }
  const accepted: UpstreamTool[] = [];
  let left = UPSTREAM_LIMITS.listBytes;
  for (const { tool, raw } of [...tools.values()].slice(0, UPSTREAM_LIMITS.tools)) {
    left -= utf8Bytes(JSON.stringify(tool));
    if (left >= 0) accepted.push({ ...tool, digest: await toolDigest(raw) });
  }
  if (left < 0) problems.push("its list of tools is too long; some are ignored");
  return { tools: accepted, at: now(), ttl, problems: problems.slice(0, UPSTREAM_LIMITS.problems) };
}

function addTool(
  value: unknown,
  tools: Map<string, { tool: UpstreamTool; raw: JsonObject }>,
  problems: string[],
): void {
  const parsed = toolSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const { data: named } = namedSchema.safeParse(value);
    const which = named === undefined ? "a tool" : `tool '${named.name.slice(0, NAME_SHOWN)}'`;
    problems.push(
      `${which} is ignored: its ${issue?.path.join(".") || "definition"} is not valid (${issue?.message ?? "not valid"})`,
    );
    return;
  }
  const { name, inputSchema, execution, icons, _meta } = parsed.data;
  const title = parsed.data.title?.slice(0, 200);
  if (tools.has(name)) {
    problems.push(`a second tool '${name}' is ignored`);
    return;
  }
  if (JSON.stringify(inputSchema).length > UPSTREAM_LIMITS.schemaChars) {
    problems.push(`tool '${name}' is ignored: its input schema is too long`);
    return;
  }
  if (execution?.taskSupport === "required") {
    problems.push(`tool '${name}' is ignored: it runs only as a task, and tasks are not supported`);
    return;
  }
  const problem = headerProblem(inputSchema);
  if (problem !== null) {
    problems.push(`tool '${name}' is ignored: ${problem}`);
    return;
  }
  const description = (parsed.data.description ?? title ?? "").slice(0, UPSTREAM_LIMITS.descriptionChars);
  // Hosts before 2025-06-18 read a title only from the annotations.
  const annotations = { ...(title === undefined ? {} : { title }), ...parsed.data.annotations };
  const outputSchema = within(parsed.data.outputSchema, name, problems);
  const tool = { name, description, inputSchema, ...present({ annotations, title, outputSchema, icons, _meta }) };
  // The digest includes parts that are truncated here.
  tools.set(name, { tool, raw: jsonObject.parse(value) });
}

/** Returns an output schema unless it is too long. The tool works without it. */
function within(schema: JsonObject | undefined, name: string, problems: string[]): JsonObject | undefined {
  if (schema === undefined || JSON.stringify(schema).length <= UPSTREAM_LIMITS.schemaChars) return schema;
  problems.push(`the output schema of tool '${name}' is ignored: it is too long`);
  return undefined;
}
