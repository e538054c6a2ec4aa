// What goes on while gateways are killed. A workload remembers only what was acknowledged, and later asks for exactly that.

import { expect } from "vitest";
import type { Gateway } from "./launcher";
import { readSkill, upload } from "./skill";

export interface Workload {
  name: string;
  /** One step; throws when the gateway is gone. What it returned from must never be lost. */
  step(gateway: Gateway): Promise<void>;
  /** How many steps were acknowledged. */
  acknowledged(): number;
  verify(gateway: Gateway): Promise<void>;
}

/** Another workload (turns of conversations, say) is a function more in this list. */
export const workloads: (() => Workload)[] = [uploads];

function uploads(): Workload {
  const stored = new Map<string, string>();
  let next = 0;
  return {
    name: "uploads",
    async step(gateway) {
      const number = ++next;
      // Mostly small; some large enough that a kill is likely to fall into the middle of writing.
      const text = `This is number ${number}.\n${"x".repeat(number % 5 === 0 ? 100_000 : 10)}`;
      stored.set(await upload(gateway, `skill-${number}`, text), text);
    },
    acknowledged: () => stored.size,
    async verify(gateway) {
      for (const [id, text] of stored) expect(await readSkill(gateway, id)).toContain(text);
    },
  };
}

/** Runs steps of all workloads side by side until stopped; steps that fail while the gateway is down are tried anew. */
export function busy(gateway: Gateway, all: Workload[]) {
  let stopped = false;
  const loops = all.flatMap((workload) =>
    [1, 2, 3].map(async () => {
      while (!stopped) {
        try {
          await workload.step(gateway);
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    }),
  );
  return {
    async stop() {
      stopped = true;
      await Promise.all(loops);
    },
  };
}
