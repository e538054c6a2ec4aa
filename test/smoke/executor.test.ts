// The executor of `npm start` and `npm run serve`: scripts that need programs or packages of the machine run confined, all others in isolates. Each test holds
// whether bubblewrap is installed or not, or says that it needs it.

import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { strToU8, zipSync } from "fflate";
import { expect, it, vi } from "vitest";
import * as z from "zod";
import { probe, probeStart } from "../../executor/bubblewrap.mjs";
import { serveExecutor } from "../../executor/server.mjs";
import { WorkFolder } from "../support/skillgate";
import { type Gateway, initServed, newPlace, type Place, readyServed, serve, start, until } from "./launcher";

const confined = await probe();
const starting = await probeStart();

/** The first start of a checkout builds the script runtimes, which takes a minute on a busy machine. */
vi.setConfig({ testTimeout: 600_000 });

const FILES = {
  "SKILL.md": '---\nname: tools\ndescription: "Runs programs of the machine."\n---\n\nRun the scripts.\n',
  "scripts/version.sh": "git --version > version.txt; echo done; cat\n",
  "scripts/plain.js": "console.log('plain')\n",
};

async function publish(gateway: Gateway): Promise<unknown> {
  const entries = Object.entries(FILES).map(([name, text]) => [`tools/${name}`, strToU8(text)]);
  const form = new FormData();
  form.set("file", new Blob([zipSync(Object.fromEntries(entries))], { type: "application/zip" }), "tools.zip");
  const answer = await gateway.fetch("/api/v1/kinds/skills/public", { method: "POST", body: form });
  expect(answer.status).toBe(201);
  return answer.json();
}

const resultsSchema = z.object({
  results: z.array(z.object({ structuredContent: z.record(z.string(), z.unknown()) })),
});

async function execute(gateway: Gateway, path: string, input = ""): Promise<object | undefined> {
  const request = async (route: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await gateway.fetch(`/api/v1/conversations/chat/${route}`, {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
    });
    const text = await answer.text();
    // A first start builds the script runtimes in the background.
    if (answer.status === 503) return null;
    expect(answer.status, text).toBe(200);
    return text;
  };
  await request("turns", { conversation: {} });
  const call = { skill_name: "tools", script_path: path, input };
  const calls = [{ id: crypto.randomUUID(), name: "execute_skill_script", arguments: call }];
  const text = await until("the script runs", () => request("tool-calls", { calls }), 300_000);
  return resultsSchema.parse(JSON.parse(text)).results[0]?.structuredContent;
}

it.runIf(confined.ok)("runs scripts that need programs in the executor, and all others in isolates", async () => {
  const run = start(await newPlace(), { args: ["--executor"] });
  const gateway = await run.ready();
  expect(await publish(gateway)).toMatchObject({
    status: {
      scripts: expect.arrayContaining([expect.objectContaining({ path: "scripts/version.sh", runs: "remote" })]),
    },
  });
  expect(await execute(gateway, "scripts/version.sh", "input\n")).toMatchObject({
    ...{ exit_code: 0, stdout: "done\ninput\n", stderr: "", executor: "remote", killed: false },
    files: [expect.objectContaining({ path: "/workspace/version.txt" })],
  });
  const plain = await execute(gateway, "scripts/plain.js");
  expect(plain).toMatchObject({ exit_code: 0, stdout: "plain\n", executor: "isolate" });
  // The key of the executor is in no output of the launcher.
  expect([...run.stdout, ...run.stderr].join("\n")).not.toContain("EXECUTOR_KEY");
});

/** An environment in which bwrap is not installed. */
async function withoutBubblewrap({ state }: Place): Promise<Record<string, string>> {
  const folder = path.join(path.dirname(state), "bin");
  await mkdir(folder);
  await symlink(process.execPath, path.join(folder, "node"));
  return { PATH: folder };
}

const ADVICE = "bwrap is not installed. Install it: apt-get install bubblewrap";
const UNAVAILABLE = { code: "EXECUTOR_UNAVAILABLE", message: expect.stringContaining(ADVICE) };
const healthOf = async (gateway: Gateway): Promise<unknown> => (await gateway.fetch("/health")).json();
const LINES = 10;

it("uses the executor by default where bubblewrap works, and says so in one line", async () => {
  const run = start(await newPlace(), { looksForExecutor: true });
  const gateway = await run.ready();
  const [row] = await run.line(/^ {2}Executor {3}.*$/);
  expect(row).toMatch(starting.ok ? /bubblewrap, for scripts/ : /none\. Scripts cannot be confined here/);
  expect(run.stdout.length).toBeLessThanOrEqual(LINES);
  await publish(gateway);
  const result = await execute(gateway, "scripts/version.sh");
  if (confined.ok) expect(result).toMatchObject({ exit_code: 0, stdout: "done\n", executor: "remote" });
  if (!starting.ok) expect(result).not.toHaveProperty("executor");
});

it("starts without an executor by default where bubblewrap is missing, and says what to install", async () => {
  const place = await newPlace();
  const run = start(place, { looksForExecutor: true, env: await withoutBubblewrap(place) });
  const gateway = await run.ready();
  const [row] = await run.line(/^ {2}Executor {3}.*$/);
  expect(row).toContain(ADVICE);
  expect(run.stdout.length).toBeLessThanOrEqual(LINES);
  // An optional part that is absent is no failure.
  expect(await healthOf(gateway)).toMatchObject({
    status: "ok",
    checks: { executor: "absent" },
    issues: [UNAVAILABLE],
  });
  await publish(gateway);
  const result = await execute(gateway, "scripts/version.sh");
  expect(result).not.toHaveProperty("executor");
  expect(result).toMatchObject({ stdout: "done\n" });
});

it("reports a failure with --executor if runs cannot be confined", async () => {
  const place = await newPlace();
  const run = start(place, { args: ["--executor"], env: await withoutBubblewrap(place) });
  const gateway = await run.ready();
  expect(run.stderr.join("\n")).toContain(ADVICE);
  expect(await healthOf(gateway)).toMatchObject({
    status: "degraded",
    checks: { executor: "failed" },
    issues: [UNAVAILABLE],
  });
});

it("reports what an executor lacks that started and then could not confine runs, and what to install", async () => {
  const key = "a key of the tests that is long enough";
  const { PATH = "" } = process.env;
  const work = await WorkFolder.make();
  const server = await serveExecutor({ key, checksFirst: "none" });
  const env = { EXECUTOR_URL: server.url, EXECUTOR_KEY: key, PATH };
  // The executor runs in this process, and looks for bwrap in its PATH.
  vi.stubEnv("PATH", work.folder);
  try {
    const gateway = await start(await newPlace(), { env }).ready();
    expect(await healthOf(gateway)).toMatchObject({
      status: "degraded",
      checks: { executor: "failed" },
      issues: [UNAVAILABLE],
    });
    const doctor = await work.run("doctor", "--url", gateway.url, "--key", gateway.key);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining(ADVICE) });
    await publish(gateway);
    const result = await execute(gateway, "scripts/version.sh");
    expect(result).toMatchObject({ exit_code: 137, executor: "remote", stderr: expect.stringContaining(ADVICE) });
  } finally {
    vi.unstubAllEnvs();
    await server.close();
    await work.remove();
  }
});

it("uses no executor with --no-executor", async () => {
  const run = start(await newPlace());
  const gateway = await run.ready();
  expect(run.stdout.join("\n")).not.toContain("Executor");
  const health = await healthOf(gateway);
  expect(health).toMatchObject({ status: "ok", checks: { executor: "absent" } });
  expect(health).not.toHaveProperty("issues");
  await publish(gateway);
  const result = await execute(gateway, "scripts/version.sh");
  expect(result).not.toHaveProperty("executor");
  expect(result).toMatchObject({ stdout: "done\n" });
});

it.runIf(confined.ok)("runs for `npm run serve`, whose Worker reaches no other address of this machine", async () => {
  const place = await newPlace();
  const key = await initServed(place);
  const run = serve(place, { looksForExecutor: true });
  const gateway = await readyServed(run, key);
  expect(run.stdout.join("\n")).toMatch(/"event":"executor","message":"bubblewrap, for scripts/);
  await publish(gateway);
  expect(await execute(gateway, "scripts/version.sh")).toMatchObject({ exit_code: 0, executor: "remote" });
});

it("`npm run serve` without bubblewrap logs what to install, and serves", async () => {
  const place = await newPlace();
  const key = await initServed(place);
  const run = serve(place, { looksForExecutor: true, env: await withoutBubblewrap(place) });
  const gateway = await readyServed(run, key);
  expect(run.stdout.join("\n")).toContain(ADVICE);
  expect(await healthOf(gateway)).toMatchObject({ status: "ok", checks: { executor: "absent" } });
});
