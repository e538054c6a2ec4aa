// What a request may ask of the operator's account. A field that only shapes the answer passes; one that names a thing in the account,
// or costs extra, is refused unless the model's entry allows it. Tools of types that nobody has allowed are run by the vendor.

import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import type { ModelAllowance } from "./model-entry";
import { ChatRefusal } from "./refusal";

/** Fields that name what lies in the account, or keep something there. */
const RESOURCES = [
  ...["container", "previous_response_id", "conversation", "prompt", "background", "mcp_servers", "store"],
  ...["thread", "diagnostics", "workspace_id", "user_profile_id"],
];
/** By field: what a vendor says where it does not have it either, and from which its own SDK goes on without. */
const WITHOUT: Readonly<Record<string, JsonObject>> = {
  thread: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
};
/** Keys, anywhere in what a request says, that name files and stores of the account. */
const NAMED = new Set(["file_id", "file_ids", "vector_store_ids", "container_id"]);
const FREE_TIERS = new Set(["auto", "default", "standard", "standard_only"]);
const OWN_TOOLS = new Set(["function", "custom"]);
const OUTPUT = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
const MOST_ANSWERS = 4;

/** Refuses what may not be asked. `text` is the body as it came. */
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

/** The first key of a value that names something in the account. What a call says to a tool names nothing at the vendor. */
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

/** The model's bound where the caller names none. */
export function withOutputBound(
  body: JsonObject,
  field: string,
  { max_output_tokens: most }: ModelAllowance,
): JsonObject {
  const isNamed = OUTPUT.some((one) => typeof body[one] === "number");
  return most === undefined || isNamed ? body : { ...body, [field]: most };
}

/** A type with its date, as `web_search_20250305`, is allowed by its name alone, too. */
function isAllowedTool(type: string, { server_tools = [] }: ModelAllowance): boolean {
  return server_tools.includes(type) || server_tools.includes(type.replace(/_(?:\d{8}|preview.*)$/, ""));
}

/** The values of a header of betas that may pass. */
export function allowedBetas(value: string, { betas = [] }: ModelAllowance): string {
  const asked = value.split(",").map((one) => one.trim());
  return asked.filter((one) => betas.includes(one)).join(",");
}

/**
 * Says who asks by a digest in place of what a front end says: the vendor is to tell users apart, and not who they are. Our own
 * field of `metadata` stays here.
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
