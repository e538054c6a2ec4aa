// Workloads that run while gateways are killed. A workload records only acknowledged steps and later checks exactly these.

import { expect } from "vitest";
import * as z from "zod";
import type { Gateway } from "./launcher";
import { readSkill, upload } from "./skill";

export interface Workload {
  name: string;
  /** Runs one step. Throws if the gateway is unreachable. The result of a completed step must never be lost. */
  step(gateway: Gateway): Promise<void>;
  /** Number of acknowledged steps. */
  acknowledged(): number;
  verify(gateway: Gateway): Promise<void>;
  /** Returns `verify` for the steps that are acknowledged now, without later ones. */
  snapshot(): (gateway: Gateway) => Promise<void>;
}

/** Add another workload as a function in this list. */
export const workloads: (() => Workload)[] = [uploads, turns];

function uploads(): Workload {
  const stored = new Map<string, string>();
  let next = 0;
  return {
    name: "uploads",
    async step(gateway) {
      const number = ++next;
      // Most texts are small. Some are large, so that a kill is likely to interrupt a write.
      const text = `This is number ${number}.\n${"x".repeat(number % 5 === 0 ? 100_000 : 10)}`;
      stored.set(await upload(gateway, `skill-${number}`, text), text);
    },
    acknowledged: () => stored.size,
    verify: (gateway) => verifyUploads(gateway, stored),
    snapshot() {
      const copy = new Map(stored);
      return (gateway) => verifyUploads(gateway, copy);
    },
  };
}

async function verifyUploads(gateway: Gateway, stored: Map<string, string>): Promise<void> {
  for (const [id, text] of stored) expect(await readSkill(gateway, id)).toContain(text);
}

/** Conversations with several turns. An acknowledged turn must be stored, and a loaded skill must be active. */
function turns(): Workload {
  const reached = new Map<string, number>();
  const loaded = new Set<string>();
  let done = 0;
  let next = 0;
  return {
    name: "turns",
    async step(gateway) {
      const number = ++next;
      const chat = `/api/v1/conversations/kill-${number % 7}`;
      const settings = { retention_turns: "conversation" };
      const begun = await send(gateway, "POST", `${chat}/turns`, { key: `message-${number}`, conversation: settings });
      reached.set(chat, Math.max(z.object({ turn: z.int() }).parse(begun).turn, reached.get(chat) ?? 0));
      const call = { id: `call-${number}`, name: "load_skill", arguments: { skill_name: "markdown-style" } };
      await send(gateway, "POST", `${chat}/tool-calls`, { calls: [call] });
      loaded.add(chat);
      done++;
    },
    acknowledged: () => done,
    verify: (gateway) => verifyTurns(gateway, reached, loaded),
    snapshot() {
      const [turns, skills] = [new Map(reached), new Set(loaded)];
      return (gateway) => verifyTurns(gateway, turns, skills);
    },
  };
}

async function verifyTurns(gateway: Gateway, reached: Map<string, number>, loaded: Set<string>): Promise<void> {
  for (const [chat, turn] of reached) {
    const now = statusSchema.parse(await send(gateway, "GET", chat));
    expect(now.turn).toBeGreaterThanOrEqual(turn);
    if (loaded.has(chat)) expect(now.active.map(({ skill }) => skill)).toContain("markdown-style");
  }
}

const statusSchema = z.object({ turn: z.int(), active: z.array(z.object({ skill: z.string() })) });

async function send(gateway: Gateway, method: string, route: string, body?: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const answer = await gateway.fetch(route, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Runs steps of all workloads in parallel until stopped. Steps that fail while the gateway is down are repeated. */
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
