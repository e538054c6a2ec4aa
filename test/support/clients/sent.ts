// Scripts of the models, and the requests that their vendors received.

import { expect } from "vitest";
import type { Stage } from "./stage";

export const load = (name: string) => ({ name: "load_skill", input: { skill_name: name } });
export const signal = { name: "call_skill_tool", input: { name: "signal", arguments: {} } };
export const own = { name: "get_time", input: {} };
export const HARBOUR = "Sign every report with Aye.";
export const LAMP = "Light it at dusk.";

export interface Sent {
  messages: object[];
  tools?: unknown;
  system?: unknown;
  [field: string]: unknown;
}

export function sent({ vendor }: Stage): Sent[] {
  return vendor.bodies.map(requestIn);
}

/** Parses a request of any API. */
export function requestIn(body: string): Sent {
  const { input, ...rest } = JSON.parse(body) as { input?: object[]; messages?: object[] };
  return { ...rest, messages: rest.messages ?? input ?? [] };
}

export const text = (value: unknown) => JSON.stringify(value);

/** Asserts that each request to the vendor begins with the one before it. */
export function expectGrowth(requests: readonly Sent[]): void {
  const parts = requests.map(({ system, tools, messages }) => [text([system, tools]), ...messages.map(text)]);
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1] ?? [];
    expect([index, part.slice(0, before.length)]).toEqual([index, before]);
  }
}
