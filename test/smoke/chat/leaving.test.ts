// Callers that disconnect from the chat endpoint, with real sockets: the model request is cancelled, no more tools run, and the chat can
// continue.

import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateway, startShared, until } from "../launcher";
import { startHeldServer } from "./held-server";
import { chat, eventsOf, say, startVendor, storeModel, type Vendor } from "./vendor";

let vendor: Vendor;
let gateway: Gateway;

/** A caller with its own socket, which ends with a TCP reset like a killed process. */
async function caller(conversation: string, more: object) {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const body = JSON.stringify({ model: "m", messages: [say("One.")], ...more });
  const head = [
    "POST /openai/v1/chat/completions HTTP/1.1",
    ...["host: gateway", "content-type: application/json", `authorization: Bearer ${gateway.key}`],
    ...[`x-conversation-id: ${conversation}`, `content-length: ${Buffer.byteLength(body)}`],
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  let heard = "";
  let hear = () => {};
  socket.setEncoding("utf8").on("data", (text) => {
    heard += text;
    hear();
  });
  return {
    leave: () => socket.resetAndDestroy(),
    hears: (text: string) =>
      new Promise<void>((resolve) => {
        hear = () => heard.includes(text) && resolve();
        hear();
      }),
  };
}

beforeAll(async () => {
  vendor = await startVendor();
  // With a limit of two streams, the tests also check that disconnected callers release their streams.
  gateway = await startShared({ env: { CHAT_STREAMS: "2" } });
  await storeModel(gateway, vendor);
}, 90_000);
afterAll(() => vendor.close());

const load = ["call_1", "load_skill", { skill_name: "markdown-style" }] as const;

/** Repeats the request as soon as a stream is free. */
function again(conversation: string, more: Record<string, string> = {}): Promise<Response> {
  const headers = { "x-conversation-id": conversation, ...more };
  return until("there is a place", async () => {
    const answer = await chat(gateway, [say("One.")], { headers });
    return answer.status === 429 ? null : answer;
  });
}

/** The next answer continues after the completed calls, and no call runs again. */
async function goesOn(conversation: string): Promise<void> {
  const answer = again(conversation);
  const asked = await vendor.asked();
  expect(asked.roles).toEqual(["system", "user", "assistant", "tool"]);
  asked.stop("Done.");
  expect(await (await answer).json()).toMatchObject({ choices: [{ message: { content: "Done." } }] });
  expect(await eventsOf(gateway, conversation)).toEqual(["turn", "loaded"]);
}

it.each([true, false])("while the model speaks (stream: %s): its answer ends, and the chat goes on", async (stream) => {
  const conversation = `speaks-${stream}`;
  const one = await caller(conversation, { stream });
  (await vendor.asked()).call(...load);
  const second = await vendor.asked();
  second.say("Half of an answer");
  if (stream) await one.hears("Half");
  one.leave();
  await second.closed;
  expect(second.isWhole).toBe(false);
  await goesOn(conversation);
});

it.each([true, false])("before the model says anything (stream: %s): it is not waited for", async (stream) => {
  const conversation = `silent-${stream}`;
  const one = await caller(conversation, { stream });
  const first = await vendor.asked();
  one.leave();
  await first.closed;
  const asked = vendor.count();
  const answer = again(conversation);
  (await vendor.asked()).stop("Done.");
  expect((await answer).status).toBe(200);
  expect(vendor.count()).toBe(asked + 1);
});

it("of a request that is passed through as it is: its answer ends", async () => {
  const one = await caller("plain", { stream: true, model: "m:plain" });
  const first = await vendor.asked();
  first.say("Half of an answer");
  await one.hears("Half");
  one.leave();
  await first.closed;
  expect(first.isWhole).toBe(false);
});

it("who only closes, and resets nothing, is noticed by what is written, at the latest by the keep-alive", async () => {
  const client = new AbortController();
  const asking = chat(gateway, [say("One.")], { stream: true, signal: client.signal });
  const first = await vendor.asked();
  first.say("Half of an answer");
  await (await asking).body!.getReader().read();
  client.abort();
  await first.closed;
  expect(first.isWhole).toBe(false);
});

it("while a tool runs: it runs to its end, its result is kept, and the model is asked nothing more", async () => {
  const held = await startHeldServer();
  try {
    const headers = { "content-type": "application/json" };
    const entry = JSON.stringify({ url: held.url, timeout: 60, connect_timeout: 60 });
    const put = await gateway.fetch("/api/v1/mcp-servers/held", { method: "PUT", headers, body: entry });
    expect(put.status).toBe(201);
    const one = await caller("tool", { stream: true });
    const first = await vendor.asked();
    first.say("Working.");
    await one.hears("Working.");
    first.call("call_1", "held__echo", {});
    await held.called;
    const asked = vendor.count();
    one.leave();
    const answer = again("tool", { "x-stainless-retry-count": "1" });
    held.letGo();
    const second = await vendor.asked();
    expect(second.body.messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: "call_1", content: "well" });
    second.stop("Done.");
    expect((await answer).status).toBe(200);
    expect([held.calls(), vendor.count()]).toEqual([1, asked + 1]);
  } finally {
    await gateway.fetch("/api/v1/mcp-servers/held", { method: "DELETE" });
    held.close();
  }
});
