// The executor of JavaScript and TypeScript.

import type { Runnable } from "../domain/code/stored";
import type { Executor, IsolateParts } from "./executor";
import { modulesIsolate } from "./modules";
import { runInIsolate } from "./script";

/** `load`: a script of the package, ready to run; a text says why it cannot. */
export function javascript(parts: IsolateParts, load: (path: string) => Promise<Runnable | string>): Executor {
  return {
    runs: ({ language }) => language === "javascript",
    async run(call, signal) {
      const { digest, config, context, script } = call;
      const { path } = script;
      const code = { digest, path, as: "script" as const, config, userId: context.userId, load: () => load(path) };
      return runInIsolate(parts, await modulesIsolate(code), call, signal);
    },
  };
}
