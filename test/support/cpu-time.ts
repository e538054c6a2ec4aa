// Measures CPU time, for tests in Node of work that must not take long on any input.

/** Returns the CPU time of `work` in milliseconds. Other processes of a busy machine do not change it, unlike the elapsed time. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
