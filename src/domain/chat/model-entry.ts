// Defines a model of the chat endpoint: its URL, its name at the vendor, and who can use which of its features.

import * as z from "zod";
import type { Principal } from "../access/access";
import type { Issue } from "../errors";
import { judgeUrl } from "../servers/host-policy";
import { templateProblem } from "../servers/template";

/** Supported protocols. The gateway does not translate between them. */
export const CHAT_APIS = ["openai-chat", "openai-responses", "anthropic"] as const;
export type ChatApi = (typeof CHAT_APIS)[number];

export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/;
/** Suffix of a model name for requests without skills, for example for titles and tags. */
const PLAIN = ":plain";
/** Names that refer to a ghost. */
const RESERVED = /^ghost\//i;
/** A ghost, optionally with the model to run it instead of its own. Model names contain no colon. */
const GHOST = /^ghost\/(.+?)(?::([^:]+))?$/;

export const isModelName = (name: string) => MODEL_NAME.test(name) && !RESERVED.test(name);

/** Parses the `model` of a request. */
export function modelAsked(text: string): ModelAsked {
  const plain = text.endsWith(PLAIN);
  const bare = plain ? text.slice(0, -PLAIN.length) : text;
  const [, ghost, name] = GHOST.exec(bare) ?? [];
  return ghost === undefined ? { name: bare, ghost: null, plain } : { name: name ?? null, ghost, plain };
}

export interface ModelAsked {
  /** `null`: the ghost's own model. */
  name: string | null;
  ghost: string | null;
  plain: boolean;
}

/** Returns the name of a ghost in a list of models. */
export const nameOfGhost = (ghost: string) => `ghost/${ghost}`;

/** Returns the names of a model in a list of models. */
export const namesOfModel = (name: string) => [name, name + PLAIN];

const names = () => z.array(z.string().min(1).max(128)).max(256);

const allowSchema = z.lazy(() =>
  z.strictObject({
    /** Users who can call it, in addition to its owners. If absent, everyone in its scope. */
    users: names().optional(),
    groups: names().optional(),
    /** Tool types that the vendor runs, such as `web_search`. */
    server_tools: z.array(z.string().min(1).max(64)).max(64).optional(),
    /** Values of `service_tier` and `speed` with extra cost. */
    tiers: z.array(z.string().min(1).max(64)).max(16).optional(),
    /** Values of `anthropic-beta` and `openai-beta` that the gateway forwards. */
    betas: z.array(z.string().min(1).max(128)).max(64).optional(),
    max_output_tokens: z.int().min(1).max(10_000_000).optional(),
    max_input_bytes: z.int().min(1).max(1_073_741_824).optional(),
  }),
);

export const modelEntrySchema = z.lazy(() =>
  z.strictObject({
    api: z.array(z.enum(CHAT_APIS)).min(1).max(2),
    base_url: z.string().min(1).max(2_048),
    model: z.string().min(1).max(256),
    key: z.string().max(256).optional(),
    headers: z.record(z.string(), z.string().max(8_192)).optional(),
    allow: allowSchema.optional(),
    /** The model accepts only one system message, at the start: the gateway's and the caller's are joined. */
    single_system: z.boolean().optional(),
    /** The `usage` of an answer: the sum of all steps, or the last step, for hosts that measure their context with it. */
    usage: z.enum(["sum", "last"]).optional(),
  }),
);

export type ModelEntry = z.infer<typeof modelEntrySchema>;
export type ModelAllowance = NonNullable<ModelEntry["allow"]>;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const KEY = /^\$\{\{\s*secrets\.[A-Za-z_][A-Za-z0-9_]{0,63}\s*\}\}$/;
/** Headers for authentication, which come from `key`, and headers that control the connection, which cannot be set. */
const TAKEN =
  /^(?:authorization|x-api-key|cookie|host|content-.*|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept-encoding)$/i;

/** Returns all problems of an entry beyond its schema. `origins` are the origins that the operator allows explicitly. */
export function modelProblems(entry: ModelEntry, origins: readonly string[], development: boolean): Issue[] {
  const issues: Issue[] = [];
  const wrong = (path: string, code: string, message: string) => issues.push({ code, message, path });
  if (new Set(entry.api).size !== entry.api.length || (entry.api.includes("anthropic") && entry.api.length > 1))
    wrong(
      "api",
      "INVALID_FIELD",
      "Value not allowed. Use `anthropic` alone, or one or both of `openai-chat` and `openai-responses`.",
    );
  const address = addressProblem(entry.base_url, origins, development);
  if (address !== null)
    wrong("base_url", "MODEL_URL_REFUSED", `The model address is not allowed: ${address}. Change it.`);
  if (entry.key !== undefined && !KEY.test(entry.key))
    wrong(
      "key",
      "INVALID_FIELD",
      "`key` is not a secret reference. Write secrets.NAME in `$` and double braces, and store the key as a secret bound to the model's host.",
    );
  for (const [name, template] of Object.entries(entry.headers ?? {})) {
    const found = templateProblem(template, "header");
    if (!HEADER_NAME.test(name) || TAKEN.test(name))
      wrong(`headers.${name}`, "BAD_HEADER", "This header cannot be set. Remove it.");
    else if (found !== null)
      wrong(`headers.${name}`, found.code, `The header has an invalid variable: ${found.problem}.`);
  }
  return issues;
}

/** Returns the reason why requests to a URL are not allowed, or `null`. A URL must not contain variables. */
function addressProblem(text: string, origins: readonly string[], development: boolean): string | null {
  if (text.includes("${{")) return "its URL must not contain variables";
  const url = URL.parse(text);
  if (url !== null && (url.search !== "" || url.hash !== ""))
    return "its URL must not end with the path of the endpoint";
  if (url !== null && origins.includes(url.origin) && url.username === "" && url.password === "") return null;
  return judgeUrl(text, development).problem ?? null;
}

/** Whether this principal can call a model that it can see. */
export function mayCall({ users, groups }: ModelAllowance, principal: Principal): boolean {
  if (users === undefined && groups === undefined) return true;
  return (
    users?.includes(principal.userId) === true || principal.groups.some(({ group }) => groups?.includes(group) === true)
  );
}
