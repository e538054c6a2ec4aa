// Waits for the end of processes that a test has started indirectly.

import { execFileSync } from "node:child_process";
import { expect } from "vitest";

/** Waits until no command line of this machine contains the text. The kernel ends the processes of a killed run shortly after the run. */
export async function expectNoProcess(text: string): Promise<void> {
  const commandLines = () => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  await expect.poll(() => commandLines().filter((line) => line.includes(text)), { timeout: 10_000 }).toEqual([]);
}
