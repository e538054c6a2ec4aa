// Creates the Python isolates of a package: one per package and user, whose scripts share a warm interpreter, and one for its provider,
// whose commands can start scripts.

import { SCRIPT_FILES } from "../../domain/code/script-limits";
import type { IsolateParts } from "../executor";
import type { IsolateCode } from "../isolate";
import { pythonParts } from "./parts";

const COMPATIBILITY_DATE = "2026-10-20";
/** Node is disabled, which leaves less attack surface. */
const COMPATIBILITY_FLAGS = ["no_nodejs_compat", "no_nodejs_compat_v2", "nodejs_als"];

/** `userId` is empty if the result is the same for all users. */
export async function pythonIsolate(
  { assets, readZip }: Pick<IsolateParts, "assets" | "readZip">,
  { digest, userId, work }: { digest: string; userId: string; work: "scripts" | "tools" },
): Promise<IsolateCode> {
  const parts = await pythonParts(assets);
  return {
    id: ["python", work, parts.digest, COMPATIBILITY_DATE, ...COMPATIBILITY_FLAGS, digest, userId],
    language: "python",
    load: async () => {
      const stored = await readZip();
      if (typeof stored === "string") return stored;
      const files = stored.files.map(({ path, offset, size }) => ({ path, offset, size }));
      if (files.reduce((sum, { size }) => sum + size, 0) > SCRIPT_FILES.packageBytes)
        return `Package too large to run scripts (limit ${SCRIPT_FILES.packageBytes / 1024 / 1024} MiB).`;
      return {
        compatibilityDate: COMPATIBILITY_DATE,
        compatibilityFlags: COMPATIBILITY_FLAGS,
        mainModule: "harness.js",
        modules: {
          ...(await parts.modules()),
          "package.zip": { data: stored.zip.slice().buffer },
          "package.json": { json: files },
        },
        globalOutbound: null,
        env: {},
      };
    },
  };
}
