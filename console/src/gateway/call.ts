// Calls the operations of the gateway by name, through the console API proxy, which knows the session. The types are those of the OpenAPI
// document.

import { OPERATIONS, type Operations } from "../../../sdk/src/generated/operations";
import { t } from "../text/text";
import { Refusal, refusalIn } from "./refusal";

export type Name = keyof Operations;
export type RequestOf<N extends Name> = Operations[N]["request"];
export type AnswerOf<N extends Name> = Operations[N]["answer"];

/** The type of one entry of a list, for every form of list. */
type EntryOf<Answer> = Answer extends readonly (infer Entry)[]
  ? Entry
  : Answer extends { items: readonly (infer Entry)[] }
    ? Entry
    : never;

/** One page of a list. `next` is the cursor of the next page. */
export interface Slice<Entry> {
  items: readonly Entry[];
  next: string | null;
}

interface Parts {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const EDGE = "/console/api";

/** Calls an operation. Throws a `Refusal` for error responses. Operations that return a file return the `Response`. */
export async function call<N extends Name>(name: N, request: RequestOf<N>, signal?: AbortSignal): Promise<AnswerOf<N>> {
  const [, , , kind] = OPERATIONS[name];
  const answer = await sent(name, request, signal);
  if (kind.startsWith("bytes")) return answer as AnswerOf<N>;
  return (answer.status === 204 ? undefined : await answer.json()) as AnswerOf<N>;
}

/**
 * Calls an operation on one object and returns it with its tag. If a `tag` is passed, the gateway refuses a change of an object that has
 * another tag by now.
 */
export async function callTagged<N extends Name>(
  name: N,
  request: RequestOf<N>,
  { signal, tag = null }: { signal?: AbortSignal; tag?: string | null } = {},
): Promise<{ answer: AnswerOf<N>; tag: string }> {
  const answer = await sent(name, request, signal, tag === null ? {} : { "if-match": tag });
  return { answer: (await answer.json()) as AnswerOf<N>, tag: answer.headers.get("etag") ?? "" };
}

/** Returns exactly one page of a list. */
export async function slice<N extends Name>(
  name: N,
  request: RequestOf<N>,
  signal?: AbortSignal,
): Promise<Slice<EntryOf<AnswerOf<N>>>> {
  const answer = await sent(name, request, signal);
  const page = (await answer.json()) as
    | EntryOf<AnswerOf<N>>[]
    | { items: EntryOf<AnswerOf<N>>[]; next_cursor?: string | null };
  if (Array.isArray(page)) return { items: page, next: linked(answer.headers.get("link")) };
  return { items: page.items, next: page.next_cursor ?? null };
}

/** Sends a request to the console API proxy. The proxy requires a header that forms and pages of other origins cannot send. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { "x-skillgate-console": "1", ...init.headers };
  const answer = await reach(`${EDGE}${path}`, { ...init, headers });
  if (!answer.ok) throw await refusalIn(answer);
  return answer;
}

/** Returns any response of the gateway, never one from the browser's cache. Throws a `Refusal` if the gateway is unreachable. */
export async function reach(path: string, init: RequestInit): Promise<Response> {
  return fetch(path, { ...init, cache: "no-store" }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new Refusal(
      0,
      "UNREACHABLE",
      t("The gateway is unreachable. Check that it is running and that you are online."),
    );
  });
}

function sent(
  name: Name,
  request: Parts,
  signal: AbortSignal | undefined,
  more: Record<string, string> = {},
): Promise<Response> {
  const [method, template, , kind] = OPERATIONS[name];
  const { path = {}, query = {}, body } = request;
  const place = template.replace(/^\/api/, "").replace(/\{(\w+)\}/g, (_, field: string) => segment(path, field));
  const given = Object.entries(query).flatMap(([field, value]) =>
    value === undefined ? [] : [[field, String(value)]],
  );
  const form = kind.includes("form");
  return ask(`${place}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`, {
    method,
    ...(signal === undefined ? {} : { signal }),
    headers: {
      ...more,
      ...(body === undefined || form ? {} : { "content-type": "application/json" }),
      ...(kind.includes("keyed") ? { "idempotency-key": crypto.randomUUID() } : {}),
    },
    ...(body === undefined ? {} : { body: form ? formOf(body) : JSON.stringify(body) }),
  });
}

function segment(path: Record<string, unknown>, field: string): string {
  const value = String(path[field] ?? "");
  if (value === "") throw new TypeError(`path.${field} is missing`);
  // The path of a file consists of several URL segments.
  const words = field === "path" ? value.split("/") : [value];
  return words.map(encodeURIComponent).join("/");
}

function formOf(fields: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value instanceof Blob) form.set(name, value, value instanceof File ? value.name : "skill.zip");
    else if (value !== undefined) form.set(name, String(value));
  }
  return form;
}

/** Returns the cursor of `Link: <…?cursor=…>; rel="next"`. */
function linked(header: string | null): string | null {
  const [, target] = /<([^>]*)>\s*;[^,]*rel="?next"?/.exec(header ?? "") ?? [];
  return target === undefined ? null : new URL(target, location.origin).searchParams.get("cursor");
}
