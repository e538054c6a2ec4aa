// Runs skill code in isolates, for the gateway in another process. It has a loader and nothing else: no storage, no secrets, no network.

import { WorkerEntrypoint } from "cloudflare:workers";

/** Large modules by their ids, the least recently used first. */
const parts = new Map();
/** Python has two. */
const KEPT = 4;

export default class extends WorkerEntrypoint {
  /** Answers the probes of the launcher. */
  fetch() {
    return new Response(null, { status: 204 });
  }

  /** Calls a method of an isolate, which is created if it does not exist. Returns JSON text, or `null` for anything else. */
  async call(key, { name, entrypoint, options, method }, source, values) {
    if (!(await isEqual(key, this.env.RUNNER_KEY)))
      throw new Error("The key of the process that runs skill code is wrong.");
    // Waits for the answer: code that blocks this process at once would also keep an unsent message here.
    await source.started();
    const load = async () => withParts(await source.load(), source);
    const { LOADER } = this.env;
    const isolate = name === null ? LOADER.load(await load()) : LOADER.get(name, load);
    const answer = await isolate.getEntrypoint(entrypoint, options)[method](...values);
    if (entrypoint === "End") triggerGarbageCollection();
    if (typeof answer === "object" && answer !== null && Symbol.dispose in answer) answer[Symbol.dispose]();
    return typeof answer === "string" ? answer : null;
  }
}

async function withParts(code, source) {
  const entries = Object.entries(code.modules).map(async ([name, module]) =>
    typeof module === "object" && "part" in module
      ? [name, { [module.kind]: await partOf(module.part, source) }]
      : [name, module],
  );
  return { ...code, modules: Object.fromEntries(await Promise.all(entries)) };
}

async function partOf(id, source) {
  const bytes = parts.get(id) ?? (await source.part(id));
  parts.delete(id);
  parts.set(id, bytes);
  const [oldest] = parts.keys();
  if (parts.size > KEPT) parts.delete(oldest);
  return bytes;
}

/** Compares in constant time. */
async function isEqual(given, key) {
  const digest = (text) => crypto.subtle.digest("SHA-256", new TextEncoder().encode(String(text)));
  const [one, other] = await Promise.all([digest(given), digest(key)]);
  return crypto.subtle.timingSafeEqual(one, other);
}

/** See `src/sandbox/local-isolates.ts`: the memory of an isolate is freed when V8 collects garbage in this process. */
function triggerGarbageCollection() {
  const size = 32 * 1024 * 1024;
  for (let n = 0; n < 8; n++) new ArrayBuffer(size, { maxByteLength: size });
}
