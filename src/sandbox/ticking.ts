// Code as an isolate gets it: with ticks in development, as it is in a deployment.

import { UnrunnableCode } from "./isolate";

/**
 * A deployment has no ticks, and so no parser among its modules: only a branch that the build drops may import one. It is there before
 * anything asks for it: of two that ask at the same time one would wait for the other's I/O.
 */
const ticks = __DEVELOPMENT__ ? await import("./instrument") : null;

/** An ES module. @throws UnrunnableCode where it is nested too deeply */
export function tickingModule(source: string, path: string): string {
  return guarded(path, () => ticks?.instrument(source, path) ?? source);
}

/** A file as a function; what ticks is given to it first. @throws UnrunnableCode where it is nested too deeply */
export function tickingFunction(source: string, path: string): string {
  return guarded(path, () => ticks?.instrumentFunction(source) ?? source);
}

function guarded(path: string, make: () => string): string {
  try {
    return make();
  } catch (error) {
    throw new UnrunnableCode(error instanceof RangeError ? `${path} is nested too deeply.` : String(error));
  }
}
