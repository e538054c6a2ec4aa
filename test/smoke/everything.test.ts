// Questions of third-party MCP servers to a host that uses the SDK's client, with the gateway killed in between.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startFixture } from "../conformance/server.mjs";
import { type Everything, startEverything } from "../support/upstream-server/everything";
import { type Gateway, kill, newPlace, type Run, start } from "./launcher";

let everything: Everything;
let fixture: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  [everything, fixture] = await Promise.all([startEverything(), startFixture()]);
});
afterAll(async () => {
  everything.close();
  await fixture.close();
});

const SAID = { role: "assistant", content: { type: "text", text: "Bonjour" }, model: "m" } as const;
const FORM = { action: "accept", content: { name: "Ann", integer: 7 } } as const;

const textOf = (result: unknown) =>
  (result as { content: { text?: string }[] }).content.map(({ text }) => text ?? "").join("\n");

/** Starts a gateway with both servers. It can be killed and restarts at the same address. */
async function startGateway() {
  let run: Run = start(await newPlace());
  const gateway = await run.ready();
  const headers = { "content-type": "application/json" };
  for (const [name, url] of Object.entries({ every: everything.url, fixture: fixture.url })) {
    const body = JSON.stringify({ url, prefix: "never" });
    await gateway.fetch(`/api/v1/mcp-servers/${name}`, { method: "PUT", headers, body });
  }
  return {
    gateway,
    async restart() {
      const { runtime } = await run.lock();
      run.process.kill("SIGKILL");
      kill(runtime.pid);
      await run.exit;
      run = start(run.place, { port: Number(new URL(gateway.url).port) });
      await run.ready();
    },
  };
}

/** Creates a host that runs `before` and then answers every question. */
async function host({ url, key }: Gateway, mode: "legacy" | "auto", before: { answer: () => Promise<void> }) {
  const heard: string[] = [];
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {} };
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode }, capabilities });
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    heard.push(params.message);
    await before.answer();
    return params.mode === "url" ? { action: "accept" } : FORM;
  });
  client.setRequestHandler("sampling/createMessage", async () => {
    heard.push("sampling");
    await before.answer();
    return SAID;
  });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`/mcp/every-${mode}?tools=list`, url), { requestInit }),
  );
  // Servers connect during the first list request. Their tools appear in a later list.
  await expect
    .poll(async () => (await client.listTools()).tools.map(({ name }) => name), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(["trigger-sampling-request", "test_input_required_result_elicitation"]));
  return { client, heard };
}

it.each(["legacy", "auto"] as const)(
  "a host of era %s answers server-everything and the suite's fixture",
  async (mode) => {
    everything.called.length = 0;
    const { gateway, restart } = await startGateway();
    const before = { answer: async () => {} };
    const { client, heard } = await host(gateway, mode, before);
    const use = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
    const form = await use("trigger-elicitation-request");
    expect(textOf(form)).toContain("- Name: Ann\n- Favorite Integer: 7");
    expect(heard.splice(0)).toEqual([
      `every (${new URL(everything.url).host}): Please provide inputs for the following fields:`,
    ]);
    expect(textOf(await use("trigger-sampling-request", { prompt: "Hi", maxTokens: 5 }))).toContain("Bonjour");
    expect(textOf(await use("trigger-url-elicitation", { url: "https://example.com/pay" }))).toContain(
      "User completed the URL elicitation",
    );
    expect(textOf(await use("test_input_required_result_elicitation"))).toBe("Hello, Ann!");
    expect(textOf(await use("test_input_required_result_sampling"))).toBe("Bonjour");
    expect(everything.called.splice(0)).toEqual([
      "trigger-elicitation-request",
      "trigger-sampling-request",
      "trigger-url-elicitation",
    ]);

    // Kills the gateway while the host answers a question. If host and server both implement MCP of 2026, the call continues.
    let restarted = Promise.resolve();
    const killOnce = () => {
      before.answer = async () => {
        before.answer = async () => {};
        restarted = restart();
        await restarted;
      };
    };
    if (mode === "auto") {
      killOnce();
      expect(textOf(await use("test_input_required_result_elicitation"))).toBe("Hello, Ann!");
      killOnce();
      const cut = await use("trigger-elicitation-request");
      expect([cut.isError, textOf(cut)]).toEqual([true, expect.stringContaining("It was not repeated")]);
    } else {
      killOnce();
      // The stream of the call was closed. This client does not report that, so the call ends by its timeout.
      const cut = { name: "trigger-elicitation-request", arguments: {} };
      await expect(client.callTool(cut, { timeout: 15_000 })).rejects.toThrow("timed out");
      await restarted;
    }
    expect(everything.called.splice(0)).toEqual(["trigger-elicitation-request"]);
    // Later calls are new calls.
    expect(textOf(await use("trigger-elicitation-request"))).toContain("- Name: Ann");
    await client.close();
  },
);
