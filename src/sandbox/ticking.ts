// Prepares code for an isolate: instrumented in development, unchanged in a deployment.

import { UnrunnableCode } from "./isolate";

/**
 * A deployment must not include the instrumentation and its parser, so they are imported in a branch that the build removes. The import is
 * not lazy: of two concurrent requests one would wait for the other's I/O.
 */
const ticks = __LOCAL_RUNTIME__ ? await import("./instrument") : null;

/** Instruments an ES module. @throws UnrunnableCode if the code is nested too deeply */
export function tickingModule(source: string, path: string): string {
  return guarded(path, () => ticks?.instrument(source, path) ?? source);
}

/**
 * Instruments a file in function form, which then takes the tick function first. @throws UnrunnableCode if the code is nested too deeply
 */
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
