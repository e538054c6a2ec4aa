// Skill code that the runtime cannot stop: the launcher ends the process that runs it, and the gateway goes on.

import { strToU8, zipSync } from "fflate";
import { expect, it, vi } from "vitest";
import * as z from "zod";
import { type Gateway, newPlace, type Run, start, until } from "./launcher";
import { busy, workloads } from "./workload";

/** The first start of a checkout builds the script runtimes, which takes a minute on a busy machine. */
vi.setConfig({ testTimeout: 600_000 });
const PATIENCE = 300_000;

const PROVIDER = `export class Endless {
  get providerName() { return "endless" }
  get supportedTools() { return ["match"] }
  createTool() { return { description: "Matches.", inputSchema: { type: "object" }, async call() { return /^(a+)+$/.test("a".repeat(60) + "b") } } }
}`;

/** Scripts that catch every exception. The last line of each blocks its process: no check can interrupt it. */
const LOOPS = {
  "scripts/ready.py": "print('ready')\n",
  "scripts/ready.js": "console.log('ready')\n",
  "scripts/ready.sh": "echo ready\n",
  "scripts/loop.py":
    "try:\n  while True: pass\nexcept BaseException: pass\nwhile True:\n  try: sum(range(10 ** 12))\n  except BaseException: pass\n",
  "scripts/loop.js": "for (;;) { try { /^(a+)+$/.test('a'.repeat(60) + 'b') } catch {} }\n",
  "scripts/loop.sh": "trap '' EXIT TERM\nwhile true; do node scripts/loop.js || true; done\n",
};

async function publish(gateway: Gateway): Promise<void> {
  const text = `---\nname: endless\ndescription: "Never ends."\nprovider: { module: provider, class: Endless }\ntools: [match]\n---\n\nCall match.\n`;
  const files = { "SKILL.md": text, "provider.js": PROVIDER, ...LOOPS };
  const zip = zipSync(
    Object.fromEntries(Object.entries(files).map(([name, source]) => [`endless/${name}`, strToU8(source)])),
  );
  const form = new FormData();
  form.set("file", new Blob([zip], { type: "application/zip" }), "endless.zip");
  const answer = await gateway.fetch("/api/v1/kinds/skills/public", { method: "POST", body: form });
  expect(answer.status).toBe(201);
}

const post = (gateway: Gateway, route: string, body: object) =>
  gateway.fetch(`/api/v1/conversations/${route}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const answersSchema = z.object({
  results: z.array(z.object({ content: z.array(z.object({ text: z.string() })), isError: z.boolean().optional() })),
});

/** Runs calls in a conversation and returns the text of each result. */
async function call(
  gateway: Gateway,
  chat: string,
  ...calls: { name: string; arguments: object }[]
): Promise<string[]> {
  const body = { calls: calls.map((each, at) => ({ id: `${chat}-${at}-${crypto.randomUUID()}`, ...each })) };
  const answer = await post(gateway, `${chat}/tool-calls`, body);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return answersSchema.parse(JSON.parse(text)).results.map(({ content }) => content.map(({ text }) => text).join());
}

const script = (path: string, skill = "endless") => ({
  name: "execute_skill_script",
  arguments: { skill_name: skill, script_path: path },
});

async function open(gateway: Gateway, chat: string): Promise<void> {
  expect((await post(gateway, `${chat}/turns`, { conversation: { delivery: "system" } })).status).toBe(200);
  await call(gateway, chat, { name: "load_skill", arguments: { skill_name: "endless" } });
}

/** Waits until a script of each language has run: the first start builds Python, and a request gives up earlier on a busy machine. */
async function ready(gateway: Gateway): Promise<void> {
  await open(gateway, "ready");
  for (const path of Object.keys(LOOPS).filter((each) => each.includes("ready"))) {
    const hasRun = async () => {
      const answer = await post(gateway, "ready/tool-calls", { calls: [{ id: crypto.randomUUID(), ...script(path) }] });
      return (await answer.text()).includes("ready\\n");
    };
    await until(`${path} runs`, hasRun, PATIENCE);
  }
}

/** How a call of blocked code ends. On a busy machine its own time is over before it has used the CPU time of the watchdog. */
const ENDED = /The process that runs skill code was restarted|timed out after|was ended after/;
const gatewayLines = (run: Run) => run.stderr.filter((line) => line.startsWith("workerd"));

it("a tool that blocks its process costs that process only", async () => {
  const run = start(await newPlace());
  const gateway = await run.ready();
  await publish(gateway);
  const all = workloads.map((make) => make());
  const work = busy(gateway, all);
  await open(gateway, "stuck");
  expect(await call(gateway, "stuck", { name: "match", arguments: {} })).toEqual([expect.stringMatching(ENDED)]);
  await run.line(/^the process for skill code is running again$/);
  await work.stop();
  expect(gatewayLines(run)).toEqual([]);
  for (const workload of all) await workload.verify(gateway);
  // The next script waits for the new process.
  const table = { ...script("scripts/table.js", "json-table") };
  Object.assign(table.arguments, { input: '[{"a":1}]' });
  expect(await call(gateway, "stuck", table)).toEqual([expect.stringContaining("| a |")]);
});

it("a script that loops forever and catches every exception costs the process for skill code only", async () => {
  const run = start(await newPlace());
  const gateway = await run.ready();
  await publish(gateway);
  const { runtime, runner } = await run.lock();
  await ready(gateway);
  const chats = Object.keys(LOOPS)
    .filter((path) => path.includes("loop"))
    .map((path) => ({ path, chat: path.replace(/\W/g, "-") }));
  await Promise.all(chats.map(({ chat }) => open(gateway, chat)));

  const loops = chats.map(({ path, chat }) => call(gateway, chat, script(path)));
  // A failed request fails the test below, and not as an unhandled rejection.
  for (const loop of loops) loop.catch(() => {});
  let isRunning = true;
  const ended = Promise.all(loops).finally(() => {
    isRunning = false;
  });
  // Other requests while the scripts run. `bench/code-load.mjs` measures how long they take.
  do {
    const answer = await post(gateway, "neighbour/turns", { conversation: {} });
    expect(answer.status, await answer.text()).toBe(200);
  } while (isRunning);
  for (const [text] of await ended) expect(text).toMatch(ENDED);

  await run.line(/^a script blocks the process for skill code, stopping it$/);
  const after = await until(
    "another process",
    async () => {
      const lock = await run.lock();
      return lock.runner?.pid === runner?.pid ? null : lock;
    },
    PATIENCE,
  );
  expect(after.runtime.pid).toBe(runtime.pid);
  expect(gatewayLines(run)).toEqual([]);
});
