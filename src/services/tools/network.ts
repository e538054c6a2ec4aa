// Sends requests of skill code to declared hosts. The code has placeholders; their values are only put into headers for approved hosts, and
// are removed from everything that a run returns.

import {
  bytesOfLatin1,
  CODE_REQUESTS,
  type CodeNetwork,
  codeRequestSchema,
  latin1,
  prepareRequest,
  RequestRefused,
} from "../../domain/code/network";
import type { DeclaredNetwork } from "../../domain/conversation/offered";
import { refusalIn } from "../../domain/errors";
import { SECRET_LIMITS } from "../../domain/limits";
import { makeRedactor, type Redactor } from "../../domain/servers/redactor";
import type { ToolResult } from "../../domain/tool";
import type { ScriptRun } from "../../sandbox/executor";
import type { HostNetwork, HostParts } from "../../sandbox/host";
import { readApprovedNetwork } from "../../storage/d1/registry/skill-network";
import { UpstreamFault } from "../../upstream/fault";
import { guardedFetch } from "../../upstream/fetch";
import { recordAct } from "../audit";
import type { Context } from "../context";
import { skillEnvValues } from "../secrets/skill-env";

/** The skill whose code runs. */
export interface CallingSkill {
  name: string;
  skill_id: string;
  version_id: string;
}

/** The network of one run. */
export interface RunNetwork {
  /** Returns the host of the run with the network, and without values in what it passes on. */
  host(parts: Omit<HostParts, "deadline">): Omit<HostParts, "deadline">;
  /** Declared variables that have no value for the caller. */
  missing: string[];
  /** Removes values from a run and from a tool result. */
  redactRun(run: ScriptRun): ScriptRun;
  redactResult(result: ToolResult): ToolResult;
}

/** Returns the network for one run of a skill's code; `null` if its version declares no host. */
export async function networkOf(
  context: Context,
  skill: CallingSkill,
  declared: DeclaredNetwork | undefined,
): Promise<RunNetwork | null> {
  if (declared === undefined) return null;
  // A replica can still have a revoked approval or a deleted value.
  const [approved, stored] = await Promise.all([
    readApprovedNetwork(context.primary, skill.skill_id),
    skillEnvValues(context, skill.skill_id, declared.env),
  ]);
  const run = hex(crypto.getRandomValues(new Uint8Array(12)));
  const values = Array.from(stored, ([name, { value, hosts }]) => ({
    ...{ name, value, hosts },
    placeholder: `skillgate_${name}_${run}`,
  }));
  const hosts = declared.hosts.filter((host) => approved.includes(host));
  const network = { declared: declared.hosts, hosts, values };
  // A value that is too short to be a secret would also be removed from ordinary words.
  const redactor = makeRedactor(values.filter(({ value }) => value.length >= SECRET_LIMITS.minChars));
  const requests = new Requests(context, skill, network, redactor);
  return {
    missing: declared.env.filter((name) => !stored.has(name)),
    host: (parts) => withoutValues({ ...parts, network: requests }, redactor),
    redactRun: (result) => (redactor.isIdle ? result : redactRun(result, redactor)),
    redactResult: (result) => redactor.json(result),
  };
}

class Requests implements HostNetwork {
  readonly env: Record<string, string>;
  readonly #context: Context;
  readonly #skill: CallingSkill;
  readonly #network: CodeNetwork;
  readonly #redactor: Redactor;
  /** The audit entry of each host that was called. */
  readonly #audited = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #open = 0;
  #count = 0;
  #received = 0;

  constructor(context: Context, skill: CallingSkill, network: CodeNetwork, redactor: Redactor) {
    this.#context = context;
    this.#skill = skill;
    this.#network = network;
    this.#redactor = redactor;
    this.env = Object.fromEntries(network.values.map(({ name, placeholder }) => [name, placeholder]));
  }

  async send(asked: unknown, signal: AbortSignal) {
    if (++this.#count > CODE_REQUESTS.requests)
      throw new RequestRefused(`Request limit of a run reached (${CODE_REQUESTS.requests}). Send fewer requests.`);
    const read = codeRequestSchema.safeParse(asked);
    if (!read.success)
      throw new RequestRefused("The request is not valid. It has a URL, a method, headers and a body.");
    const prepared = prepareRequest(read.data, this.#network, __DEVELOPMENT__);
    if ("problem" in prepared) throw new RequestRefused(prepared.problem);
    await this.#audit(prepared.url.host);
    return this.#oneOfFew(async () => {
      if (this.#received >= CODE_REQUESTS.receivedBytes)
        throw new RequestRefused(
          `Responses too large (limit ${CODE_REQUESTS.receivedBytes / 1_048_576} MiB for a run).`,
        );
      const { url, method, headers, body } = prepared;
      const guard = {
        development: __DEVELOPMENT__,
        headersMs: null,
        totalMs: CODE_REQUESTS.ms,
        bytes: CODE_REQUESTS.responseBytes,
      };
      try {
        const response = await guardedFetch(url, { method, headers, body, signal }, guard);
        const bytes = new Uint8Array(await response.arrayBuffer());
        this.#received += bytes.length;
        // Also if this run has sent no value: the host may return one of an earlier run.
        const redactor = this.#redactor;
        return {
          status: response.status,
          statusText: redactor.text(response.statusText),
          headers: [...response.headers].map(([name, text]): [string, string] => [name, redactor.text(text)]),
          body: redactBytes(bytes, redactor),
          url: url.href,
        };
      } catch (error) {
        if (error instanceof UpstreamFault) throw new Error(`${method} ${url.origin}: ${error.message}.`);
        throw error;
      }
    });
  }

  /** Records the first request of the run to a host, before it is sent. */
  #audit(host: string): Promise<void> {
    const before = this.#audited.get(host);
    if (before !== undefined) return before;
    const { name, skill_id, version_id } = this.#skill;
    const entry = recordAct(this.#context, "skill.request", skill_id, {
      after: { host, skill: name, version_id },
    }).catch((error) => {
      this.#audited.delete(host);
      if (refusalIn(error)?.code !== "unavailable") throw error;
      throw new Error("The request was not sent, because it could not be recorded. Try again.");
    });
    this.#audited.set(host, entry);
    return entry;
  }

  async #oneOfFew<T>(work: () => Promise<T>): Promise<T> {
    if (this.#open >= CODE_REQUESTS.atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#open++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#open--;
      else next();
    }
  }
}

/** Returns the host without values in log lines, events and questions. */
function withoutValues(parts: Omit<HostParts, "deadline">, redactor: Redactor): Omit<HostParts, "deadline"> {
  if (redactor.isIdle) return parts;
  const { browserLink } = parts;
  return {
    ...parts,
    log: (text) => parts.log(redactor.text(text)),
    browserLink: {
      emit: (action, payload) => browserLink.emit(action, redactor.json(payload)),
      request: (asked) => browserLink.request({ ...asked, payload: redactor.json(asked.payload) }),
    },
  };
}

/** Code can join parts of several responses, so a value may only be complete in what a run returns. */
function redactRun(run: ScriptRun, redactor: Redactor): ScriptRun {
  return {
    ...run,
    stdout: redactor.text(run.stdout),
    stderr: redactor.text(run.stderr),
    files: run.files.map(({ path, bytes }) => ({ path: redactor.text(path), bytes: redactBytes(bytes, redactor) })),
  };
}

function redactBytes(bytes: Uint8Array, redactor: Redactor): Uint8Array {
  if (redactor.isIdle) return bytes;
  const text = latin1(bytes);
  const redacted = redactor.text(text);
  return redacted === text ? bytes : bytesOfLatin1(redacted);
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
