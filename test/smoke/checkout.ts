// Copies this checkout, for tests that run commands in it and change its files.

import { cp, mkdir, mkdtemp, readdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.dirname(path.dirname(import.meta.dirname));

/** Other tests build in `dist` at the same time. Of it, only stored results of builds are copied. */
const LEFT_OUT = ["node_modules", ".git", ".wrangler", "backups", "coverage", "dist"];

/**
 * Returns a copy of this checkout in the folder for temporary files.
 *
 * @param leftOut entries that the test does not need or must not find, in addition to those that no test needs
 */
export async function copyCheckout(leftOut: readonly string[] = []): Promise<string> {
  const checkout = await mkdtemp(path.join(tmpdir(), "skill-gateway-checkout-"));
  const without = new Set([...LEFT_OUT, ...leftOut]);
  // A file is written under another name first.
  const filter = (source: string) => !source.endsWith(".tmp");
  for (const entry of await readdir(root))
    if (!without.has(entry)) await cp(path.join(root, entry), path.join(checkout, entry), { recursive: true, filter });
  await copyBuilds(checkout);
  await symlink(path.join(root, "node_modules"), path.join(checkout, "node_modules"));
  return checkout;
}

/** Copies the stored results of builds, so that the copy builds only what the test changes. */
async function copyBuilds(checkout: string): Promise<void> {
  const folder = path.join("dist", "kept");
  await mkdir(path.join(checkout, folder), { recursive: true });
  const names = await readdir(path.join(root, folder)).catch(() => []);
  const results = names.filter((name) => name.endsWith(".json"));
  await Promise.all(results.map((name) => cp(path.join(root, folder, name), path.join(checkout, folder, name))));
}
