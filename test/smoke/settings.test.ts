import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { emptyPlace, readLock, start } from "./launcher";

it("unknown names and bad values in the file stop the start, all of them named", async () => {
  const place = await emptyPlace();
  await writeFile(place.vars, "SKILL_ENABLED=true\nSKILL_RETENTION_TURNS=banana\nSKILLS_ALLOWED=a@@b\n");
  const run = start(place);
  expect(await run.exit).toBe(1);
  expect(run.stdout).toEqual([]);
  for (const name of ["SKILL_ENABLED", "SKILL_RETENTION_TURNS", "a@@b"]) expect(run.stderr.join("\n")).toContain(name);
  expect(await readLock(place)).toBeNull();
});

it("a bad value or a misspelt name in the environment stops the start; other programs' names do not", async () => {
  const env = {
    SKILLS_ENABLED: "perhaps",
    SKILLS_ALOWED: "x",
    SECRET_KEY: "django",
    MCP_SERVER_URL: "http://x",
    JWT_SECRET: "s",
  };
  const run = start(await emptyPlace(), { env });
  expect(await run.exit).toBe(1);
  const told = run.stderr.join("\n");
  expect(told).toContain("SKILLS_ENABLED");
  expect(told).toContain("'SKILLS_ALOWED' in the environment is not a setting. Did you mean SKILLS_ALLOWED?");
  for (const name of ["SECRET_KEY", "MCP_SERVER_URL", "JWT_SECRET"]) expect(told).not.toContain(`'${name}'`);
});

it("the environment goes over the file, and an empty value is none", async () => {
  const place = await emptyPlace();
  await writeFile(place.vars, "SKILLS_ENABLED=perhaps\nSKILL_RETENTION_TURNS=\nGATEWAY_ADMIN_KEY=\n");
  const gateway = await start(place, { env: { SKILLS_ENABLED: "true" } }).ready();
  expect((await gateway.fetch("/api/v1/me")).status).toBe(200);
});

it("a setting that needs a key which the first start makes is good at the first start", async () => {
  const place = await emptyPlace();
  await writeFile(place.vars, "OAUTH_SERVER=own\n");
  const gateway = await start(place).ready();
  expect((await fetch(`${gateway.url}/.well-known/oauth-authorization-server`)).status).toBe(200);
});

it("an option that does not exist is refused with what there is", async () => {
  const run = start({ ...(await emptyPlace()), vars: "--nonsense" });
  expect(await run.exit).toBe(1);
  expect(run.stderr.join("\n")).toContain("Use: npm start -- [--port 8787] [--state <folder>]");
});
