// Puts the documents for users where the gateway serves them: some of docs/, as they are, into public/docs/.

import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { listFiles, readOrNull, root, writeWhole } from "../kit/files.mjs";

/** Those that say how to use or run a gateway; the rest is about its source. */
const SERVED = ["api.md", "front-end.md", "limits.md", "mcp.md", "settings.md", "skill-code.md", "storage.md"];

/**
 * Makes public/docs/ exactly what it should be; files that are already right are left alone.
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
 */
export async function prepareDocuments(folder = path.join(root, "public")) {
  const target = path.join(folder, "docs");
  const written = await Promise.all(
    SERVED.map(async (name) => {
      const content = await readFile(path.join(root, "docs", name), "utf8");
      if ((await readOrNull(path.join(target, name))) === content) return false;
      await writeWhole(path.join(target, name), content);
      return true;
    }),
  );
  // A draft belongs to another run that is just writing it.
  const left = (await listFiles(target)).filter((name) => !SERVED.includes(name) && !name.endsWith(".tmp"));
  await Promise.all(left.map((name) => rm(path.join(target, name), { force: true })));
  return written.includes(true);
}
