// Executor for scripts that do not run in an isolate: sends them to another server by the protocol of docs/executor.md. Its responses are
// untrusted.

import * as z from "zod";
import type { ExecutorOffer } from "../domain/code/check/missing";
import { RUN_ROOTS } from "../domain/code/run-path";
import { SCRIPT_FILES, TOO_LARGE_TO_RUN } from "../domain/code/script-limits";
import { hexOf } from "../domain/digest";
import { DURATIONS } from "../domain/durations";
import { CODE_LIMITS } from "../domain/limits";
import { packageName } from "../domain/package/requirements";
import { cutText } from "../domain/tool";
import { type Executor, type IsolateParts, KILLED, type ScriptCall, type ScriptRun } from "./executor";
import { Host, HostCall, type HostNetwork } from "./host";
import { exchangeRequests, MESSAGES_BYTES } from "./remote-network";
import { NO_SLOT } from "./slots";

const MiB = 1024 * 1024;
/** Limit on a response: the returned files, both outputs, and the form around them. */
const RESPONSE_BYTES = SCRIPT_FILES.outBytes + 4 * MiB;
/** Limit on the response to a reply. It is not read. */
const REPLY_BYTES = 64 * 1024;
/** Milliseconds beyond the time limit of a run for its way, its start and its end. */
const PATIENCE = DURATIONS.start + 10_000;

const resultSchema = z.lazy(() =>
  z.object({
    exit_code: z.int().nullable(),
    stdout: z.string(),
    stderr: z.string(),
    reason: z.enum(["timeout", "cancelled", "stopped"]).nullable(),
    left: z.array(z.object({ path: z.string(), reason: z.enum(["TOO_LARGE", "TOO_MANY"]) })).max(1_000),
  }),
);
/** Limit on the description of an executor: 10,000 packages, modules and programs. */
const DESCRIPTION_BYTES = 1 * MiB;
const names = () => z.array(z.string().max(200)).max(10_000);
const layerSchema = z.lazy(() =>
  z.object({
    id: z.string().max(100),
    requirements: z.array(z.string().max(500)).max(200),
    bytes: z.number().nonnegative(),
    used: z.number().nonnegative(),
  }),
);
const offerSchema = z.lazy(() =>
  z.object({
    protocol: z.literal(1),
    name: z.string().max(100).default(""),
    install: z.string().max(20).default("off"),
    layers: z.array(layerSchema).max(100).default([]),
    packages: z.object({ python: z.record(z.string(), z.string()).default({}) }),
    modules: z.object({ python: names().default([]) }),
    commands: names(),
  }),
);
const errorSchema = z.lazy(() => z.object({ error: z.object({ code: z.string(), message: z.string() }) }));

/** An executor that the operator has configured. */
export interface RemoteExecutor {
  url: string;
  key: string;
  /** Fetches under the host policy. Throws with a message that can be shown. */
  fetch(url: string, init: RequestInit, limits: { ms: number; bytes: number }): Promise<Response>;
}

/** What an executor has, and what it has installed. */
export interface ExecutorDescription extends ExecutorOffer {
  name: string;
  /** Which declared packages it installs: `off`, `pinned` or `any`. */
  install: string;
  /** The sets of packages that it has installed. `used`: in milliseconds since the epoch. */
  layers: readonly { id: string; requirements: readonly string[]; bytes: number; used: number }[];
}

/** The message of an executor that cannot run scripts, which its protocol makes public: what is missing, and how to install it. */
export class UnavailableExecutor extends Error {}

/** Returns what an executor has. Throws with the reason if it cannot be asked. @throws UnavailableExecutor */
export async function describeExecutor(executor: RemoteExecutor): Promise<ExecutorDescription> {
  const limits = { ms: DURATIONS.start, bytes: DESCRIPTION_BYTES };
  const response = await executor.fetch(urlOf(executor, "v1/executor"), { headers: authorization(executor) }, limits);
  if (!response.ok) {
    const { code, message } = await readRefusal(response);
    throw code === "EXECUTOR_UNAVAILABLE" ? new UnavailableExecutor(message) : new Error(`${code}: ${message}`);
  }
  const read = offerSchema.safeParse(await response.json().catch(() => null));
  if (!read.success) {
    const fields = new Set(read.error.issues.map(({ path }) => path.join(".") || "the response"));
    throw new Error(`The executor's description is invalid (${[...fields].join(", ")}). See docs/executor.md.`);
  }
  const { packages, modules, commands, name, install, layers } = read.data;
  return {
    ...{ name, install, layers },
    packages: new Map(Object.entries(packages.python).map(([name, version]) => [packageName(name), version])),
    modules: new Set(modules.python),
    commands: new Set(commands),
  };
}

const urlOf = ({ url }: RemoteExecutor, route: string) => new URL(route, `${url.replace(/\/*$/, "")}/`).href;
const authorization = ({ key }: RemoteExecutor) => ({ authorization: `Bearer ${key}` });

/** Returns the headers of a run. Runs of a user in a conversation have the same session, whose text reveals neither. */
async function headersOf(executor: RemoteExecutor, { context }: ScriptCall): Promise<Record<string, string>> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(executor.key), hmac, false, ["sign"]);
  const about = JSON.stringify([context.userId, context.taskId]);
  const session = hexOf(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(about))));
  return { ...authorization(executor), "executor-session": session };
}

export function remote(
  { slots, host, readZip }: Pick<IsolateParts, "slots" | "host" | "readZip">,
  executor: RemoteExecutor,
): Executor {
  return {
    // A Python or shell script of which a part does not run in an isolate may run whole. A JavaScript that ran whole would have no `context`.
    runs: ({ verdict, language }) => verdict === "remote" || (verdict === "partly" && language !== "javascript"),
    async run(call, signal) {
      const began = Date.now();
      const release = await slots.take(crypto.randomUUID(), signal);
      if (release === null) return ended(call, signal.aborted ? "cancelled" : "busy", NO_SLOT, 0);
      const line = new HostCall({ ...host, deadline: began + call.ms + PATIENCE });
      const cancel = () => line.close();
      signal.addEventListener("abort", cancel, { once: true });
      try {
        // Its scripts reach declared hosts through the gateway.
        const network = host.network === undefined ? undefined : { id: crypto.randomUUID(), env: host.network.env };
        const form = await formOf(call, readZip, network);
        if (typeof form === "string") return ended(call, "failed", form, 0);
        const headers = await headersOf(executor, call);
        const init = { method: "POST", body: form, signal, headers };
        const bytes = RESPONSE_BYTES + (network === undefined ? 0 : MESSAGES_BYTES);
        const begun = await executor.fetch(urlOf(executor, "v1/runs"), init, { ms: call.ms + PATIENCE, bytes });
        const reply = async (id: number, body: FormData) => {
          const url = urlOf(executor, `v1/runs/${network?.id}/responses/${id}`);
          const sent = { method: "POST", body, signal: line.ended, headers };
          // Its status does not matter: the request or its run can have ended meanwhile.
          const { body: rest } = await executor.fetch(url, sent, { ms: DURATIONS.start, bytes: REPLY_BYTES });
          await rest?.cancel();
        };
        const { response, problems } =
          network === undefined ? { response: begun, problems: [] } : await exchangeRequests(begun, line, reply);
        line.close();
        return await runFrom(response, call, { host, ms: Date.now() - began, problems });
      } catch (error) {
        const ms = Date.now() - began;
        if (signal.aborted) return ended(call, "cancelled", "", ms);
        const reason = error instanceof Error ? error.message : String(error);
        host.ended({ outcome: "stopped", reason: `executor: ${reason}`, ms });
        return ended(call, "stopped", `the executor is not available (${reason})`, ms);
      } finally {
        signal.removeEventListener("abort", cancel);
        line.close();
        release();
      }
    },
  };
}

/** Returns the body of the request, or the reason why there is none. */
async function formOf(
  call: ScriptCall,
  readZip: IsolateParts["readZip"],
  network: { id: string; env: HostNetwork["env"] } | undefined,
): Promise<FormData | string> {
  const stored = await readZip();
  if (typeof stored === "string") return stored;
  if (stored.files.reduce((sum, { size }) => sum + size, 0) > SCRIPT_FILES.packageBytes) return TOO_LARGE_TO_RUN;
  const form = new FormData();
  const { language, path } = call.script;
  const { requirements = [] } = call.script;
  const place = `${SCRIPT_FILES.skill}/${path}`;
  const asked = {
    ...{ language, path: place, args: call.args, input: call.input, requirements, ms: call.ms },
    ...(network === undefined ? {} : { network: { id: network.id }, env: network.env }),
  };
  form.set("run", JSON.stringify(asked));
  for (const { path: name, offset, size, mode } of stored.files) {
    const type = mode === 0o644 ? "" : "application/x-executable";
    const bytes = stored.zip.subarray(offset, offset + size);
    form.append("file", new File([bytes], encodeURIComponent(`${SCRIPT_FILES.skill}/${name}`), { type }));
  }
  for (const { path: name, bytes } of call.files) form.append("file", new File([bytes], encodeURIComponent(name)));
  return form;
}

async function runFrom(
  response: Response,
  call: ScriptCall,
  { host, ms, problems }: { host: IsolateParts["host"]; ms: number; problems: readonly string[] },
): Promise<ScriptRun> {
  if (!response.ok) {
    const { code, message } = await readRefusal(response);
    const reason = `the executor refused it (${code}: ${message})`;
    host.ended({ outcome: "stopped", reason, ms });
    return ended(call, response.status === 429 ? "busy" : "stopped", reason, ms);
  }
  const form = await response.formData();
  const result = resultSchema.parse(JSON.parse(await textOf(form.get("result"))));
  const line = new HostCall({ ...host, deadline: Date.now() + DURATIONS.start });
  const files = new Host(line);
  // A path that is not valid in an archive is dropped, as for an isolate.
  const sent = form
    .getAll("file")
    .flatMap((file) => (typeof file === "string" ? [] : [{ path: pathOf(file.name), file }]));
  for (const { path, file } of sent.sort((a, b) => placeOf(a.path) - placeOf(b.path)))
    await files.put(path, new Uint8Array(await file.arrayBuffer()));
  line.close();
  const left = [...result.left, ...[...line.left].map(([path, reason]) => ({ path, reason }))];
  const { exit_code, reason } = result;
  // Some clients show only the status of a response.
  const untold = problems.filter((problem) => !`${result.stdout}${result.stderr}`.includes(problem));
  const messages = untold.map((problem) => `Network: ${problem}`);
  if (reason !== null) messages.push(failureMessage(reason, "", call.ms));
  const stderr = messages.reduce(withReason, result.stderr);
  return {
    exit_code: exit_code ?? KILLED,
    stdout: cutText(result.stdout, CODE_LIMITS.outputChars),
    stderr: cutText(stderr, CODE_LIMITS.outputChars),
    duration_ms: ms,
    killed: exit_code === null,
    files: [...line.files].map(([path, bytes]) => ({ path, bytes })),
    left: left.slice(0, SCRIPT_FILES.toldFiles),
    reason: reason ?? (exit_code === null ? "stopped" : null),
    executor: "remote",
  };
}

/** Returns the code and the message of a response that is an error. */
async function readRefusal(response: Response): Promise<{ code: string; message: string }> {
  const refusal = errorSchema.safeParse(await response.json().catch(() => null));
  const { code, message } = refusal.data?.error ?? { code: `HTTP ${response.status}`, message: "no reason" };
  return { code: code.slice(0, 100), message: message.slice(0, 500) };
}

/** Files of /workspace come first, as in isolates. */
const placeOf = (path: string) => RUN_ROOTS.findIndex((root) => path.startsWith(`${root}/`));

function pathOf(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return "";
  }
}

async function textOf(part: File | string | null): Promise<string> {
  if (part === null) throw new Error("its response has no result");
  return typeof part === "string" ? part : part.text();
}

type Reason = NonNullable<ScriptRun["reason"]>;

/** A run without a result. */
function ended(call: ScriptCall, reason: Reason, detail: string, ms: number): ScriptRun {
  const killed = reason !== "failed" && reason !== "busy";
  return {
    exit_code: killed ? KILLED : 1,
    stdout: "",
    stderr: failureMessage(reason, detail, call.ms),
    duration_ms: ms,
    killed,
    files: [],
    left: [],
    reason,
    executor: "remote",
  };
}

function failureMessage(reason: Reason, detail: string, ms: number): string {
  switch (reason) {
    case "timeout":
      return `The script was ended after ${ms / 1_000}s.`;
    case "cancelled":
      return "The script was cancelled.";
    case "busy":
      return `The script was not started: ${detail}.`;
    case "stopped":
      return detail === "" ? "The script was ended by a limit of the executor." : `The script was ended: ${detail}.`;
    case "failed":
      return detail;
  }
}

const withReason = (stderr: string, message: string) => stderr + (/(?:^|\n)$/.test(stderr) ? "" : "\n") + message;
