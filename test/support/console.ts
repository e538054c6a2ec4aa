// Simulates the console page for session tests: its cookie, and the headers of the page and the browser.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { answer } from "../../src/edges";
import { GATEWAY } from "./sign-in";

export const COOKIE = "__Host-skillgate_console";
export const SESSION = "/console/api/session";

type Marks = Record<string, string | null>;

/** Headers that the page and its browser send. */
export const OWN: Marks = { "x-skillgate-console": "1", "sec-fetch-site": "same-origin" };

/** One browser. `null` omits a header. */
export class ConsolePage {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly settings: Record<string, unknown> = {},
    private readonly origin = GATEWAY,
  ) {}

  /** @param given the body: sent as JSON, except forms and strings */
  async ask(method: string, path: string, given?: unknown, marks: Marks = {}): Promise<Response> {
    const headers = new Headers();
    for (const [name, value] of Object.entries({ ...OWN, ...marks })) if (value !== null) headers.set(name, value);
    if (this.cookies.size > 0 && !headers.has("cookie"))
      headers.set("cookie", [...this.cookies].map((pair) => pair.join("=")).join("; "));
    const isForm = given instanceof FormData;
    if (given !== undefined && !isForm && !headers.has("content-type")) headers.set("content-type", "application/json");
    const body =
      given === undefined ? {} : { body: isForm || typeof given === "string" ? given : JSON.stringify(given) };
    const request = new Request(this.origin + path, { method, headers, redirect: "manual", ...body });
    const execution = createExecutionContext();
    const begun = await answer(request, { ...env, ...this.settings }, execution);
    // The body is read first, because a stream ends only when it is read.
    const answered = begun.body === null ? begun : new Response(await begun.arrayBuffer(), begun);
    await waitOnExecutionContext(execution);
    for (const set of answered.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/max-age=0/i.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answered;
  }

  /** Signs in with a key. */
  async signIn(key: string): Promise<this> {
    const made = await this.ask("POST", SESSION, { key });
    expect([made.status, made.status === 201 ? "" : await made.text()]).toEqual([201, ""]);
    return this;
  }

  get secret(): string {
    return this.cookies.get(COOKIE) ?? "";
  }
}

/** Returns the status of a response and the code of its problem. */
export async function verdict(answered: Response): Promise<[number, string | null]> {
  const text = await answered.text();
  // Issues have their own codes and come first, so the last code belongs to the problem.
  const code = [...text.matchAll(/"code":"([A-Z_]+)"/g)].at(-1)?.[1] ?? null;
  return [answered.status, code];
}
