// Generates the OpenAPI document from the schemas of the routes and the texts of this folder. Only the build and tests use it
// (scripts/build/openapi.mjs); the Worker serves the result as a static file.

import type { OpenAPIHono } from "@hono/zod-openapi";
import { version } from "../../../package.json";
import { STREAMED_EVENTS } from "../../domain/events/events";
import { jsonObject } from "../../domain/json";
import type { HttpEnv } from "../../edge/edge";
import * as z from "../../edge/zod";
import { resultSchema, toolCallsReplySchema } from "../../services/conversation/replies";
import { ADMINISTRATION_TEXTS } from "./administration";
import { COMPAT_TEXTS } from "./compat";
import { CONVERSATION_TEXTS } from "./conversations";
import { FIELDS } from "./fields";
import { INSIGHT_TEXTS } from "./insights";
import type { OperationText, OperationTexts, Retry } from "./operation";
import { HEADERS, PARAMETERS, RESOURCES, TAGS } from "./parameters";
import { REVIEW_TEXTS } from "./reviews";
import { SKILL_TEXTS } from "./skills";

const TEXTS: OperationTexts = {
  ...CONVERSATION_TEXTS,
  ...SKILL_TEXTS,
  ...ADMINISTRATION_TEXTS,
  ...INSIGHT_TEXTS,
  ...REVIEW_TEXTS,
  ...COMPAT_TEXTS,
};

const DESCRIPTION = `Skills on demand for any chat front end or agent.

A chat back end needs two operations: \`turns.prepare\` after each user message, and \`toolCalls.run\` after each model response with tool
calls. \`x-retry\` says whether an operation can be repeated when it is unknown whether the request arrived. A response with status 429
can always be repeated after \`Retry-After\`.`;

/** Returns the document of all routes that the app has. Call it once for an app: it registers components. */
export function documentOf(app: OpenAPIHono<HttpEnv>) {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  for (const [name, header] of Object.entries(HEADERS))
    app.openAPIRegistry.registerComponent("parameters", name, header);
  app.openAPIRegistry.register("ToolCallEvent", eventSchema());
  app.openAPIRegistry.register("RegistryEvent", registryEventSchema());
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Skill Gateway", version, description: DESCRIPTION, license: { name: "MIT" } },
    // Relative to the document, so that it is valid for every gateway.
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  });
  mendPatterns(document);
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(methods)) {
      describeOperation(operation, method.toUpperCase(), path);
      describeBody(operation, document.components?.schemas ?? {});
    }
  return document;
}

/** One frame of a stream of tool calls: its `event`, and its `data` as JSON. */
const eventSchema = () =>
  z
    .union([
      z.object({
        event: z.literal("progress"),
        data: z.object({
          id: z.string(),
          name: z.string(),
          progress: z.number(),
          total: z.number().optional(),
          message: z.string().optional(),
        }),
      }),
      z.object({
        event: z.literal("sign_in"),
        data: z.object({
          id: z.string(),
          name: z.string(),
          server: z.string(),
          url: z.string(),
          expires_at: z.string(),
        }),
      }),
      z.object({ event: z.literal("result"), data: resultSchema() }),
      z.object({ event: z.literal("done"), data: toolCallsReplySchema().openapi("ToolCallsAnswer") }),
      z.object({
        event: z.literal("error"),
        data: z.object({ code: z.string(), reason: z.string(), message: z.string(), details: z.unknown().optional() }),
      }),
    ])
    .openapi({ description: "A frame of the event stream of `toolCalls.run`. The last frame is `done` or `error`." });

/** One frame of the stream of registry events. */
const registryEventSchema = () =>
  z
    .object({
      event: z.enum([...STREAMED_EVENTS, "ready", "reset"]),
      data: z.object({ type: z.string().optional(), timestamp: z.string().optional(), data: jsonObject.optional() }),
    })
    .openapi({
      description:
        "A frame of the event stream of `events.list`. Its `id` is the place to continue from. `ready` follows missed events; `reset` means that older events were deleted.",
    });

/** Only the parts that the gateway uses. */
interface Described {
  operationId?: string;
  security?: unknown[];
  parameters?: ({ $ref: string } | Parameter)[];
  requestBody?: { content: Record<string, { schema?: BodySchema }> };
  responses?: Record<string, { content?: Record<string, object> }>;
}

interface Parameter {
  in: string;
  name: string;
  description?: string;
  example?: unknown;
}

/** A schema of a body, as far as its members are described here. */
interface BodySchema {
  $ref?: string;
  description?: string;
  properties?: Record<string, BodySchema>;
  allOf?: BodySchema[];
  anyOf?: BodySchema[];
}

/** Adds to an operation what its schemas do not contain. */
function describeOperation(operation: Described, method: string, path: string): void {
  const text = TEXTS[`${method} ${path}`];
  if (text === undefined) return;
  for (const parameter of operation.parameters ?? []) if ("name" in parameter) describeParameter(parameter, path, text);
  // A route that reads a header has declared it in lower case.
  const own = (operation.parameters ?? []).filter((one) => !("name" in one) || one.in !== "header");
  const headers = operation.security?.length === 0 ? [] : ["OnBehalfOf", "Bookmark"];
  if (text.keyed) headers.push("IdempotencyKey");
  const parameters = [...own, ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
  const body = Object.values(operation.requestBody?.content ?? {});
  for (const content of body) if (text.body !== undefined) Object.assign(content, { example: text.body });
  const stream = operation.responses?.["200"]?.content?.["text/event-stream"];
  if (stream !== undefined && text.events !== undefined)
    Object.assign(stream, { "x-event-schema": { $ref: `#/components/schemas/${text.events}` } });
  Object.assign(operation, {
    operationId: text.id,
    tags: [text.id.split(".", 1)[0]],
    description: text.about,
    ...(parameters.length === 0 ? {} : { parameters }),
    "x-retry": text.retry ?? RETRY[method] ?? "never",
  });
}

const RETRY: Readonly<Record<string, Retry>> = { GET: "safe", PUT: "idempotent", DELETE: "idempotent" };

function describeParameter(parameter: Parameter, path: string, { query }: OperationText): void {
  const [about, usual] = PARAMETERS[parameter.name] ?? [];
  const [, noun = "object", values = {}] = RESOURCES.find(([start]) => path.startsWith(start)) ?? [];
  parameter.description ??= about?.replace("{noun}", noun);
  parameter.example = query?.[parameter.name] ?? values[parameter.name] ?? usual;
}

/** Adds descriptions to the members of an operation's body that have none. */
function describeBody({ operationId, requestBody }: Described, schemas: Readonly<Record<string, BodySchema>>): void {
  const resolved = (schema: BodySchema) => schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;
  const describe = (schema: BodySchema): void => {
    const { properties = {}, allOf = [], anyOf = [] } = resolved(schema);
    for (const [name, member] of Object.entries(properties)) {
      const text = FIELDS[`${operationId}.${name}`] ?? FIELDS[name];
      if (text !== undefined && resolved(member).description === undefined) member.description ??= text;
    }
    for (const part of [...allOf, ...anyOf]) describe(part);
  };
  for (const { schema } of Object.values(requestBody?.content ?? {})) if (schema !== undefined) describe(schema);
}

/** Patterns in JSON Schema have no flags and are read as if `u` were set. The library appends the flags of an expression to its text. */
function mendPatterns(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if ("pattern" in value && typeof value.pattern === "string") value.pattern = value.pattern.replace(/\/[a-z]+$/, "");
  for (const member of Object.values(value)) mendPatterns(member);
}
