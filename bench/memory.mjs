// What the runtime that this process has started takes of memory. Linux only.

import { readdir, readFile } from "node:fs/promises";

/** MiB of all workerd processes below this one. */
export async function runtimeMemory() {
  let kib = 0;
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    // A process may end while it is looked at.
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    if (!/^Name:\s+workerd$/m.test(status) || Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) !== process.pid) continue;
    kib += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  }
  return kib / 1024;
}
