// On this machine nothing gives an isolate back: workerd keeps each that it was given until it ends, a Python's 45 MB too. So here
// the gateway itself keeps no more than so many, and ends those that were used least lately. Deployed, the platform does.

import type { Language } from "../domain/code/language";

/** Isolates that are kept warm, by what is in them. One more is made only when another of its kind has gone, or all are at work. */
const LOCAL_ISOLATES: Readonly<Record<Language, number>> = { javascript: 24, shell: 6, python: 4 };

/** The isolates of this process, those used least lately first. Conversations share them, as all of them are in one isolate here. */
const kept = new Map<string, { name: string; language: Language; users: number; isSpent: boolean }>();
let made = 0;

/**
 * An isolate can only be ended by code in it: an entrypoint beside the harness's own, which only the loader's owner can name. It ends when
 * that call is over and nothing is waited for: one that goes in the middle of a call is an internal error in the runtime's log.
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

/** An isolate while a call is in it. */
export interface IsolateHold {
  /** What the loader is asked for: another one than that of an isolate that is just being ended. */
  name: string;
  /** Its code, made so that it can be ended. */
  endable(code: WorkerLoaderWorkerCode): WorkerLoaderWorkerCode;
  /** It will not be asked again, and goes before all others. */
  spend(): void;
  leave(): void;
}

/** Makes room for the isolate of this id, and keeps it from being ended until it is left. */
export async function holdIsolate(loader: WorkerLoader, language: Language, id: string): Promise<IsolateHold> {
  const held = kept.get(id) ?? { name: `${id}.${made++}`, language, users: 0, isSpent: false };
  held.users++;
  kept.delete(id);
  kept.set(id, held);
  const names = superfluous(language);
  await Promise.all(names.map((name) => end(loader, name)));
  if (names.length > 0) letGo();
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

/** Takes out what is idle and spent, and of the language what is idle and too much; their names. */
function superfluous(language: Language): string[] {
  let over = [...kept.values()].filter((one) => one.language === language).length - LOCAL_ISOLATES[language];
  const names: string[] = [];
  for (const [id, one] of kept) {
    if (one.users > 0 || (!one.isSpent && (one.language !== language || over <= 0))) continue;
    if (one.language === language) over--;
    kept.delete(id);
    names.push(one.name);
  }
  return names;
}

async function end(loader: WorkerLoader, name: string): Promise<void> {
  const gone = () => Promise.reject(new Error("It is gone already."));
  try {
    await (loader.get(name, gone).getEntrypoint("End") as unknown as { end(): Promise<void> }).end();
  } catch {
    // An isolate that could not be made is nothing to end.
  }
}

/**
 * An isolate's memory is given back when the runtime's objects that stand for it here are collected, and these are so small that this
 * would take hours. Large garbage has V8 look; without it 35 isolates of Python that had been ended took 1 GB. It can be resized, so
 * that it is pages which nobody touches: what cannot comes of the allocator, which writes zeros and kept 110 MB of them.
 */
function letGo(): void {
  const size = 32 * 1024 * 1024;
  for (let n = 0; n < 8; n++) new ArrayBuffer(size, { maxByteLength: size });
}
