// A model that the chat endpoint may call: where it is, what it is called there, and who may use what of it.

import * as z from "zod";
import type { Principal } from "../access/access";
import type { Issue } from "../errors";
import { judgeUrl } from "../servers/host-policy";
import { templateProblem } from "../servers/template";

/** The protocols that a model may be spoken to in. Nothing is translated between them. */
export const CHAT_APIS = ["openai-chat", "openai-responses", "anthropic"] as const;
export type ChatApi = (typeof CHAT_APIS)[number];

export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/;
/** What a model is asked for by, to be spoken to without any skill: for titles, tags and the like. */
const PLAIN = ":plain";
/** Names that mean a ghost. */
const RESERVED = /^ghost\//i;
/** A ghost, and the model that is to run it where its own is not meant. No name of a model has a colon. */
const GHOST = /^ghost\/(.+?)(?::([^:]+))?$/;

export const isModelName = (name: string) => MODEL_NAME.test(name) && !RESERVED.test(name);

/** What a request means by `model`. */
export function modelAsked(text: string): ModelAsked {
  const plain = text.endsWith(PLAIN);
  const bare = plain ? text.slice(0, -PLAIN.length) : text;
  const [, ghost, name] = GHOST.exec(bare) ?? [];
  return ghost === undefined ? { name: bare, ghost: null, plain } : { name: name ?? null, ghost, plain };
}

export interface ModelAsked {
  /** `null`: the ghost's own. */
  name: string | null;
  ghost: string | null;
  plain: boolean;
}

/** The name that a list of models has for a ghost. */
export const nameOfGhost = (ghost: string) => `ghost/${ghost}`;

/** The names that a list of models has for one. */
export const namesOfModel = (name: string) => [name, name + PLAIN];

const names = () => z.array(z.string().min(1).max(128)).max(256);

const allowSchema = z.lazy(() =>
  z.strictObject({
    /** Who may call it, besides those whom it belongs to; left out: everybody of its scope. */
    users: names().optional(),
    groups: names().optional(),
    /** Types of tools that the vendor runs itself, such as `web_search`. */
    server_tools: z.array(z.string().min(1).max(64)).max(64).optional(),
    /** Values of `service_tier` and `speed` that cost more. */
    tiers: z.array(z.string().min(1).max(64)).max(16).optional(),
    /** Values of `anthropic-beta` and `openai-beta` that are passed on. */
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
    /** The model takes one system message, the first: ours and the caller's become one. */
    single_system: z.boolean().optional(),
    /** What an answer's `usage` is: all steps together, or the last one, for hosts that measure their context by it. */
    usage: z.enum(["sum", "last"]).optional(),
  }),
);

export type ModelEntry = z.infer<typeof modelEntrySchema>;
export type ModelAllowance = NonNullable<ModelEntry["allow"]>;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const KEY = /^\$\{\{\s*secrets\.[A-Za-z_][A-Za-z0-9_]{0,63}\s*\}\}$/;
/** Headers that say who calls, or how the connection is used: the first come from `key`, the others are nobody's. */
const TAKEN =
  /^(?:authorization|x-api-key|cookie|host|content-.*|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept-encoding)$/i;

/** What is wrong with an entry beyond its shape, all of it. `origins`: those that the operator named, whatever else may be reached. */
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
  if (address !== null) wrong("base_url", "MODEL_URL_REFUSED", `The model address is not allowed: ${address}.`);
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

/** Why nothing may be sent to an address; `null` where it may. No variable has a place in it. */
function addressProblem(text: string, origins: readonly string[], development: boolean): string | null {
  if (text.includes("${{")) return "its URL must not contain variables";
  const url = URL.parse(text);
  if (url !== null && (url.search !== "" || url.hash !== ""))
    return "its URL must not end with the path of the endpoint";
  if (url !== null && origins.includes(url.origin) && url.username === "" && url.password === "") return null;
  return judgeUrl(text, development).problem ?? null;
}

/** Whether this principal may call a model that it sees. */
export function mayCall({ users, groups }: ModelAllowance, principal: Principal): boolean {
  if (users === undefined && groups === undefined) return true;
  return (
    users?.includes(principal.userId) === true || principal.groups.some(({ group }) => groups?.includes(group) === true)
  );
}
