// Executor for shell scripts: a shell in a separate isolate with in-memory files. `python3` and `node` in a script are parts of its run,
// which the host passes to the executors of these languages.

import { RUN_ROOTS } from "../../domain/code/run-path";
import { SCRIPT_FILES, TOO_LARGE_TO_RUN } from "../../domain/code/script-limits";
import { CODE_LIMITS } from "../../domain/limits";
import type { Executor, IsolateParts } from "../executor";
import { readGuest } from "../guest";
import type { IsolateCode } from "../isolate";
import { runInIsolate } from "../script";
import { subRunHandler } from "../sub-runs";
import { SHELL_LIMITS } from "./limits";

const COMPATIBILITY_DATE = "2026-10-20";
/** The shell needs Node's zlib. */
const COMPATIBILITY_FLAGS = ["nodejs_compat"];

/** @param others creates the executors for parts in other languages, for one run */
export function shell(parts: IsolateParts, others: (parts: IsolateParts) => Executor[]): Executor {
  return {
    runs: ({ language }) => language === "shell",
    async run(call, signal) {
      const code = await shellIsolate(parts, call.digest, call.context.userId);
      const execute = subRunHandler(parts, others, call, signal);
      return runInIsolate({ ...parts, host: { ...parts.host, execute } }, code, call, signal);
    },
  };
}

const ENTRY = `
import { harness } from "./shell.js";
import zip from "./package.zip";
import index from "./index.json";
export default harness({ ...index, zip });
`;

const LIMITS = {
  ...SCRIPT_FILES,
  roots: RUN_ROOTS,
  outputChars: CODE_LIMITS.outputChars,
  shell: SHELL_LIMITS,
};

/** One isolate per package and user, shared by all its scripts. */
async function shellIsolate({ assets, readZip }: IsolateParts, digest: string, userId: string): Promise<IsolateCode> {
  const guest = await readGuest(assets, "shell.js");
  return {
    id: ["shell", guest.digest, ENTRY, JSON.stringify(LIMITS), COMPATIBILITY_DATE, digest, userId],
    language: "shell",
    load: async () => {
      const stored = await readZip();
      if (typeof stored === "string") return stored;
      if (stored.files.reduce((sum, { size }) => sum + size, 0) > SCRIPT_FILES.packageBytes) return TOO_LARGE_TO_RUN;
      const files = stored.files.map(({ path, offset, size, mode }) => ({ path, offset, size, mode }));
      return {
        ...{ compatibilityDate: COMPATIBILITY_DATE, compatibilityFlags: COMPATIBILITY_FLAGS, mainModule: "main.js" },
        modules: {
          "main.js": { js: ENTRY },
          "shell.js": { js: guest.text },
          "package.zip": { data: stored.zip.slice().buffer },
          "index.json": { json: { files, limits: LIMITS } },
        },
        ...{ globalOutbound: null, env: {} },
      };
    },
  };
}
