// Calls a model at its address with its owner's key, and maps failures to errors for the caller.

import { GATEWAY_SCOPE, PUBLIC_SCOPE } from "../../domain/access/access";
import { DEMO_SCOPE } from "../../domain/chat/demo";
import { CHAT_LIMITS } from "../../domain/chat/limits";
import { billedAs, hasStandardPrice } from "../../domain/chat/list-prices";
import type { ModelEntry } from "../../domain/chat/model-entry";
import type { Protocol } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import { sourceOfScope } from "../../domain/conversation/servers";
import { NO_USAGE, readUsage, sumOfUsage, type Usage } from "../../domain/conversation/usage";
import { isJsonObject, type JsonObject } from "../../domain/json";
import { metricLabelFor } from "../../domain/metrics/families";
import type { Redactor } from "../../domain/servers/redactor";
import { faultIn } from "../../upstream/fault";
import { guardedFetch } from "../../upstream/fetch";
import type { Context } from "../context";
import { fillServerVariables } from "../servers/variables";
import { originsFor } from "./models";

/** A model that the caller can use, as its owner stored it. */
export interface FoundModel {
  scope: string;
  name: string;
  entry: ModelEntry;
}

/** Redacts what a model server returns: keys, and addresses in the operator's network. */
export interface ModelError {
  text(text: string): string;
  json(value: JsonObject): JsonObject;
  /** Nothing needs to be redacted. */
  isIdle: boolean;
}

/** Calls one model. */
export interface ModelCall {
  /** Sends one request, with these headers in addition. Throws `ChatRefusal` if there is no response. */
  send(body: JsonObject, signal: AbortSignal, headers?: Readonly<Record<string, string>>): Promise<Response>;
  untold: ModelError;
}

function errorRedactor(redactor: Redactor, url: string, origins: readonly string[]): ModelError {
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
 * Returns a caller for a model.
 *
 * @param path appended to the model's address
 * @param headers of the caller's request that are passed to the vendor
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
  if ("problem" in filled)
    throw new ChatRefusal(
      502,
      "model_misconfigured",
      `The model '${name}' is misconfigured: ${filled.problem}. Its owner must fix it.`,
    );
  const { target } = filled;
  const sent = { ...headers, ...target.headers, "content-type": "application/json" };
  const modelError = errorRedactor(target.redactor, target.url, origins);
  const send: ModelCall["send"] = async (body, signal, more = {}) => {
    const init = { method: "POST", headers: { ...more, ...sent }, body: JSON.stringify(body), signal };
    const { firstByteMs: headersMs, totalMs, streamBytes: bytes } = CHAT_LIMITS;
    const guard = { headersMs, totalMs, bytes, origins };
    const answer = await guardedFetch(target.url, init, { development: __DEVELOPMENT__, ...guard }).catch(
      (error: unknown) => {
        throw modelFault(error) ?? error;
      },
    );
    if (answer.ok) return answer;
    throw await refusedBy(answer, name, modelError);
  };
  return { send, untold: modelError };
}

/** Models known to support fewer fields than others of their protocol. Only an optimization: an unknown model is called twice. */
const lesser = new Set<string>();
const MOST_KNOWN = 1_000;

/** Calls again without optional fields if a model rejects them. */
export function retryingCall(protocol: Protocol, { scope, name, entry }: FoundModel, call: ModelCall): ModelCall {
  const key = JSON.stringify([scope, name, entry.base_url, entry.model]);
  const less = protocol.lesser;
  if (less === undefined) return call;
  const send: ModelCall["send"] = async (body, signal, more) => {
    const known = lesser.has(key) ? less(body, null) : null;
    try {
      return await call.send(known ?? body, signal, more);
    } catch (error) {
      const again = known === null && error instanceof ChatRefusal ? less(body, error) : null;
      if (again === null) throw error;
      if (lesser.size < MOST_KNOWN) lesser.add(key);
      return call.send(again, signal, more);
    }
  };
  return { ...call, send };
}

/** Requests to a model that are not recorded yet, those of them that failed, and the tokens that its server reported. */
export interface ModelTally {
  calls: number;
  failures: number;
  usage: Usage;
}

export const noTally = (): ModelTally => ({ calls: 0, failures: 0, usage: NO_USAGE });

/** Adds what a model's server reported of one request, if the request has standard prices. */
export function tallyUsage(
  tally: ModelTally,
  { entry }: FoundModel,
  body: JsonObject,
  reported: JsonObject | null,
): void {
  if (reported === null) return;
  const read = readUsage(reported);
  if ("problem" in read || !hasStandardPrice(billedAs(entry), body, reported, read.usage)) return;
  tally.usage = sumOfUsage(tally.usage, read.usage);
}

/** Counts requests to a model by result, also in `tally`. */
export function countedCall({ count }: Context, model: FoundModel, call: ModelCall, tally: ModelTally): ModelCall {
  const name = nameOfModel(model);
  const send: ModelCall["send"] = async (body, signal, more) => {
    try {
      const answer = await call.send(body, signal, more);
      count("model_calls", [name, "ok"]);
      tally.calls++;
      return answer;
    } catch (error) {
      count("model_calls", [name, signal.aborted ? "cancelled" : "failed"]);
      tally.calls++;
      if (!signal.aborted) tally.failures++;
      throw error;
    }
  };
  return { ...call, send };
}

/** The label of a model in metrics. */
export function nameOfModel({ scope, name }: Pick<FoundModel, "scope" | "name">): string {
  const isGateways = scope === GATEWAY_SCOPE || scope === DEMO_SCOPE;
  return metricLabelFor(isGateways ? "gateway" : sourceOfScope(scope).kind, name);
}

/** Maps a broken connection to a model to an error for the caller. */
export function modelFault(error: unknown): ChatRefusal | null {
  const fault = faultIn(error);
  if (fault === null) return null;
  const status = fault.kind === "timeout" ? 504 : 502;
  return new ChatRefusal(status, `model_${fault.kind}`, `The model provider cannot be reached: ${fault.message}.`);
}

/** These statuses concern the gateway's credentials. Passing them on would make callers check their own. */
const CREDENTIALS = [401, 402, 403, 407];

async function refusedBy(answer: Response, name: string, modelError: ModelError): Promise<ChatRefusal> {
  const { status } = answer;
  const text = await beginningOf(answer);
  if (CREDENTIALS.includes(status) || status < 400)
    return new ChatRefusal(
      502,
      "upstream_auth",
      `The model provider of '${name}' rejected the stored key. Its owner must replace it.`,
    );
  const wait = answer.headers.get("retry-after");
  const headers: Record<string, string> = wait === null ? {} : { "retry-after": wait.slice(0, 64) };
  const body = errorBody(modelError.text(text));
  const message = `The model provider of '${name}' returned HTTP ${status}. Check the request, or try again later.`;
  return new ChatRefusal(status, "model_failed", message, { headers, ...(body === null ? {} : { body }) });
}

/** Returns the start of an error body. The rest is not read, because a vendor can be anybody's server. */
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
    // An incomplete error is returned as far as it was received.
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
