// Skill code that the runtime cannot stop: the launcher ends its process.

import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { type Gateway, newPlace, start } from "./launcher";
import { busy, workloads } from "./workload";

/** Such a tool makes a gateway unavailable for about three seconds; the limit allows for a busy machine. */
const AWAY_MS = 20_000;

const PROVIDER = `export class Endless {
  get providerName() { return "endless" }
  get supportedTools() { return ["match"] }
  createTool() { return { description: "Matches.", inputSchema: { type: "object" }, async call() { return /^(a+)+$/.test("a".repeat(60) + "b") } } }
}`;

async function publish(gateway: Gateway): Promise<void> {
  const text = `---\nname: endless\ndescription: "Never ends."\nprovider: { module: provider, class: Endless }\ntools: [match]\n---\n\nCall match.\n`;
  const zip = zipSync({ "endless/SKILL.md": strToU8(text), "endless/provider.js": strToU8(PROVIDER) });
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

it("a regular expression that backtracks for ever costs seconds, and nothing that was acknowledged", async () => {
  const run = start(await newPlace());
  const gateway = await run.ready();
  await publish(gateway);
  const all = workloads.map((make) => make());
  const work = busy(gateway, all);
  const turn = await post(gateway, "stuck/turns", { conversation: { delivery: "system" } });
  expect(turn.status).toBe(200);
  const load = { id: "1", name: "load_skill", arguments: { skill_name: "endless" } };
  const loaded = (await (await post(gateway, "stuck/tool-calls", { calls: [load] })).json()) as {
    tools: { name: string }[];
  };
  expect(loaded.tools.map((tool) => tool.name)).toContain("match");

  const began = performance.now();
  const called = post(gateway, "stuck/tool-calls", { calls: [{ id: "2", name: "match", arguments: {} }] });
  await expect(called).rejects.toThrow();
  await run.line(/^workerd is running again$/);
  expect((await gateway.fetch("/api/v1/me")).status).toBe(200);
  const away = performance.now() - began;
  await work.stop();
  console.log(`away for ${Math.round(away)} ms`);
  expect(away).toBeLessThan(AWAY_MS);

  for (const workload of all) await workload.verify(gateway);
  const after = (await (await gateway.fetch("/api/v1/conversations/stuck")).json()) as {
    turn: number;
    active: { skill: string }[];
  };
  expect(after).toMatchObject({ turn: 1, active: [{ skill: "endless" }] });
  // The next call of another tool works.
  const script = {
    id: "3",
    name: "execute_skill_script",
    arguments: { skill_name: "json-table", script_path: "scripts/table.js", input: '[{"a":1}]' },
  };
  const { results } = (await (await post(gateway, "stuck/tool-calls", { calls: [script] })).json()) as {
    results: object[];
  };
  expect(results).toMatchObject([{ structuredContent: { exit_code: 0, stdout: "| a |\n|---:|\n| 1 |\n" } }]);
});
