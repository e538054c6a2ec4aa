// The executor of `npm start` and `npm run serve`: scripts that need programs or packages of the machine run confined, all others in isolates. Each test holds
// whether bubblewrap is installed or not, or says that it needs it.

import { once } from "node:events";
import { mkdir, symlink } from "node:fs/promises";
import { createServer } from "node:http";
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

/** Each client calls the same host. `git` makes the script one for an executor. */
const CALLER = `set -e
git --version > /dev/null
curl -sS -H "Authorization: Bearer $TOKEN" "$1/curl"
python3 - "$1/urllib" <<'PYTHON'
import os, sys, urllib.request
asked = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
print(urllib.request.urlopen(asked).read().decode(), end="")
PYTHON
node -e 'fetch(process.argv[1], { headers: { authorization: "Bearer " + process.env.TOKEN } })
  .then((got) => got.text()).then((text) => process.stdout.write(text))' "$1/fetch"
curl -sS -o /dev/null -w '%{http_code}\\n' "$1/?key=$TOKEN"
echo "$TOKEN"
`;

async function publish(gateway: Gateway, files: Record<string, string> = FILES): Promise<unknown> {
  const entries = Object.entries(files).map(([name, text]) => [`tools/${name}`, strToU8(text)]);
  const form = new FormData();
  form.set("file", new Blob([zipSync(Object.fromEntries(entries))], { type: "application/zip" }), "tools.zip");
  const answer = await gateway.fetch("/api/v1/kinds/skills/public", { method: "POST", body: form });
  expect(answer.status).toBe(201);
  return answer.json();
}

const resultsSchema = z.object({
  results: z.array(z.object({ structuredContent: z.record(z.string(), z.unknown()) })),
});

async function execute(
  gateway: Gateway,
  path: string,
  input = "",
  args: string[] = [],
): Promise<Record<string, unknown> | undefined> {
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
  const call = { skill_name: "tools", script_path: path, input, args };
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

it.runIf(confined.ok)(
  "lets scripts in the executor call an approved host with a value that they never have",
  async () => {
    const value = "value-of-the-smoke-test";
    // Clients reach 127.0.0.1, which is the run's own, without the proxy.
    const host = "127.0.0.2";
    const received: string[] = [];
    const api = createServer(({ url, headers }, response) => {
      received.push(`${url} ${headers.authorization}`);
      response.end(`${url} received ${headers.authorization}\n`);
    });
    api.listen(0, host);
    await once(api, "listening");
    try {
      const gateway = await start(await newPlace(), { args: ["--executor"] }).ready();
      const text = FILES["SKILL.md"].replace("name: tools\n", `name: tools\nnetwork: [${host}]\nenv: [TOKEN]\n`);
      const files = { "SKILL.md": text, "scripts/call.sh": CALLER };
      const published = z
        .object({ metadata: z.object({ labels: z.object({ id: z.string() }) }) })
        .parse(await publish(gateway, files));
      const { id } = published.metadata.labels;
      const put = async (route: string, body: object) => {
        const headers = { "content-type": "application/json" };
        const answer = await gateway.fetch(route, { method: "PUT", headers, body: JSON.stringify(body) });
        expect(answer.status, await answer.text()).toBe(200);
      };
      await put(`/api/v1/me/skill-env/${id}`, { values: { TOKEN: value } });
      await put(`/api/v1/kinds/skills/${id}/network`, { hosts: [host] });
      const address = api.address();
      if (address === null || typeof address === "string") throw new Error("The API has no port.");
      const result = await execute(gateway, "scripts/call.sh", "", [`http://${host}:${address.port}`]);
      expect(result).toMatchObject({ exit_code: 0, executor: "remote" });
      expect(String(result?.stdout).split("\n")).toEqual([
        ...["curl", "urllib", "fetch"].map((client) => `/${client} received Bearer [secret TOKEN]`),
        "403",
        expect.stringMatching(/^skillgate_TOKEN_[0-9a-f]{24}$/),
        "",
      ]);
      expect(received).toEqual(["curl", "urllib", "fetch"].map((client) => `/${client} Bearer ${value}`));
      expect(JSON.stringify(result)).not.toContain(value);
    } finally {
      api.close();
    }
  },
);

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
    const doctor = await work.start(["doctor", "--url", gateway.url, "--key", gateway.key]).ended;
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
