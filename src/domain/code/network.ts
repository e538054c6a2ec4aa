// Prepares a request of skill code: checks its destination, and puts values in place of placeholders in its headers.

import * as z from "zod";
import { decodeBase64, encodeBase64 } from "../base64";
import { bindingProblem } from "../servers/binding";
import { judgeUrl } from "../servers/host-policy";

const MiB = 1024 * 1024;

/** Limits of the requests of one run. In bytes unless the name has another unit. */
export const CODE_REQUESTS = {
  requests: 100,
  /** Requests at the same time. Further ones wait. */
  atOnce: 4,
  requestBytes: 4 * MiB,
  headerChars: 32 * 1024,
  headers: 100,
  responseBytes: 8 * MiB,
  /** All responses of a run together. */
  receivedBytes: 32 * MiB,
  ms: 60_000,
} as const;

/** A value that code can send without reading it. */
export interface CodeValue {
  name: string;
  value: string;
  /** The text that the code has in its place. It differs in every run. */
  placeholder: string;
  /** The hosts it can be sent to. */
  hosts: readonly string[];
}

/** What the requests of one run can do. */
export interface CodeNetwork {
  /** Hosts that the version declares. */
  declared: readonly string[];
  /** The declared hosts that are approved. */
  hosts: readonly string[];
  values: readonly CodeValue[];
}

/** Why a request of skill code was not sent, as opposed to one that was sent and failed. The message is for the code. */
export class RequestRefused extends Error {}

/** A request as skill code sends it. */
export const codeRequestSchema = z.lazy(() =>
  z.object({
    url: z.string().max(4_096),
    method: z.string().max(16),
    headers: z.array(z.tuple([z.string(), z.string()])).max(CODE_REQUESTS.headers),
    body: z.instanceof(Uint8Array).nullable(),
  }),
);
export type CodeRequest = z.infer<typeof codeRequestSchema>;

export interface PreparedRequest {
  url: URL;
  method: string;
  headers: [string, string][];
  body: Uint8Array | null;
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** A header value as RFC 9110 5.5 allows it, without its obsolete line folding. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns the request to send, or why it cannot be sent. Values are put into headers only: a URL is written to logs, and a body can be
 * stored or shown by the other side. `development`: as in `judgeUrl`.
 */
export function prepareRequest(
  asked: CodeRequest,
  network: CodeNetwork,
  development: boolean,
): PreparedRequest | { problem: string } {
  const method = asked.method.toUpperCase();
  if (!METHODS.has(method))
    return { problem: `The method '${method}' is not allowed. Use ${[...METHODS].join(", ")}.` };
  const verdict = judgeUrl(asked.url, development);
  if (verdict.problem !== undefined) return { problem: `This URL is not allowed: ${verdict.problem}.` };
  const { url } = verdict;
  const barred = hostProblem(url, network, development);
  if (barred !== null) return { problem: barred };
  const body = asked.body === null || asked.body.length === 0 ? null : asked.body;
  if (body !== null && (method === "GET" || method === "HEAD"))
    return { problem: `A ${method} request has no body. Use POST.` };
  if (body !== null && body.length > CODE_REQUESTS.requestBytes)
    return { problem: `Request too large (limit ${CODE_REQUESTS.requestBytes / MiB} MiB). Send less.` };
  const misplaced = network.values.find(
    ({ placeholder }) => isIn(placeholder, url.href) || isInBody(placeholder, body),
  );
  if (misplaced !== undefined)
    return { problem: `The value of ${misplaced.name} is sent in headers only. Remove it from the URL and the body.` };
  const headers = headersOf(asked.headers, network.values, url, development);
  return "problem" in headers ? headers : { url, method, body, ...headers };
}

/** Returns why requests to a URL are not sent; `null` if they are. */
function hostProblem(url: URL, { declared, hosts }: CodeNetwork, development: boolean): string | null {
  if (bindingProblem(hosts, url, development) === null) return null;
  if (bindingProblem(declared, url, development) === null)
    return `The host '${url.host}' is declared, but not approved. Somebody who manages the skill approves it: skillgate network <skill> --approve.`;
  const known = declared.length === 0 ? "" : ` It declares ${declared.join(", ")}.`;
  return `Code of this skill cannot call '${url.host}'.${known} Add the host to \`network\` in SKILL.md.`;
}

function headersOf(
  given: CodeRequest["headers"],
  values: readonly CodeValue[],
  url: URL,
  development: boolean,
): { headers: [string, string][] } | { problem: string } {
  const headers: [string, string][] = [];
  let chars = 0;
  for (const [name, text] of given) {
    chars += name.length + text.length;
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(text))
      return {
        problem: `The header '${name.slice(0, 100)}' contains characters that headers cannot have. Remove them.`,
      };
    const used = values.filter(
      ({ placeholder }) => isIn(placeholder, text) || isIn(placeholder, basicText(text) ?? ""),
    );
    for (const { name: variable, hosts } of used) {
      const problem = bindingProblem(hosts, url, development);
      if (problem !== null) return { problem: `The value of ${variable} ${problem}. Set it again to allow the host.` };
    }
    headers.push([name, used.reduce(withValue, text)]);
  }
  if (chars > CODE_REQUESTS.headerChars)
    return { problem: `Headers too large (limit ${CODE_REQUESTS.headerChars} characters). Send less.` };
  return { headers };
}

const BASIC = /^(basic +)([A-Za-z\d+/]+=*)\s*$/i;

/** Returns the decoded credentials of basic authentication (RFC 7617), or `null`. */
function basicText(header: string): string | null {
  const [, , encoded] = BASIC.exec(header) ?? [];
  if (encoded === undefined) return null;
  try {
    return String.fromCharCode(...decodeBase64(encoded));
  } catch {
    return null;
  }
}

function withValue(header: string, { placeholder, value }: CodeValue): string {
  const credentials = basicText(header);
  if (credentials === null || !isIn(placeholder, credentials)) return header.replaceAll(placeholder, () => value);
  const filled = credentials.replaceAll(placeholder, () => value);
  return `Basic ${encodeBase64(Uint8Array.from(filled, (char) => char.charCodeAt(0)))}`;
}

const isIn = (placeholder: string, text: string) => text.includes(placeholder);

/** Searches bytes for a placeholder, which is ASCII. */
function isInBody(placeholder: string, body: Uint8Array | null): boolean {
  return body !== null && latin1(body).includes(placeholder);
}

/** Returns one character per byte. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}

/** Returns one byte per character of a text of `latin1`. */
export function bytesOfLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
