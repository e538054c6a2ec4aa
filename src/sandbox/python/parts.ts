// Loads the static files that every Python isolate consists of, 20 MB in total. An isolate of the gateway fetches them once, and never
// twice concurrently.

import * as z from "zod";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";

const FOLDER = "https://assets.local/python/";
const tableSchema = z.object({ digest: z.string(), parts: z.array(z.string()) });
type Assets = Pick<Fetcher, "fetch">;

export interface PythonParts {
  /** Digest of all files together. */
  digest: string;
  /** Fetched on first use. */
  modules(): Promise<Record<string, WorkerLoaderModule>>;
}

/** Cached for this isolate. The value is cached, not its promise, which depends on the I/O of one request and may never settle. */
let parts: PythonParts | undefined;
let modules: Record<string, WorkerLoaderModule> | undefined;
let fetching: Promise<unknown> | undefined;

/** @throws GatewayError `unavailable` if they cannot be fetched; the next call tries again */
export async function pythonParts(assets: Assets): Promise<PythonParts> {
  if (parts !== undefined) return parts;
  const table = tableSchema.parse(await read(assets, "parts.json", (response) => response.json()));
  parts ??= { digest: table.digest, modules: () => modulesOf(assets, table.parts) };
  return parts;
}

async function modulesOf(assets: Assets, names: readonly string[]): Promise<Record<string, WorkerLoaderModule>> {
  // Of two concurrent calls the second waits for the first, and fetches itself if the first one fails or is cancelled.
  if (modules === undefined && fetching !== undefined) {
    const patience = new Promise((resolve) => setTimeout(resolve, DURATIONS.start));
    await Promise.race([fetching.catch(() => {}), patience]);
  }
  if (modules !== undefined) return modules;
  const mine = Promise.all(names.map(async (name) => [name, await moduleOf(assets, name)] as const));
  fetching = mine;
  try {
    modules = Object.fromEntries(await mine);
    return modules;
  } finally {
    if (fetching === mine) fetching = undefined;
  }
}

async function moduleOf(assets: Assets, name: string): Promise<WorkerLoaderModule> {
  if (name.endsWith(".js")) return { js: await read(assets, name, (response) => response.text()) };
  const bytes = await read(assets, name, (response) => response.arrayBuffer());
  return name.endsWith(".wasm") ? { wasm: bytes } : { data: bytes };
}

async function read<T>(assets: Assets, name: string, reader: (response: Response) => Promise<T>): Promise<T> {
  try {
    const response = await assets.fetch(FOLDER + name, { signal: AbortSignal.timeout(2 * DURATIONS.start) });
    if (response.ok) return await reader(response);
    await response.body?.cancel();
    throw new Error(`The asset ${FOLDER}${name} answered ${response.status}.`);
  } catch (cause) {
    const refusal = new GatewayError(
      "unavailable",
      "PYTHON_UNAVAILABLE",
      "Python is not available at the moment. Try again.",
    );
    refusal.cause = cause;
    throw refusal;
  }
}
