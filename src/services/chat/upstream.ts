// Calling a model: where it is, with whose key, and what is told when it does not answer.

import { GATEWAY_SCOPE, PUBLIC_SCOPE } from "../../domain/access/access";
import { DEMO_SCOPE } from "../../domain/chat/demo";
import { CHAT_LIMITS } from "../../domain/chat/limits";
import type { ModelEntry } from "../../domain/chat/model-entry";
import type { Protocol } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import { sourceOfScope } from "../../domain/conversation/servers";
import { isJsonObject, type JsonObject } from "../../domain/json";
import { metricLabelFor } from "../../domain/metrics/families";
import type { Redactor } from "../../domain/servers/redactor";
import { faultIn } from "../../upstream/fault";
import { guardedFetch } from "../../upstream/fetch";
import type { Context } from "../context";
import { fillServerVariables } from "../servers/variables";
import { originsFor } from "./models";

/** A model that a caller may call, as its owner stored it. */
export interface FoundModel {
  scope: string;
  name: string;
  entry: ModelEntry;
}

/** What a model's server says, without what is its owner's: keys, and where in the operator's network it is. */
export interface ModelError {
  text(text: string): string;
  json(value: JsonObject): JsonObject;
  /** There is nothing that is not to be told. */
  isIdle: boolean;
}

/** How a model is called. */
export interface ModelCall {
  /** Sends one request to it. Throws `ChatRefusal` where there is no answer. */
  send(body: JsonObject, signal: AbortSignal): Promise<Response>;
  untold: ModelError;
}

function untoldOf(redactor: Redactor, url: string, origins: readonly string[]): ModelError {
  const { host, origin } = new URL(url);
  const isInside = origins.includes(origin);
  const text = (told: string) => {
    const shown = redactor.text(told);
    return isInside ? shown.replaceAll(host, "[the model's host]") : shown;
  };
  return {
    text,
    json: (value) => errorBody(text(JSON.stringify(redactor.json(value)))) ?? {},
    isIdle: redactor.isIdle && !isInside,
  };
}

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
  const filled = await fillServerVariables(context, { shared, origins }, name, { url, headers: own });
  if ("problem" in filled) throw new ChatRefusal(502, "model_misconfigured", `The model '${name}': ${filled.problem}.`);
  const { target } = filled;
  const sent = { ...headers, ...target.headers, "content-type": "application/json" };
  const untold = untoldOf(target.redactor, target.url, origins);
  const send: ModelCall["send"] = async (body, signal) => {
    const init = { method: "POST", headers: sent, body: JSON.stringify(body), signal };
    const { firstByteMs: headersMs, totalMs, streamBytes: bytes } = CHAT_LIMITS;
    const guard = { headersMs, totalMs, bytes, origins };
    const answer = await guardedFetch(target.url, init, { development: __DEVELOPMENT__, ...guard }).catch(
      (error: unknown) => {
        throw modelFault(error) ?? error;
      },
    );
    if (answer.ok) return answer;
    throw await refusedBy(answer, name, untold);
  };
  return { send, untold };
}

/** Models that are known to take less than others of their protocol. Nothing depends on it: one that is not known is asked twice. */
const lesser = new Set<string>();
const MOST_KNOWN = 1_000;

/** Asks once more, and less, where a model refuses what only some models take. */
export function retryingCall(protocol: Protocol, { scope, name, entry }: FoundModel, call: ModelCall): ModelCall {
  const key = JSON.stringify([scope, name, entry.base_url, entry.model]);
  const less = protocol.lesser;
  if (less === undefined) return call;
  const send: ModelCall["send"] = async (body, signal) => {
    const known = lesser.has(key) ? less(body, null) : null;
    try {
      return await call.send(known ?? body, signal);
    } catch (error) {
      const again = known === null && error instanceof ChatRefusal ? less(body, error) : null;
      if (again === null) throw error;
      if (lesser.size < MOST_KNOWN) lesser.add(key);
      return call.send(again, signal);
    }
  };
  return { ...call, send };
}

/** Counts how requests to a model go. */
export function countedCall({ count }: Context, model: FoundModel, call: ModelCall): ModelCall {
  const name = nameOfModel(model);
  const send: ModelCall["send"] = async (body, signal) => {
    try {
      const answer = await call.send(body, signal);
      count("model_calls", [name, "ok"]);
      return answer;
    } catch (error) {
      count("model_calls", [name, signal.aborted ? "cancelled" : "failed"]);
      throw error;
    }
  };
  return { ...call, send };
}

/** What a model is counted under. */
export function nameOfModel({ scope, name }: Pick<FoundModel, "scope" | "name">): string {
  const isGateways = scope === GATEWAY_SCOPE || scope === DEMO_SCOPE;
  return metricLabelFor(isGateways ? "gateway" : sourceOfScope(scope).kind, name);
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

async function refusedBy(answer: Response, name: string, untold: ModelError): Promise<ChatRefusal> {
  const { status } = answer;
  const text = await beginningOf(answer);
  if (CREDENTIALS.includes(status) || status < 400)
    return new ChatRefusal(502, "upstream_auth", `The vendor of '${name}' does not take the gateway's key for it.`);
  const wait = answer.headers.get("retry-after");
  const headers: Record<string, string> = wait === null ? {} : { "retry-after": wait.slice(0, 64) };
  const body = errorBody(untold.text(text));
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
