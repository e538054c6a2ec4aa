// Calling a model: where it is, with whose key, and what is told when it does not answer.

import { GATEWAY_SCOPE, PUBLIC_SCOPE } from "../../domain/access/access";
import { CHAT_LIMITS } from "../../domain/chat/limits";
import type { ModelEntry } from "../../domain/chat/model-entry";
import type { Protocol } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import { isJsonObject, type JsonObject } from "../../domain/json";
import type { Redactor } from "../../domain/servers/redactor";
import { faultIn } from "../../upstream/fault";
import { guardedFetch } from "../../upstream/fetch";
import type { Context } from "../context";
import { fillServer } from "../servers/variables";
import { originsFor } from "./models";

/** A model that a caller may call, as its owner stored it. */
export interface FoundModel {
  scope: string;
  name: string;
  entry: ModelEntry;
}

/** Sends one request to the model. Throws `ChatRefusal` where there is no answer. */
export type ModelCall = (body: JsonObject, signal: AbortSignal) => Promise<Response>;

/**
 * Makes what calls a model.
 *
 * @param path behind the model's address
 * @param headers of the caller's request that the vendor may see
 */
export async function modelCall(
  context: Context,
  protocol: Protocol,
  { scope, name, entry }: FoundModel,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<ModelCall> {
  const shared = scope === GATEWAY_SCOPE ? PUBLIC_SCOPE : scope;
  const origins = originsFor(context, scope);
  const own = { ...entry.headers, ...(entry.key === undefined ? {} : protocol.keyHeaders(entry.key)) };
  const url = entry.base_url.replace(/\/+$/, "") + path;
  const filled = await fillServer(context, { shared, origins }, name, { url, headers: own });
  if ("problem" in filled) throw new ChatRefusal(502, "model_misconfigured", `The model '${name}': ${filled.problem}.`);
  const { target } = filled;
  const sent = { ...headers, ...target.headers, "content-type": "application/json" };
  return async (body, signal) => {
    const init = { method: "POST", headers: sent, body: JSON.stringify(body), signal };
    const { firstByteMs: headersMs, totalMs, streamBytes: bytes } = CHAT_LIMITS;
    const guard = { headersMs, totalMs, bytes, origins };
    const answer = await guardedFetch(target.url, init, { development: __DEVELOPMENT__, ...guard }).catch(
      (error: unknown) => {
        throw modelFault(error) ?? error;
      },
    );
    if (answer.ok) return answer;
    throw await refusedBy(answer, name, target.redactor);
  };
}

/** What broke a connection to a model, as the caller is told. */
export function modelFault(error: unknown): ChatRefusal | null {
  const fault = faultIn(error);
  if (fault === null) return null;
  const status = fault.kind === "timeout" ? 504 : 502;
  return new ChatRefusal(status, `model_${fault.kind}`, `The model cannot be reached: ${fault.message}.`);
}

/** What is about the gateway's own credentials would send the caller looking at its own. */
const CREDENTIALS = [401, 402, 403, 407];

async function refusedBy(answer: Response, name: string, redactor: Redactor): Promise<ChatRefusal> {
  const { status } = answer;
  const text = await beginningOf(answer);
  if (CREDENTIALS.includes(status) || status < 400)
    return new ChatRefusal(502, "upstream_auth", `The vendor of '${name}' does not take the gateway's key for it.`);
  const wait = answer.headers.get("retry-after");
  const headers: Record<string, string> = wait === null ? {} : { "retry-after": wait.slice(0, 64) };
  const body = errorBody(redactor.text(text));
  const message = `The model '${name}' answered with status ${status}.`;
  return new ChatRefusal(status, "model_failed", message, { headers, ...(body === null ? {} : { body }) });
}

/** As much of an error as is told. The rest is not read: a vendor is anybody's server. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    while (text.length < CHAT_LIMITS.errorBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
    }
  } catch {
    // What broke off is told as far as it came.
  }
  await reader.cancel().catch(() => undefined);
  return text.slice(0, CHAT_LIMITS.errorBytes);
}

function errorBody(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
