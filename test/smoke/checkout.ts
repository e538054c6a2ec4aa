// Helps tests that run commands in a copy of this checkout.

import { cp, mkdir, readdir } from "node:fs/promises";
import path from "node:path";

const root = path.dirname(path.dirname(import.meta.dirname));

/** Copies the stored results of builds, so that the copy builds only what the test changes. */
export async function copyBuilds(checkout: string): Promise<void> {
  const folder = path.join("dist", "kept");
  await mkdir(path.join(checkout, folder), { recursive: true });
  const names = await readdir(path.join(root, folder)).catch(() => []);
  const results = names.filter((name) => name.endsWith(".json"));
  await Promise.all(results.map((name) => cp(path.join(root, folder, name), path.join(checkout, folder, name))));
}
