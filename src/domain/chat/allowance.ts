// Checks what a request can use of the operator's account at the vendor. Fields that only shape the answer are allowed. Fields that refer
// to data in the account or cost extra are rejected unless the model's entry allows them, and so are tools that the vendor runs.

import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import type { ModelAllowance } from "./model-entry";
import { ChatRefusal } from "./refusal";

/** Fields that refer to data in the account or store data there. */
const RESOURCES = [
  ...["container", "previous_response_id", "conversation", "prompt", "background", "mcp_servers", "store"],
  ...["thread", "diagnostics", "workspace_id", "user_profile_id"],
];
/** By field: the error details that a vendor returns if it does not support the field. The vendor's SDK then continues without it. */
const WITHOUT: Readonly<Record<string, JsonObject>> = {
  thread: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
};
/** Keys, anywhere in a request, that refer to files and stores of the account. */
const NAMED = new Set(["file_id", "file_ids", "vector_store_ids", "container_id"]);
/** Values of `service_tier` and `speed` without extra cost. */
export const FREE_TIERS: ReadonlySet<JsonValue> = new Set<JsonValue>(["auto", "default", "standard", "standard_only"]);
const OWN_TOOLS = new Set(["function", "custom"]);
const OUTPUT = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
const MOST_ANSWERS = 4;

/** Throws `ChatRefusal` if the request uses anything that is not allowed. `text` is the body as received. */
export function requireAllowed(body: JsonObject, text: string, allow: ModelAllowance): void {
  const no = (param: string, why: string) =>
    new ChatRefusal(400, "not_allowed", why, { param, details: WITHOUT[param] });
  if (text.length > (allow.max_input_bytes ?? Number.POSITIVE_INFINITY))
    throw new ChatRefusal(
      413,
      "request_too_large",
      `Request too large (limit of this model: ${allow.max_input_bytes} bytes). Send less.`,
    );
  for (const field of RESOURCES) {
    const value = body[field];
    if (value !== undefined && value !== null && value !== false && !isAllowedTool(field, allow))
      throw no(
        field,
        `The field '${field}' is not allowed: it uses or stores data in the operator's account. Remove it.`,
      );
  }
  const named = nameIn([body.messages ?? null, body.input ?? null, body.system ?? null]);
  if (named !== null) throw no(named, `'${named}' refers to data in the operator's account. Send the content itself.`);
  for (const tool of Array.isArray(body.tools) ? body.tools : []) {
    const type = isJsonObject(tool) ? tool.type : null;
    if (typeof type !== "string" || OWN_TOOLS.has(type) || isAllowedTool(type, allow)) continue;
    throw no(
      "tools",
      `Tools of type '${type}' are run by the provider and are not allowed for this model. Remove them.`,
    );
  }
  if (body.web_search_options !== undefined && !isAllowedTool("web_search", allow))
    throw no("web_search_options", "Web search is not allowed for this model. Remove it.");
  for (const field of ["service_tier", "speed"]) {
    const tier = body[field];
    if (typeof tier === "string" && !FREE_TIERS.has(tier) && !(allow.tiers ?? []).includes(tier))
      throw no(field, `The ${field} '${tier}' is not allowed for this model.`);
  }
  if (typeof body.n === "number" && body.n > MOST_ANSWERS)
    throw no("n", `Too many answers requested (limit ${MOST_ANSWERS}).`);
  for (const field of OUTPUT) {
    const most = body[field];
    if (typeof most === "number" && most > (allow.max_output_tokens ?? Number.POSITIVE_INFINITY))
      throw no(field, `Too many output tokens requested (limit of this model: ${allow.max_output_tokens}).`);
  }
}

/**
 * Returns the first key in a value that refers to data in the account, or `null`. The input of a tool call is ignored, because the vendor
 * does not interpret it.
 */
function nameIn(value: JsonValue): string | null {
  if (typeof value !== "object" || value === null) return null;
  const isCall = isJsonObject(value) && value.type === "tool_use";
  for (const [key, inner] of Object.entries(value)) {
    if (isCall && key === "input") continue;
    const named = !Array.isArray(value) && NAMED.has(key) && inner !== null ? key : nameIn(inner);
    if (named !== null) return named;
  }
  return null;
}

/** Adds the model's output limit if the caller sets none. */
export function withOutputBound(
  body: JsonObject,
  field: string,
  { max_output_tokens: most }: ModelAllowance,
): JsonObject {
  const isNamed = OUTPUT.some((one) => typeof body[one] === "number");
  return most === undefined || isNamed ? body : { ...body, [field]: most };
}

/** A type with a date, such as `web_search_20250305`, can also be allowed by its name without the date. */
function isAllowedTool(type: string, { server_tools = [] }: ModelAllowance): boolean {
  return server_tools.includes(type) || server_tools.includes(type.replace(/_(?:\d{8}|preview.*)$/, ""));
}

/** Returns the values of a beta header that are allowed. */
export function allowedBetas(value: string, { betas = [] }: ModelAllowance): string {
  const asked = value.split(",").map((one) => one.trim());
  return asked.filter((one) => betas.includes(one)).join(",");
}

/**
 * Replaces the end user in a request by a digest, so that the vendor can distinguish users but not identify them. Removes the gateway's own
 * field from `metadata`.
 */
export function withEndUser(body: JsonObject, user: string): JsonObject {
  const next: JsonObject = { ...body };
  for (const field of ["user", "safety_identifier"]) if (typeof next[field] === "string") next[field] = user;
  if (!isJsonObject(next.metadata)) return next;
  const { conversation_id: _, ...metadata } = next.metadata;
  if (typeof metadata.user_id === "string") metadata.user_id = user;
  if (Object.keys(metadata).length === 0) delete next.metadata;
  else next.metadata = metadata;
  return next;
}
