// Starts a gateway once from an empty folder, so that the tests of a run can begin with a copy of its state. Applying migrations and
// publishing the built-in skills takes a third of a first start.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder with the state and the settings of a gateway that has started once. */
    preparedState: string;
  }
}

const root = path.dirname(path.dirname(import.meta.dirname));

/** Location of the state of one gateway. */
export interface Place {
  state: string;
  vars: string;
}

export const placeIn = (folder: string): Place => ({
  state: path.join(folder, "state"),
  vars: path.join(folder, ".dev.vars"),
});

/** Copies the prepared state and its settings to a place. Does nothing in runs that have not prepared one. */
export async function copyPrepared({ state, vars }: Place, folder = inject("preparedState")): Promise<void> {
  if (folder === undefined) return;
  const from = placeIn(folder);
  await Promise.all([cp(from.state, state, { recursive: true }), cp(from.vars, vars)]);
}

/** Vitest calls this before it starts processes. Returns how to delete the state again. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The gateways of the tests reach no host that needs more certificates. Passing them to workerd takes a tenth of the CPU of a start.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const folder = await mkdtemp(path.join(tmpdir(), "skill-gateway-prepared-"));
  const { state, vars } = placeIn(folder);
  const options = ["--port", "0", "--state", state, "--vars", vars, "--no-executor"];
  const { GATEWAY_ADMIN_KEY: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [path.join(root, "scripts", "start.mjs"), ...options], {
    cwd: root,
    env: { ...inherited, HOME: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("  Admin key")) break;
  }
  child.kill("SIGTERM");
  const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
  if (code !== 0) throw new Error(`The gateway that prepares the state of the tests ended with ${code}.`);
  project.provide("preparedState", folder);
  return () => rm(folder, { recursive: true, force: true });
}
