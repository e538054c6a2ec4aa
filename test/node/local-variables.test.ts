// Variables that a local gateway sets and a deployed one does not.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readVariables } from "../../scripts/local/devvars.mjs";
import * as table from "../../src/domain/settings/settings";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "local-variables-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function variablesFrom(text: string, environment: NodeJS.ProcessEnv = {}) {
  const file = path.join(folder, "vars");
  await writeFile(file, text);
  return readVariables(file, table, environment);
}

it("counts metrics and logs no requests by default", async () => {
  expect(await variablesFrom("")).toEqual({ LOG_REQUESTS: "false", METRICS: "on" });
  expect(await variablesFrom("METRICS=off\nLOG_REQUESTS=true")).toEqual({ LOG_REQUESTS: "true", METRICS: "off" });
  expect(await variablesFrom("METRICS=on", { METRICS: "off" })).toMatchObject({ METRICS: "off" });
});
