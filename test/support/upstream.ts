// Helpers for upstream tests: servers by name, and clients with short time limits.

import { expect, inject } from "vitest";
import { NO_MEMORY, type UpstreamMemory, type UpstreamTarget } from "../../src/domain/servers/memory";
import { makeRedactor } from "../../src/domain/servers/redactor";
import { Upstream } from "../../src/upstream/client";
import { perFile } from "./per-file";
import type { Seen } from "./upstream-server/faults";
import type { Script } from "./upstream-server/scripted";

/** URL of the misbehaving servers of this test file. */
export let faults = "";
await perFile(async () => {
  faults = (await control("faults")).url;
});

/** Returns the URL of a real server, started on first use. Only the test that uses `name:of-a-test` can restart that server. */
export async function realServer(name: string): Promise<string> {
  const { url } = await control(`start?name=${name}`);
  return url;
}

/** Kills a real server and starts it again at the same address. */
export async function restart(name: string): Promise<void> {
  await control(`restart?name=${name}`);
}

/** Kills a real server. */
export async function stopServer(name: string): Promise<void> {
  await control(`stop?name=${name}`);
}

/** Returns the URL of a port that never accepts. */
export async function fullServer(): Promise<string> {
  return (await control("full")).url;
}

async function control(path: string): Promise<{ url: string }> {
  const response = await fetch(`${inject("control")}/${path}`);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

export function target(url: string, change: Partial<UpstreamTarget> = {}): UpstreamTarget {
  const given = {
    name: "server",
    type: "streamable-http" as const,
    headers: {},
    era: "auto" as const,
    redactor: makeRedactor([]),
  };
  return { ...given, url, abilities: {}, connectMs: 1_000, callMs: 1_000, ...change };
}

export function upstream(
  url: string,
  change: Partial<UpstreamTarget> = {},
  memory: UpstreamMemory = NO_MEMORY,
  now: () => number = () => Date.now(),
): Upstream {
  return new Upstream(target(url, change), memory, true, now);
}

/** Sets the script of a server and returns its URL. */
export async function scripted(name: string, script: Script): Promise<string> {
  const url = `${faults}/scripted/${name}`;
  await (await fetch(url, { method: "PUT", body: JSON.stringify(script) })).text();
  return url;
}

/** Returns the requests that the misbehaving servers received for one path. */
export async function seen(path: string): Promise<Seen["requests"]> {
  const { requests }: Seen = await (await fetch(`${faults}/seen`)).json();
  return requests.filter((request) => request.path === path);
}

/** Returns the posted methods, in order. */
export async function methods(path: string): Promise<string[]> {
  return (await seen(path)).map(({ http, method }) => (http === "POST" ? method : http));
}

export async function forget(): Promise<void> {
  await (await fetch(`${faults}/forget`)).text();
}

/** Waits until the misbehaving servers have no open connections. Fails if one stays open. */
export async function expectNoConnections(): Promise<void> {
  await expect
    .poll(async () => ((await (await fetch(`${faults}/seen`)).json()) as Seen).open, { timeout: 20_000, interval: 100 })
    .toBe(0);
}
