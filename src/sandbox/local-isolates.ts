// Limits the number of isolates in a local gateway. workerd never frees isolates by itself, which matters for Python with 45 MB each. The
// gateway ends the least recently used ones. In a deployment the platform does this.

import type { Language } from "../domain/code/language";

/** Number of warm isolates by language. Another one is created only after one has ended, or if all are in use. */
const LOCAL_ISOLATES: Readonly<Record<Language, number>> = { javascript: 24, shell: 6, python: 4 };

/**
 * The isolates of this process, the least recently used first. All conversations share the list, because they run in one isolate locally.
 */
const isolates = new Map<string, { name: string; language: Language; users: number; isSpent: boolean }>();
let made = 0;

/**
 * An isolate can only be ended by code inside it: an entrypoint that only the owner of the loader can name. The isolate ends when that call
 * is over and nothing is pending. Ending it during a call causes an internal error in the runtime's log.
 */
const LOCAL_MODULE = "gateway-local.js";
const aroundModule = (main: string) => `
import { WorkerEntrypoint, abortIsolate } from "cloudflare:workers";
export { default } from ${JSON.stringify(`./${main}`)};
const endAfter = async (later) => { await later; abortIsolate("not used lately"); };
export class End extends WorkerEntrypoint {
  end() {
    const later = new Promise((go) => setTimeout(go, 1));
    this.ctx.waitUntil(later);
    void endAfter(later);
  }
}
`;

/** An isolate in use by a call. */
export interface IsolateHold {
  /** The name for the loader. It differs from that of an isolate that is being ended. */
  name: string;
  /** Returns the code with an entrypoint to end it. */
  endable(code: WorkerLoaderWorkerCode): WorkerLoaderWorkerCode;
  /** Marks the isolate as not reusable. It is ended before all others. */
  spend(): void;
  leave(): void;
}

/** Makes room for an isolate with this id, and prevents its end until it is released. */
export async function holdIsolate(loader: WorkerLoader, language: Language, id: string): Promise<IsolateHold> {
  const held = isolates.get(id) ?? { name: `${id}.${made++}`, language, users: 0, isSpent: false };
  held.users++;
  isolates.delete(id);
  isolates.set(id, held);
  const names = removeSurplus(language);
  await Promise.all(names.map((name) => end(loader, name)));
  if (names.length > 0) triggerGarbageCollection();
  return {
    name: held.name,
    endable: (code) => ({
      ...code,
      mainModule: LOCAL_MODULE,
      modules: { ...code.modules, [LOCAL_MODULE]: { js: aroundModule(code.mainModule) } },
    }),
    spend: () => {
      held.isSpent = true;
    },
    leave: () => {
      held.users--;
    },
  };
}

/** Removes idle isolates that are spent, and idle ones over the limit of the language. Returns their names. */
function removeSurplus(language: Language): string[] {
  let over = [...isolates.values()].filter((one) => one.language === language).length - LOCAL_ISOLATES[language];
  const names: string[] = [];
  for (const [id, one] of isolates) {
    if (one.users > 0 || (!one.isSpent && (one.language !== language || over <= 0))) continue;
    if (one.language === language) over--;
    isolates.delete(id);
    names.push(one.name);
  }
  return names;
}

async function end(loader: WorkerLoader, name: string): Promise<void> {
  const gone = () => Promise.reject(new Error("It is gone already."));
  try {
    await (loader.get(name, gone).getEntrypoint("End") as unknown as { end(): Promise<void> }).end();
  } catch {
    // An isolate that could not be created does not need to be ended.
  }
}

/**
 * Triggers a garbage collection. The memory of an isolate is freed when V8 collects the small objects that represent it, which would
 * otherwise take hours. Without this, 35 ended Python isolates used 1 GB. The buffers are resizable, so that their pages are never touched.
 * Fixed buffers are filled with zeros by the allocator, which kept 110 MB of them.
 */
function triggerGarbageCollection(): void {
  const size = 32 * 1024 * 1024;
  for (let n = 0; n < 8; n++) new ArrayBuffer(size, { maxByteLength: size });
}
