// Runs scripts on the executor of this machine with the gateway's own network, for tests in Node. Approvals and values are given, the audit
// log is a list, and hosts are imitated.

import type { Language } from "../../src/domain/code/language";
import type { CodeValue } from "../../src/domain/code/network";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import type { ScriptRun } from "../../src/sandbox/executor";
import { remote } from "../../src/sandbox/remote";
import { Slots } from "../../src/sandbox/slots";
import type { Context } from "../../src/services/context";
import { networkOf } from "../../src/services/tools/network";
import { guardedFetch } from "../../src/upstream/fetch";

/** What the mocks of a test file return. See `mockGateway`. */
export const given = {
  approved: [] as string[],
  values: new Map<string, Pick<CodeValue, "value"> & { hosts: string[] }>(),
  audited: [] as { action: string; host: string }[],
};

/** A request that left the gateway. */
export interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
}

export type Respond = (sent: Sent) => Response | Promise<Response>;

/** Replaces `fetch` until `restore`: requests to the executor are sent, all others are imitated. */
export function imitate(executorUrl: string, respond: Respond): { sent: Sent[]; restore: () => void } {
  const sent: Sent[] = [];
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    if (String(input).startsWith(executorUrl)) return real(input, init);
    const request = new Request(input, init);
    const one = {
      url: request.url,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    };
    sent.push(one);
    return respond(one);
  };
  return {
    sent,
    restore: () => {
      globalThis.fetch = real;
    },
  };
}

const ENDINGS: Record<Language, string> = { python: "py", javascript: "mjs", shell: "sh" };

export interface Ask {
  hosts?: string[];
  env?: string[];
  ms?: number;
  signal?: AbortSignal;
  /** Whether the skill declares nothing. */
  isWithoutNetwork?: boolean;
}

/** Runs the text of a script. */
export async function runOn(
  executor: { url: string; key: string },
  language: Language,
  text: string,
  { hosts = ["api.example.org", "files.example.org", "new.example.org"], env = ["TOKEN"], ...more }: Ask = {},
): Promise<ScriptRun> {
  const path = `scripts/main.${ENDINGS[language]}`;
  const zip = new TextEncoder().encode(text);
  const declared = more.isWithoutNetwork ? undefined : { hosts, env };
  const skill = { name: "caller", skill_id: "skl_1", version_id: "ver_1" };
  const network = await networkOf({} as Context, skill, declared);
  const base = { readFile: async () => null, log: () => {}, ended: () => {}, browserLink: NO_PAGE };
  const run = await remote(
    {
      slots: new Slots(1),
      host: network?.host(base) ?? base,
      readZip: async () => ({ zip, files: [{ path, offset: 0, size: zip.length, mode: 0o755, sha256: "" }] }),
    },
    {
      ...executor,
      fetch: (url, init, { ms, bytes }) =>
        guardedFetch(url, init, {
          ...{ development: false, headersMs: null, totalMs: ms, bytes },
          origins: [new URL(executor.url).origin],
        }),
    },
  ).run(
    {
      ...{ script: { path, language, verdict: "remote" }, digest: "d", args: [], input: "", files: [], config: {} },
      context: { taskId: "chat", subtaskId: 1, userId: "alice", userName: "Alice", skillName: "caller" },
      ms: more.ms ?? 60_000,
    },
    more.signal ?? new AbortController().signal,
  );
  return network?.redactRun(run) ?? run;
}
