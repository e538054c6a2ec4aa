// Executor for Python: CPython in an isolate, without native packages, processes and network.

import { languageOf } from "../../domain/code/language";
import type { Executor, IsolateParts } from "../executor";
import { runInIsolate } from "../script";
import { pythonIsolate } from "./isolate";

export const isPython = (path: string): boolean => languageOf(path) === "python";

export function python(parts: IsolateParts): Executor {
  return {
    runs: ({ language }) => language === "python",
    async run(call, signal) {
      const code = await pythonIsolate(parts, {
        digest: call.digest,
        userId: call.context.userId,
        work: "scripts",
      });
      return runInIsolate(parts, code, call, signal);
    },
  };
}
