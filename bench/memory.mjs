// Measures the memory of the runtime processes that this process has started. Linux only.

import { readdir, readFile } from "node:fs/promises";

/** Returns the memory of all workerd processes below this one, in MiB. */
export async function runtimeMemory() {
  let kib = 0;
  for (const pid of await runtimes()) kib += Number(/^VmRSS:\s+(\d+) kB$/m.exec(await statusOf(pid))?.[1] ?? 0);
  return kib / 1024;
}

/** Returns the number of their memory mappings. An isolate uses 12, so the number shows isolates that are not freed. */
export async function runtimeMappings() {
  const maps = await Promise.all(
    (await runtimes()).map((pid) => readFile(`/proc/${pid}/maps`, "utf8").catch(() => "")),
  );
  return maps.reduce((sum, text) => sum + text.split("\n").length - 1, 0);
}

/** Returns the workerd processes below this one. */
export async function runtimes() {
  const found = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const status = await statusOf(pid);
    const isOurs = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) === process.pid;
    if (isOurs && /^Name:\s+workerd$/m.test(status)) found.push(Number(pid));
  }
  return found;
}

/** A process can end while it is read. */
function statusOf(pid) {
  return readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
}
