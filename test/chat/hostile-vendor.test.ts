// Malicious vendors, which every user can configure. Endless answers or field names with a meaning in JavaScript must not harm the shared
// isolate.

import { afterEach, describe, expect, it, vi } from "vitest";
import { CHAT_LIMITS } from "../../src/domain/chat/limits";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { ENTRY, type Reply, saying, scriptModel } from "../support/scripted-model";

const CHAT = "/openai/v1/chat/completions";
const MiB = 1_048_576;

let users = 0;

async function user(hasSkill: boolean): Promise<string> {
  const key = await keyFor(`hostile-vendor-${users++}`);
  if (hasSkill) await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: "Count." });
  await call("PUT", "/api/v1/models/m", { key, json: ENTRY });
  return key;
}

const send = (key: string, more: object = {}) =>
  call("POST", CHAT, { key, json: { model: "m", messages: [{ role: "user", content: "Hi" }], ...more } });

/** Returns an endless answer that counts the bytes read from it. */
function endless(piece: string, status = 200) {
  const taken = { bytes: 0, isLeft: false };
  const bytes = new TextEncoder().encode(piece);
  const reply: Reply = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          // Far above every limit, so that a failing test ends too.
          if (taken.bytes > 400 * MiB) return controller.close();
          taken.bytes += bytes.byteLength;
          controller.enqueue(bytes);
        },
        cancel() {
          taken.isLeft = true;
        },
      }),
      { status, headers: { "content-type": status === 200 ? "text/event-stream" : "application/json" } },
    );
  return { taken, reply };
}

const delta = (of: object) => `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: of }] })}\n\n`;

afterEach(() => vi.restoreAllMocks());

describe("an answer without an end", () => {
  it.each([true, false])("is not read on where it is an error (skills: %s)", async (hasSkill) => {
    const key = await user(hasSkill);
    const { taken, reply } = endless("x".repeat(65_536), 500);
    scriptModel(reply);
    const answer = await send(key);
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: "model_failed" } }]);
    expect(taken.bytes).toBeLessThan(CHAT_LIMITS.errorBytes + MiB);
    expect(taken.isLeft).toBe(true);
  });

  it.each([
    ["a line", "x".repeat(65_536), CHAT_LIMITS.eventChars],
    ["an event of many lines", `data: ${"x".repeat(65_536)}\n`, CHAT_LIMITS.eventChars],
    ["pieces of text", delta({ content: "y".repeat(60_000) }), CHAT_LIMITS.answerChars],
    ["pieces of an unknown field", delta({ x_thought: "y".repeat(60_000) }), CHAT_LIMITS.answerChars],
    ["pieces of nothing", delta({ content: "" }).repeat(500), CHAT_LIMITS.streamBytes],
    ["comments", ": still here\n\n".repeat(5_000), CHAT_LIMITS.streamBytes],
  ])("ends where it is %s", async (_, piece, most) => {
    const key = await user(true);
    const { taken, reply } = endless(piece);
    scriptModel(reply);
    const answer = await send(key);
    expect([answer.status, await answer.json()]).toMatchObject([502, { error: { code: "model_too_large" } }]);
    expect(taken.bytes).toBeLessThan(most + 2 * MiB);
    expect(taken.isLeft).toBe(true);
  });

  it("ends in a stream with an error of the vendor's form", async () => {
    const key = await user(true);
    scriptModel(endless(delta({ content: "y".repeat(60_000) })).reply);
    const text = await (await send(key, { stream: true })).text();
    const last = text.trim().split("\n\n").at(-1) ?? "";
    expect(JSON.parse(last.replace("data: ", ""))).toMatchObject({ error: { code: "model_too_large" } });
  });

  it("ends where no skill is added, too", async () => {
    const key = await user(false);
    const { taken, reply } = endless("x".repeat(65_536));
    scriptModel(reply);
    const answer = await send(key, { stream: true });
    await expect(answer.arrayBuffer()).rejects.toThrow();
    expect(taken.bytes).toBeLessThan(CHAT_LIMITS.streamBytes + MiB);
  });
});

it("fields of an answer do not reach the prototypes that everybody shares", async () => {
  const key = await user(true);
  const poison = '{"polluted":"yes","tool_calls":[{"index":0}]}';
  const chunk = (of: string) => `data: {"id":"c","choices":[{"index":0,"delta":${of},"__proto__":${poison}}]}\n\n`;
  const usage = `data: {"id":"c","choices":[],"usage":{"total_tokens":3,"__proto__":{"polluted":1}}}\n\n`;
  const text = [`{"role":"assistant","content":"","__proto__":${poison}}`, `{"constructor":{"prototype":${poison}}}`];
  const body = [...text, ...text].map(chunk).join("") + usage;
  scriptModel(() => new Response(body, { headers: { "content-type": "text/event-stream" } }), saying("d", "fine"));
  await (await send(key)).text();
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  expect("polluted" in Object).toBe(false);
  expect((await send(key)).status).toBe(200);
});
