// What the runtime that this process has started takes of memory. Linux only.

import { readdir, readFile } from "node:fs/promises";

/** MiB of all workerd processes below this one. */
export async function runtimeMemory() {
  let kib = 0;
  for (const pid of await runtimes()) kib += Number(/^VmRSS:\s+(\d+) kB$/m.exec(await statusOf(pid))?.[1] ?? 0);
  return kib / 1024;
}

/** How many memory mappings they have. An isolate takes 12, so their number shows isolates that are not given back. */
export async function runtimeMappings() {
  const maps = await Promise.all(
    (await runtimes()).map((pid) => readFile(`/proc/${pid}/maps`, "utf8").catch(() => "")),
  );
  return maps.reduce((sum, text) => sum + text.split("\n").length - 1, 0);
}

/** The workerd processes below this one. */
export async function runtimes() {
  const found = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const status = await statusOf(pid);
    const isOurs = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) === process.pid;
    if (isOurs && /^Name:\s+workerd$/m.test(status)) found.push(Number(pid));
  }
  return found;
}

/** A process may end while it is looked at. */
function statusOf(pid) {
  return readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
}
