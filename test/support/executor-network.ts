// Runs scripts on the executor of this machine with the gateway's own network, for tests in Node. Approvals and values are given, the audit
// log is a list, and hosts are imitated.

import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { probe } from "../../executor/bubblewrap.mjs";
import { serveExecutor } from "../../executor/server.mjs";
import type { Language } from "../../src/domain/code/language";
import type { CodeValue } from "../../src/domain/code/network";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import type { ScriptRun } from "../../src/sandbox/executor";
import { remote } from "../../src/sandbox/remote";
import { Slots } from "../../src/sandbox/slots";
import type { Context } from "../../src/services/context";
import { networkOf } from "../../src/services/tools/network";
import { guardedFetch } from "../../src/upstream/fetch";

vi.mock("cloudflare:workers", () => ({ RpcTarget: class {} }));
vi.mock("../../src/storage/d1/registry/skill-network", () => ({ readApprovedNetwork: async () => given.approved }));
vi.mock("../../src/services/secrets/skill-env", () => ({ skillEnvValues: async () => given.values }));
vi.mock("../../src/services/audit", () => ({
  recordAct: async (_: unknown, action: string, __: string, { after }: { after: { host: string } }) => {
    given.audited.push({ action, host: after.host });
  },
}));
vi.stubGlobal("__DEVELOPMENT__", false);

export const KEY = "a key of the tests that is long enough";
export const VALUE = "ghp-Secret+Value/0123456789";
/** Whether bubblewrap works here. */
export const canConfine = (await probe()).ok;

/** What the gateway of the tests has stored. */
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

/** The executor of this machine, and the hosts that the gateway calls for it. */
export class Machine {
  /** What left the gateway in this test. */
  sent: Sent[] = [];
  #respond: Respond = () => new Response();
  readonly #fetch = globalThis.fetch;

  /** @param url the address of the executor */
  constructor(public url = "") {}

  /** Answers requests to hosts until the end of the test. */
  respond(respond: Respond): void {
    this.#respond = respond;
  }

  /** Replaces `fetch`: requests to the executor are sent, all others are imitated. */
  begin(respond: Respond): void {
    this.sent = [];
    this.#respond = respond;
    globalThis.fetch = async (input, init) => {
      if (String(input).startsWith(this.url)) return this.#fetch(input, init);
      const request = new Request(input, init);
      const one = {
        url: request.url,
        method: request.method,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      };
      this.sent.push(one);
      return this.#respond(one);
    };
  }

  end(): void {
    globalThis.fetch = this.#fetch;
  }

  /** Runs the text of a script. */
  run(language: Language, text: string, ask?: Ask): Promise<ScriptRun> {
    return runOn({ url: this.url, key: KEY }, language, text, ask);
  }
}

/**
 * Starts the executor for the tests of a file, if bubblewrap works here. Each test begins with these approved hosts, a value of `TOKEN` for
 * api.example.org and these answers.
 */
export function openMachine(approved: readonly string[], respond: Respond): Machine {
  const machine = new Machine();
  let server: Awaited<ReturnType<typeof serveExecutor>> | undefined;
  beforeAll(async () => {
    if (!canConfine) return;
    server = await serveExecutor({ key: KEY, checksFirst: "start" });
    machine.url = server.url;
  });
  afterAll(() => server?.close());
  beforeEach(() => {
    given.approved = [...approved];
    given.values = new Map([["TOKEN", { value: VALUE, hosts: ["api.example.org"] }]]);
    given.audited = [];
    machine.begin(respond);
  });
  afterEach(() => machine.end());
  return machine;
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

async function runOn(
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
