// Creates the isolates for ES modules of packages, which are providers.

import type { Runnable } from "../domain/code/compiled";
import { sha256Hex } from "../domain/digest";
import type { JsonObject } from "../domain/json";
import { ENTRY_MODULE, HARNESS_MODULE, harnessSource } from "./harness";
import type { IsolateCode } from "./isolate";
import { TICK_MODULE, TICK_SOURCE } from "./tick";
import { tickingModule } from "./ticking";

export const COMPATIBILITY_DATE = "2026-10-20";
/** Node is disabled, which leaves less attack surface. Async context distinguishes the calls of two runs. */
const COMPATIBILITY_FLAGS = ["no_nodejs_compat", "no_nodejs_compat_v2", "nodejs_als"];

/** The code of one entry module for one user. */
export interface ModulesCode {
  /** Identity of the modules: the digest of their package. */
  digest: string;
  /** The entry's path in the package. */
  path: string;
  config: JsonObject;
  /** The user whose module state it contains. Empty if it is shared by all users. */
  userId: string;
  /** Called only if there is no such isolate yet. Returns a string with the reason if the code cannot run. */
  load(): Promise<Runnable | string>;
}

/** Digest of everything that all isolates of this gateway share. */
let harnessDigest: string | undefined;

export async function modulesIsolate({ digest, path, config, userId, load }: ModulesCode): Promise<IsolateCode> {
  harnessDigest ??= await sha256Hex(harnessSource(__LOCAL_RUNTIME__) + TICK_SOURCE);
  const flags = [COMPATIBILITY_DATE, ...COMPATIBILITY_FLAGS];
  return {
    id: [harnessDigest, ...flags, digest, path, JSON.stringify(config), userId],
    language: "javascript",
    load: async () => {
      const code = await load();
      return typeof code === "string" ? code : workerCode(code);
    },
  };
}

function workerCode(code: Runnable): WorkerLoaderWorkerCode {
  const modules: Record<string, WorkerLoaderModule> = {
    [HARNESS_MODULE]: { js: harnessSource(__LOCAL_RUNTIME__) },
  };
  modules[ENTRY_MODULE] = { js: `export const entry = ${JSON.stringify(`../${code.entry}`)};` };
  if (__LOCAL_RUNTIME__) modules[TICK_MODULE] = { js: TICK_SOURCE };
  for (const [name, source] of Object.entries(code.sources)) {
    if (name.endsWith(".json")) modules[name] = { json: JSON.parse(source) };
    else modules[name] = { js: tickingModule(source, name) };
  }
  return {
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: COMPATIBILITY_FLAGS,
    mainModule: HARNESS_MODULE,
    modules,
    globalOutbound: null,
    env: {},
  };
}
