// Sends requests to a gateway and converts errors to messages and exit codes.

import * as z from "zod";
import type { Work } from "./context";
import { EXIT, Problem } from "./problem";
import type { SignedIn } from "./sign-in";

const issueSchema = z.looseObject({
  code: z.string(),
  message: z.string(),
  path: z.string().optional(),
  line: z.number().optional(),
  severity: z.string().optional(),
});
/** An issue from the gateway or from a local check. */
export type CliIssue = Pick<z.infer<typeof issueSchema>, "code" | "message" | "path" | "line" | "severity">;
export const issuesSchema = z.array(issueSchema);

const refusalSchema = z.looseObject({
  code: z.string().default("UNKNOWN"),
  detail: z.string().default("No details."),
  issues: issuesSchema.default([]),
});

/** An error response of the gateway. */
export class Refused extends Problem {
  constructor(
    readonly status: number,
    readonly body: z.infer<typeof refusalSchema>,
    advice: string,
  ) {
    const issues = body.issues.map(
      ({ code, message, path, line }) => `\n  ${path ?? ""}:${line ?? ""} ${code} ${message}`,
    );
    super(exitOf(status), `${status} ${body.code}: ${body.detail}${advice}${issues.join("")}`);
  }
}

function exitOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.key;
  if (status === 404) return EXIT.absent;
  if (status === 409) return EXIT.conflict;
  return status === 429 || status >= 500 ? EXIT.unreachable : EXIT.refused;
}

export interface Ask {
  method?: string;
  query?: Record<string, string | undefined>;
  json?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  seconds?: number;
  /** An error status whose body is returned like that of a success. */
  accepts?: number;
}

/** A client for one gateway with one key. */
export class Gateway {
  constructor(
    readonly work: Work,
    readonly signedIn: SignedIn,
  ) {}

  /** Sends a request. Throws a `Problem` if the gateway rejects it or cannot be reached. */
  async send(
    path: string,
    { method = "GET", query = {}, json, form, headers = {}, seconds = 60, accepts }: Ask = {},
  ): Promise<Response> {
    const { url, key } = this.signedIn;
    const target = new URL(url + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, value);
    const body = json === undefined ? form : JSON.stringify(json);
    const sent = {
      method,
      redirect: "manual",
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([this.work.signal, AbortSignal.timeout(seconds * 1_000)]),
    } as const;
    const response = await fetch(target, sent).catch((error: unknown) => {
      throw nothingAnswers(url, error);
    });
    if (response.ok || response.status === accepts) return response;
    throw await this.#refused(response);
  }

  /**
   * Returns the JSON of a response, validated by a schema. Throws if the response does not match, for example if another program answers.
   */
  async read<T extends z.ZodType>(schema: T, path: string, ask: Ask = {}): Promise<z.output<T>> {
    return (await this.readWithStatus(schema, path, ask)).body;
  }

  /** Like `read`, with the status and the entity tag of the response; an empty tag if it has none. */
  async readWithStatus<T extends z.ZodType>(
    schema: T,
    path: string,
    ask: Ask = {},
  ): Promise<{ status: number; tag: string; body: z.output<T> }> {
    const response = await this.send(path, ask);
    const text = await this.#whole(response.text());
    try {
      const tag = response.headers.get("etag") ?? "";
      return { status: response.status, tag, body: schema.parse(JSON.parse(text)) };
    } catch {
      throw new Problem(
        EXIT.unreachable,
        `${this.signedIn.url} is not a supported gateway (unexpected response for ${path}). Check the URL.`,
      );
    }
  }

  /** Returns the bytes of a response. Throws a `Problem` if it is incomplete. */
  async bytes(path: string, ask: Ask = {}): Promise<{ bytes: Uint8Array; headers: Headers }> {
    const response = await this.send(path, ask);
    const bytes = new Uint8Array(await this.#whole(response.arrayBuffer()));
    return { bytes, headers: response.headers };
  }

  async #whole<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      throw new Problem(
        EXIT.unreachable,
        `The response of ${this.signedIn.url} was interrupted (${reasonOf(error)}). Try again.`,
      );
    }
  }

  async #refused(response: Response): Promise<Problem> {
    const { url } = this.signedIn;
    const { status } = response;
    const text = await this.#whole(response.text());
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = null;
    }
    const read = refusalSchema.safeParse(body);
    if (!read.success)
      return new Problem(exitOf(status), `${url} returned HTTP ${status} and is not a gateway. Check the URL.`);
    return new Refused(
      status,
      read.data,
      status === 401 ? ` Sign in again: ${this.work.program} login --url ${url}` : "",
    );
  }
}

/** Returns the problem for a request without a response. */
export function nothingAnswers(url: string, error: unknown): Problem {
  return new Problem(EXIT.unreachable, `${url} does not respond (${reasonOf(error)}). Check the URL, or try again.`);
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return error.name === "TimeoutError" ? "timeout" : error.message;
}
