// Prepares a server's response for the client: JSON as a whole, streams event by event, everything else as an error text.

import { jsonObject, parseExactly } from "../../domain/json";
import { UPSTREAM_LIMITS } from "../../domain/limits";
import { type StreamEvent, writeEvent } from "../../domain/servers/event-stream";
import { passes, toolDigest } from "../../domain/servers/guard";
import type { ApprovedTools } from "../../domain/servers/owner";
import { returnedHeaders } from "../../domain/servers/proxy-headers";
import { requestIds, rpcError, toolsIn, withoutTools } from "../../domain/servers/rpc-message";
import { statusFault, UpstreamFault } from "../../upstream/fault";
import type { BodyReader, GuardedResponse } from "../../upstream/fetch";
import { relay, tooLarge, upstreamTimeout } from "./event-relay";
import { type ProxiedCall, type ProxiedServer, ProxyRefusal, sessionHandle, toHandle } from "./proxied-call";

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/;
/** JSON-RPC "internal error": how a client sees a failure of the server. */
const FAILED = -32603;
/** These concern the gateway's credentials, not the client's. */
const CREDENTIAL_STATUSES = new Set([401, 403, 407]);

/** Returns the response for the client. @throws ProxyRefusal, UpstreamFault */
export async function proxiedAnswer(exchange: ProxiedCall, { response, body }: GuardedResponse): Promise<Response> {
  const { status } = response;
  if (CREDENTIAL_STATUSES.has(status)) {
    await body?.cancel();
    throw statusFault(status, null);
  }
  const headers = returnedHeaders(response.headers, exchange.server.target.redactor.text);
  const session = response.headers.get("mcp-session-id");
  if (session !== null) headers.set("mcp-session-id", await sessionHandle(exchange, session));
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const media = type.trim();
  const isStream = response.ok && media === "text/event-stream";
  const isJson = status !== 202 && JSON_TYPE.test(media);
  if (body !== null && (isStream || isJson)) {
    if (!parameters.every(isUtf8)) {
      await body.cancel();
      throw new UpstreamFault("protocol", "the server's answer is not in UTF-8");
    }
    headers.set("content-type", media);
    const passedOn = isStream ? streamed(exchange, body) : await rewritten(exchange, await whole(exchange, body));
    return new Response(passedOn, { status, headers });
  }
  await body?.cancel();
  headers.delete("content-type");
  return withoutBody(exchange, status, headers, body !== null);
}

/** Whether a media type names no other encoding. With another one, the text that is checked would differ from the text that is read. */
function isUtf8(parameter: string): boolean {
  const charset = /^\s*charset\s*=\s*"?([^"\s]*)/.exec(parameter)?.[1];
  return charset === undefined || ["utf-8", "utf8", "us-ascii"].includes(charset);
}

/** Returns a response without a body, or in place of an unreadable one. */
function withoutBody({ request }: ProxiedCall, status: number, headers: Headers, hadBody: boolean): Response {
  const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
  if (status >= 500) throw statusFault(status, Number.isFinite(retryAfter) ? retryAfter : null);
  if (status >= 300) {
    throw new ProxyRefusal(
      status,
      -32000,
      `The server returned HTTP ${status}. Check the request, or try again later.`,
      Object.fromEntries(headers),
    );
  }
  // A server of type `sse` answers on its stream and returns "Accepted" here.
  const isAnswer = hadBody && status !== 202 && request.handle === null && requestIds(request.posted).length > 0;
  if (isAnswer) throw new UpstreamFault("protocol", "the server's answer is neither JSON nor an event stream");
  return new Response(null, { status, headers });
}

/** Returns the text of a JSON response, within the remaining time of the call. */
async function whole({ context, server, began }: ProxiedCall, body: BodyReader): Promise<string> {
  const { callMs } = server.target;
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(upstreamTimeout(callMs)), Math.max(0, callMs - (context.now() - began)));
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await Promise.race([body.read(), over]);
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length > UPSTREAM_LIMITS.answerBytes) throw tooLarge();
    }
  } catch (error) {
    body.cancel(error).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function streamed(exchange: ProxiedCall, body: BodyReader): ReadableStream<Uint8Array> {
  const { context, server, request, stands } = exchange;
  const { name, type, connectMs, callMs } = server.target;
  return relay(body, {
    pending: stands ? [] : requestIds(request.posted),
    firstMs: type === "sse" ? connectMs : stands ? null : callMs,
    silenceMs: stands ? null : callMs,
    now: context.now,
    pass: (event) => (event.type === "endpoint" ? endpoint(exchange, event) : passed(exchange, event)),
    failure: (id, fault) => rpcError(id, FAILED, failureText(name, fault)),
    // Clients of the old transport wait for their endpoint and receive errors on the stream.
    failureEvent: (fault) => (type === "sse" ? writeEvent({ type: "error", data: failureText(name, fault) }) : ""),
  });
}

/** Returns an event, rewritten. */
async function passed(exchange: ProxiedCall, { type, id, data, retry }: StreamEvent): Promise<string> {
  const redact = exchange.server.target.redactor.text;
  return writeEvent({
    type: redact(type),
    id: id === null ? null : redact(id),
    data: data === null || data === "" ? data : await rewritten(exchange, data),
    retry,
  });
}

/**
 * Returns the URL where a client of the old transport posts: a URL of this gateway that only this user can use. With a server of the newer
 * transport the event has no meaning, and a client of the old one would follow it and send its key.
 */
async function endpoint(exchange: ProxiedCall, event: StreamEvent): Promise<string> {
  const { server, request } = exchange;
  if (server.target.type !== "sse") return "";
  const url = URL.parse(event.data ?? "", server.target.url);
  if (url === null || url.origin !== new URL(server.target.url).origin) {
    throw new UpstreamFault("refused", "the server names an endpoint of another origin, which is not allowed");
  }
  // The whole URL as it was checked: a path alone could be resolved to another host.
  const handle = await toHandle(exchange, "endpoint", url.href);
  return writeEvent({ type: event.type, data: `${request.path}/message?to=${handle}` });
}

/** Returns a JSON text without restricted tools and without secrets. */
async function rewritten({ server }: ProxiedCall, text: string): Promise<string> {
  const redacted = server.target.redactor.jsonText(server.isAllowed === null ? text : await filtered(text, server));
  if (redacted !== null) return redacted;
  throw new UpstreamFault("protocol", "the server's answer has too many escapes to be searched for secrets");
}

async function filtered(text: string, { isAllowed, approved }: ProxiedServer): Promise<string> {
  let message: unknown;
  try {
    message = parseExactly(text);
  } catch {
    throw new UpstreamFault("protocol", "the server's answer is not valid JSON");
  }
  const same = approved === null ? null : await unchangedTools(message, approved);
  return JSON.stringify(
    withoutTools(message, (name, tool) => (isAllowed === null || isAllowed(name)) && (same === null || same.has(tool))),
  );
}

/** Returns the tools of a list that are unchanged since their approval. */
async function unchangedTools(message: unknown, approved: ApprovedTools): Promise<Set<unknown>> {
  const passed = new Set<unknown>();
  for (const [name, tool] of toolsIn(message)) {
    // Parsed normally; elsewhere numbers keep their original spelling.
    const { data } = jsonObject.safeParse(JSON.parse(JSON.stringify(tool)));
    if (data !== undefined && passes(approved, { name, digest: await toolDigest(data) })) passed.add(tool);
  }
  return passed;
}

/** Returns the error text for the client. */
export function failureText(name: string, fault: UpstreamFault): string {
  const failed = fault.kind === "timeout" ? "timed out" : "failed";
  return `MCP server '${name}' ${failed}: ${fault.message}.`;
}
