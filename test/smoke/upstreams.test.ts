// Many conversations with two MCP servers each, where one call in ten fails. No conversation receives another's result, no call is lost,
// and no secret leaks. `npm run stress:mcp` runs it at full size.

import { expect, it } from "vitest";
import { sampleOf } from "../support/open-metrics";
import { startFaults } from "../support/upstream-server/faults";
import { type Gateway, newPlace, start, until } from "./launcher";

const FULL = process.env.MCP_STRESS === "full";
const CONVERSATIONS = FULL ? 100 : 12;
const SECONDS = FULL ? 30 : 4;
/** Steps of each conversation, however slow the machine is. Together they contain every fault. */
const MIN_STEPS = 12;
/** Timeout of a call in seconds: longer than a call needs on a busy machine. A hanging call blocks its conversation for this time. */
const DEADLINE_S = FULL ? 15 : 4;
/** Failures of one call in ten. `lost` is a session that the server dropped; that call succeeds. */
const FAULTS = ["s500", "s429", "break", "end", "json", "html", "ids", "hang", "error", "lost", "big"];

interface Result {
  id: string;
  content: { text?: string }[];
  isError?: boolean;
  structuredContent?: { args: { nonce: string }; session: string; owner: string };
}

interface Count {
  calls: number;
  faulty: number;
  recovered: number;
  leftAlone: number;
  times: number[];
}

it(
  "keeps conversations, calls and secrets apart under load",
  async () => {
    const run = start(await newPlace(), { env: { METRICS: "on" } });
    const gateway = await run.ready();
    const servers = [await startFaults(), await startFaults()];
    const count: Count = { calls: 0, faulty: 0, recovered: 0, leftAlone: 0, times: [] };
    try {
      const end = Date.now() + SECONDS * 1_000;
      const urls = servers.map(({ url }) => `${url.replace("127.0.0.1", "localhost")}/tenth/strict`);
      await Promise.all(
        Array.from({ length: CONVERSATIONS }, (_, index) => converse(gateway, urls, index, end, count)),
      );
      for (const { url } of servers) await idle(url);
      await countsWhatHappened(gateway, count);
    } catch (error) {
      throw new Error(`The gateway said: ${run.stderr.slice(-20).join("\n")}`, { cause: error });
    } finally {
      for (const server of servers) server.close();
    }
    count.times.sort((a, b) => a - b);
    const at = (share: number) => count.times[Math.floor(count.times.length * share)];
    const { times: _, ...told } = count;
    console.log(JSON.stringify({ ...told, steps: count.times.length, p50: at(0.5), p99: at(0.99) }));
    expect(count.faulty).toBeGreaterThan(0);
    expect(count.recovered).toBeGreaterThan(0);
    // The circuit breaker opens only if five failures happen in a row by chance.
    expect(count.leftAlone).toBeLessThan(count.calls / 50);
  },
  SECONDS * 1_000 + 120_000,
);

async function converse(gateway: Gateway, urls: string[], index: number, end: number, count: Count): Promise<void> {
  const user = `stress-${index}`;
  const secret = `planted-${index}-${"s".repeat(12)}`;
  const route = `/api/v1/conversations/stress-${index}`;
  const post = async (path: string, body: object, method = "POST") => {
    const headers = { "content-type": "application/json", "on-behalf-of": user };
    const send = () => gateway.fetch(path, { method, headers, body: JSON.stringify(body) });
    // Retries once, as every client does, if an idle connection was closed. The ids of the calls make this safe.
    const answer = await send().catch(send);
    const text = await answer.text();
    expect(answer.ok, text).toBe(true);
    expect(text).not.toContain("planted-");
    return JSON.parse(text);
  };
  await post("/api/v1/secrets/STRESS", { value: secret, hosts: ["localhost"] }, "PUT");
  const headers = { "x-owner": "${" + "{conversation.id}}", "x-api-key": "Key ${" + "{secrets.STRESS}}" };
  const entry = (url?: string) => ({ url, headers, timeout: DEADLINE_S });
  const spec = { mcpServers: { one: entry(urls[0]), two: entry(urls[1]) } };
  await post(`${route}/turns`, { conversation: { spec, delivery: "system" } });
  // When all conversations start at once, some servers connect too late for the turn. With `system`, their tools appear in a later step.
  await until("both servers are connected", async () => {
    const { tools } = (await post(`${route}/tool-calls`, { calls: [] })) as { tools: { name: string }[] };
    return ["one__echo", "two__echo"].every((name) => tools.some((tool) => tool.name === name));
  });

  for (let step = 0; step < MIN_STEPS || Date.now() < end; step++) {
    if (step % 20 === 19) await post(`${route}/turns`, {});
    const calls = ["one", "two"].map((server, place) => {
      const id = `${index}-${step}-${place}`;
      const turn = step * 2 + place + index;
      const fault = turn % 10 === 0 ? FAULTS[(Math.floor(turn / 10) + index) % FAULTS.length] : "";
      const name = step % 7 === 3 && fault === "" ? `${server}__headers` : `${server}__echo`;
      return { id, name, arguments: { nonce: id, fault } };
    });
    const began = Date.now();
    const { results } = (await post(`${route}/tool-calls`, { calls })) as { results: Result[] };
    count.times.push(Date.now() - began);
    expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
    for (const [place, result] of results.entries()) judge(result, calls[place]!, `stress-${index}`, count);
  }
}

function judge(
  result: Result,
  call: { name: string; arguments: { nonce: string; fault: string | undefined } },
  owner: string,
  count: Count,
): void {
  const { nonce, fault } = call.arguments;
  const text = result.content.map((block) => block.text ?? "").join("");
  count.calls++;
  if (fault !== "" && fault !== "lost") {
    count.faulty++;
    expect(result.isError, text).toBe(true);
    expect(text).toMatch(/^MCP tool '(one|two)__echo' (failed: |timed out after \d+s)/);
    return;
  }
  if (text.includes("is not retried for another")) {
    count.leftAlone++;
    return;
  }
  expect(result.isError, text).toBeUndefined();
  if (fault === "lost") count.recovered++;
  if (call.name.endsWith("headers")) {
    expect(JSON.parse(text)).toMatchObject({ "x-owner": owner, "x-api-key": "Key [secret STRESS]" });
    return;
  }
  expect(result.structuredContent?.args.nonce).toBe(nonce);
  expect(result.structuredContent?.owner).toBe(owner);
}

/** The counters of conversations appear in `/metrics` without user names. */
async function countsWhatHappened(gateway: Gateway, count: Count): Promise<void> {
  const text = await until("the last counts have arrived", async () => {
    const answer = await gateway.fetch("/metrics");
    expect(answer.status).toBe(200);
    const told = await answer.text();
    return sampleOf(told, "skill_gateway_upstream_calls_total") === count.calls && told;
  });
  const labels = { server: "(ghost)" };
  expect(sampleOf(text, "skill_gateway_upstream_calls_total", labels)).toBe(count.calls);
  expect(sampleOf(text, "skill_gateway_upstream_seconds_count", labels)).toBe(count.calls);
  expect(sampleOf(text, "skill_gateway_upstream_calls_total", { outcome: "failed" })).toBeGreaterThan(0);
  expect(sampleOf(text, "skill_gateway_conversations_total")).toBe(CONVERSATIONS);
  expect(text).not.toMatch(/stress|planted|one__/);
}

/** Waits until a server has no open connections. */
async function idle(url: string): Promise<void> {
  await expect
    .poll(async () => ((await (await fetch(`${url}/seen?brief`)).json()) as { open: number }).open, { timeout: 30_000 })
    .toBe(0);
}
