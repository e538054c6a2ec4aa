// Questions of MCP servers, with the gateway killed between a question and its answer.

import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startFaults } from "../support/upstream-server/faults";
import { type Gateway, kill, newPlace, type Run, start, until } from "./launcher";

let server: Awaited<ReturnType<typeof startFaults>>;
beforeAll(async () => {
  server = await startFaults();
});
afterAll(() => server.close());

const FORM = {
  method: "elicitation/create",
  params: { message: "Where to?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } },
};
const CITY = { action: "accept", content: { city: "Ulm" } };

type Era = "modern" | "legacy";
const rounds = [{ where: FORM }];

/** Returns the number of calls since the server's record was cleared. */
async function calls(era: Era, method = "tools/call"): Promise<number> {
  const { requests } = (await (await fetch(`${server.url}/seen`)).json()) as {
    requests: { path: string; method: string }[];
  };
  return requests.filter((one) => one.path === `/asking-${era}/none` && one.method === method).length;
}

async function send(gateway: Gateway, method: string, route: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return gateway.fetch(route, { method, headers, body: JSON.stringify(body) });
}

async function killed(run: Run, gateway: Gateway): Promise<Run> {
  const { runtime } = await run.lock();
  run.process.kill("SIGKILL");
  kill(runtime.pid);
  await run.exit;
  return start(run.place, { port: Number(new URL(gateway.url).port) });
}

const conversation = (era: Era) => `/api/v1/conversations/asked-${era}`;

/** Connects a page that sends nothing else. */
async function page(gateway: Gateway, era: Era): Promise<WebSocket> {
  const answer = await send(gateway, "POST", `${conversation(era)}/tickets`, {});
  const { ticket, url } = (await answer.json()) as { ticket: string; url: string };
  const socket = new WebSocket(url, ["skill-gateway.v1", `ticket.${ticket}`]);
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "hello", answers: ["form"] }));
  await once(socket, "message");
  return socket;
}

async function pending(gateway: Gateway, era: Era): Promise<string | null> {
  const answer = await gateway.fetch(`${conversation(era)}/requests?state=pending`);
  const { items } = (await answer.json()) as { items: { request_id: string }[] };
  return items[0]?.request_id ?? null;
}

it("kill -9 while a page is asked by a server of each era", async () => {
  await fetch(`${server.url}/forget`);
  const run = start(await newPlace());
  const gateway = await run.ready();
  const eras: Era[] = ["modern", "legacy"];
  const bodyOf = (era: Era) => ({ calls: [{ id: "the-call", name: `${era}__ask`, arguments: { rounds } }] });
  const cut = [];
  const questions = new Map<Era, string>();
  for (const era of eras) {
    await send(gateway, "PUT", `/api/v1/mcp-servers/${era}`, { url: `${server.url}/asking-${era}/none` });
    await send(gateway, "POST", `${conversation(era)}/turns`, { conversation: {} });
    await page(gateway, era);
    cut.push(send(gateway, "POST", `${conversation(era)}/tool-calls`, bodyOf(era)).catch(() => null));
    questions.set(era, await until("the question", () => pending(gateway, era)));
  }
  const after = await killed(run, gateway);
  const again = await after.ready();
  await Promise.all(cut);
  for (const era of eras) {
    const route = `${conversation(era)}/requests/${questions.get(era)}/response`;
    const answered = await send(again, "POST", route, { success: true, result: CITY });
    expect(answered.status, era).toBe(era === "modern" ? 200 : 409);
    const step = await (await send(again, "POST", `${conversation(era)}/tool-calls`, bodyOf(era))).json();
    const { content, isError } = (step as { results: { content: { text: string }[]; isError?: boolean }[] })
      .results[0]!;
    if (era === "modern") expect(JSON.parse(content[0]!.text)).toEqual([{ where: CITY }]);
    else expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining("interrupted while it waited")]);
    expect(await calls(era), era).toBe(era === "modern" ? 2 : 1);
  }
  await after.stop();
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
};

it("kill -9 while a host of 2026 is asked in tools/call and prompts/get: it comes back with its answer, and it goes on", async () => {
  await fetch(`${server.url}/forget`);
  const run = start(await newPlace());
  const gateway = await run.ready();
  await send(gateway, "PUT", "/api/v1/mcp-servers/asking", { url: `${server.url}/asking-modern/none` });
  const make = async (to: Gateway, method: string, more: object) => {
    const args = { rounds: method === "tools/call" ? rounds : JSON.stringify(rounds) };
    const params = { name: "asking__ask", arguments: args, _meta: META, ...more };
    const answer = await to.fetch("/mcp/hosted", {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
        ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": params.name },
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const text = await answer.text();
    return JSON.parse([...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] ?? text).result;
  };
  const asked = new Map<string, { requestState: string }>();
  for (const method of ["tools/call", "prompts/get"]) {
    // Prompts are available only after the server's lists were read, and requests do not wait long for that.
    const result = await until("the question", async () => (await make(gateway, method, {})) ?? null);
    expect(result).toMatchObject({ resultType: "input_required", inputRequests: { where: { method: FORM.method } } });
    asked.set(method, result);
  }
  const after = await killed(run, gateway);
  const again = await after.ready();
  for (const [method, { requestState }] of asked) {
    const done = await make(again, method, { requestState, inputResponses: { where: CITY } });
    const text = method === "tools/call" ? done.content[0].text : done.messages[0].content.text;
    expect(JSON.parse(text)).toEqual([{ where: CITY }]);
    expect(await calls("modern", method), method).toBe(2);
  }
  await after.stop();
});
