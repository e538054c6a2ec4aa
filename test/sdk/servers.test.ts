// The example servers, each in its own process, with a scripted model.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Harness, KEY, root } from "../support/harness";
import { startAiVendor } from "../support/sdk/ai-vendor";
import { startVendor } from "../support/vendors/server";

const gateway = new Harness();
const ORDER = "Sign every report with Aye.";
const LOAD = [{ name: "load_skill", input: { skill_name: "harbour" } }];
const OWN = [{ name: "get_time", input: {} }];
let server: ChildProcess | undefined;

beforeAll(async () => {
  const made = spawnSync(process.execPath, [path.join(root, "sdk", "build.mjs")], { encoding: "utf8" });
  expect(made.status, made.stderr).toBe(0);
  await gateway.start();
  const body = `${ORDER}\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}`;
  await gateway.publish({ name: "harbour", description: "Reports.", body });
});
afterEach(() => server?.kill());
afterAll(() => gateway.close());

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Starts an example and waits until it reports that it listens. */
async function start(example: string, vendor: string, address = gateway.url): Promise<string> {
  const port = await freePort();
  const env = {
    ...{ PATH: process.env.PATH ?? "", PORT: `${port}`, GATEWAY_URL: address, GATEWAY_KEY: KEY },
    ...{ OPENAI_API_KEY: "none", ANTHROPIC_API_KEY: "none", AI_GATEWAY_API_KEY: "none" },
    ...{ OPENAI_BASE_URL: `${vendor}/v1`, ANTHROPIC_BASE_URL: vendor, AI_GATEWAY_BASE_URL: vendor },
  };
  server = spawn(process.execPath, [path.join("examples", `${example}.mjs`)], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (server.stdout === null) throw new Error("no output");
  const [said] = await once(server.stdout, "data");
  expect(String(said)).toContain(`listening on ${port}`);
  return `http://127.0.0.1:${port}`;
}

const post = (url: string, body: object) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

it.each(["express-openai", "fastify-anthropic"])(
  "%s streams, runs its own tool, and keeps a skill for the next turn",
  async (example) => {
    const vendor = await startVendor();
    const url = await start(example, vendor.url);
    vendor.plan.push(LOAD, OWN, [], []);
    const say = async (text: string) => (await post(`${url}/chats/${example}/messages`, { text })).text();
    expect(await say("How is the tide?")).toBe("Said in step 3.");
    expect(await say("And tomorrow?")).toBe("Said in step 4.");
    await vendor.close();
    expect(vendor.refusals).toEqual([]);
    expect(vendor.bodies.map((sent) => sent.split(ORDER).length - 1)).toEqual([0, 1, 1, 1]);
    expect(vendor.bodies[2]).toMatch(/"\d{4}-\d\d-\d\dT/);
  },
);

it("express-openai reports that the gateway is unavailable", { tags: ["slow"] }, async () => {
  const vendor = await startVendor();
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const url = await start("express-openai", vendor.url, nowhere);
  const answer = await post(`${url}/chats/42/messages`, { text: "How is the tide?" });
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining("cannot be reached")]);
  await vendor.close();
});

it("hono-ai-sdk streams what useChat reads, with calls of the server and the gateway", async () => {
  const vendor = await startAiVendor();
  const url = await start("hono-ai-sdk", vendor.url);
  vendor.plan.push(LOAD, OWN, []);
  const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "How is the tide?" }] }];
  const text = await (await post(`${url}/api/chat`, { id: "42", messages })).text();
  await vendor.close();
  expect(text).toContain("data: ");
  const parts = [...text.matchAll(/^data: (\{.*\})$/gm)].map(
    ([, data = ""]) => JSON.parse(data) as { type: string; toolName?: string },
  );
  expect(parts.flatMap(({ type, toolName }) => (type === "tool-input-available" ? toolName : []))).toEqual([
    "load_skill",
    "get_time",
  ]);
  expect(parts.filter(({ type }) => type === "tool-output-available")).toHaveLength(2);
  expect(vendor.bodies.map((sent) => sent.split(ORDER).length - 1)).toEqual([0, 1, 1]);
});
