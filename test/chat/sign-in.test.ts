// A call in the chat endpoint to a server that its user has not connected: the answer shows the link, and the call goes on after the
// sign-in, in the same answer or in the next one.

import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CHAT_LIMITS } from "../../src/domain/chat/limits";
import { call, keyFor } from "../support/call";
import { connectedTurn, talk } from "../support/chat-turns";
import { connectionsOf, type ProtectedServer, protectedServer, signInAt, throughIssuer } from "../support/connections";
import { calling, chunks, ENTRY, type Reply, type Sent, saying, scriptModel } from "../support/scripted-model";
import { gatewayServers } from "../support/servers";
import { Browser } from "../support/sign-in";

const CHAT = "/openai/v1/chat/completions";
type Message = Record<string, unknown>;
const say = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });

const wait: { signInMs: number; signInSliceMs: number } = CHAT_LIMITS;
const { signInMs } = wait;

beforeEach(() => gatewayServers({}));
afterEach(() => {
  vi.restoreAllMocks();
  wait.signInMs = signInMs;
});

/** The conversation of the current test. */
let conversation = "";

/** A user with a model, and a conversation that has tried a server which the user has not connected. */
async function user(): Promise<{ server: ProtectedServer; key: string }> {
  const [server, key] = [await protectedServer(), await keyFor(`user-${crypto.randomUUID()}`)];
  await call("PUT", "/api/v1/models/m", { key, json: ENTRY });
  const chat = await talk({ key }, { delivery: "auto" });
  await connectedTurn(chat);
  conversation = chat.route.slice(chat.route.lastIndexOf("/") + 1);
  return { server, key };
}

const ask = (key: string, messages: Message[], more: object = {}, headers: Record<string, string> = {}) =>
  call("POST", CHAT, {
    key,
    json: { model: "m", messages, ...more },
    headers: { "x-conversation-id": conversation, ...headers },
  });

/** Returns a model's step that calls the tool which asks for the sign-in. */
const connecting = ({ name }: ProtectedServer, id = "call_1", text = "Let me look."): Reply =>
  calling(id, [[id, `${name}__connect`, {}]], text);

const linkIn = (text: string) => /https:\/\/gateway\.test(\/oauth\/connect\/\w+)/.exec(text)?.[1] ?? "";

/** Follows a link to its end. Returns the status of the last page. */
async function follow(path: string, key: string): Promise<number> {
  const browser = new Browser();
  const redirect = await signInAt(browser, path, key);
  if (redirect.status !== 303 && redirect.status !== 302) return redirect.status;
  const done = await browser.send(await throughIssuer(redirect));
  await done.body?.cancel();
  return done.status;
}

const textOf = async (answer: Response) => {
  const { choices } = await answer.json<{ choices: { message: { content: string }; finish_reason: string }[] }>();
  return choices[0]?.message.content ?? "";
};

/** Reads a streamed answer. `until` returns the text so far when it matches. */
function reading(answer: Response) {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let raw = "";
  const text = () =>
    [...raw.matchAll(/^data: (\{.*\})$/gm)]
      .map(([, json]) => JSON.parse(json!).choices?.[0]?.delta?.content ?? "")
      .join("");
  const until = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(text())) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the answer ended: ${raw}`);
      raw += value;
    }
    return text();
  };
  const end = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text(), raw };
      raw += value;
    }
  };
  return { until, end, cancel: () => reader.cancel() };
}

const roles = ({ body }: Sent) => body.messages.map(({ role }) => role);
const results = ({ body }: Sent) => body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
const CONNECTED = (server: ProtectedServer) => expect.stringContaining(`signed in to '${server.name}'`);

describe("a streamed answer", () => {
  it("shows the link, stays open, and goes on when the user has signed in", async () => {
    const { server, key } = await user();
    const sent = scriptModel(connecting(server), saying("b", "Done."), saying("c", "Two."));
    const answer = reading(await ask(key, [say("Who am I?")], { stream: true }));
    const shown = await answer.until(/\/oauth\/connect\/\w+[^\w]/);
    expect(shown).toMatch(
      new RegExp(`^Let me look\\.\\n\\nSign in to ${server.name}: https://gateway.test/oauth/connect/`),
    );
    expect(sent).toHaveLength(1);
    expect(await follow(linkIn(shown), key)).toBe(200);
    const { text, raw } = await answer.end();
    expect(text.endsWith("\n\nDone.")).toBe(true);
    expect(raw.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(results(sent[1]!)).toEqual([CONNECTED(server)]);
    // The link is not a part of the history that the model sees.
    await ask(key, [say("Who am I?"), said(text), say("Again.")]);
    expect(JSON.stringify(sent[2]!.body)).not.toContain("/oauth/connect/");
    expect(roles(sent[2]!)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  });

  it("ends with the link after a limited time, and the next request continues the call", async () => {
    wait.signInMs = 1;
    const { server, key } = await user();
    const sent = scriptModel(connecting(server), saying("b", "You are account."));
    const { text, raw } = await reading(await ask(key, [say("Who am I?")], { stream: true })).end();
    expect(raw).toContain('"finish_reason":"stop"');
    expect(await follow(linkIn(text), key)).toBe(200);
    const next = await ask(key, [say("Who am I?"), said(text), say("I have signed in.")]);
    expect(await textOf(next)).toBe("You are account.");
    expect(roles(sent[1]!)).toEqual(["user", "assistant", "tool", "user"]);
    expect(results(sent[1]!)).toEqual([CONNECTED(server)]);
  });

  it("that is lost while it waits continues with the same request, also after a restart", async () => {
    const { server, key } = await user();
    const sent = scriptModel(connecting(server), saying("b", "Done."));
    const lost = reading(await ask(key, [say("Who am I?")], { stream: true }));
    const link = linkIn(await lost.until(/\/oauth\/connect\/\w+[^\w]/));
    await lost.cancel();
    await abortAllDurableObjects();
    const again = reading(await ask(key, [say("Who am I?")], { stream: true }, { "x-stainless-retry-count": "1" }));
    expect(linkIn(await again.until(/\/oauth\/connect\/\w+[^\w]/))).toBe(link);
    expect(await follow(link, key)).toBe(200);
    expect((await again.end()).text).toMatch(/Done\.$/);
    expect(sent).toHaveLength(2);
    expect(results(sent[1]!)).toEqual([CONNECTED(server)]);
  });

  it("is taken over by the same request, and only that one goes on", async () => {
    const { server, key } = await user();
    const sent = scriptModel(connecting(server), saying("b", "Done."));
    const first = reading(await ask(key, [say("Who am I?")], { stream: true }));
    const link = linkIn(await first.until(/\/oauth\/connect\/\w+[^\w]/));
    const again = reading(await ask(key, [say("Who am I?")], { stream: true }, { "x-stainless-retry-count": "1" }));
    await again.until(/\/oauth\/connect\/\w+[^\w]/);
    expect((await first.end()).raw).toContain("It continues in the newer connection.");
    expect(await follow(link, key)).toBe(200);
    expect((await again.end()).text).toMatch(/Done\.$/);
    expect(sent).toHaveLength(2);
  });

  it("goes on if the conversation is evicted while it waits", async () => {
    const { server, key } = await user();
    const sent = scriptModel(connecting(server), saying("b", "Done."));
    const answer = reading(await ask(key, [say("Who am I?")], { stream: true }));
    const link = linkIn(await answer.until(/\/oauth\/connect\/\w+[^\w]/));
    await abortAllDurableObjects();
    expect(await follow(link, key)).toBe(200);
    expect((await answer.end()).text).toMatch(/Done\.$/);
    expect(results(sent[1]!)).toEqual([CONNECTED(server)]);
  });

  it("that was stopped behind the link is recognized without it", async () => {
    const { server, key } = await user();
    const sent = scriptModel(
      ...[connecting(server), chunks("b", [{ role: "assistant", content: "Half of it" }], null), saying("c", "Two.")],
    );
    const answer = reading(await ask(key, [say("Who am I?")], { stream: true }));
    const link = linkIn(await answer.until(/\/oauth\/connect\/\w+[^\w]/));
    expect(await follow(link, key)).toBe(200);
    const { text } = await answer.end();
    await ask(key, [say("Who am I?"), said(text), say("Go on.")]);
    expect(sent[2]!.body.messages.map(({ role, content }) => (role === "tool" ? role : content))).toEqual([
      ...["Who am I?", "Let me look.", "tool", "Half of it", "Go on."],
    ]);
  });
});

describe("an answer that is not streamed", () => {
  it("ends with the link, and the next request continues the call, also after a restart", async () => {
    const { server, key } = await user();
    const sent = scriptModel(connecting(server), saying("b", "You are account."), saying("c", "Three."));
    const first = await textOf(await ask(key, [say("Who am I?")]));
    expect(first).toMatch(/^Let me look\.\n\nSign in to .*\n\nThen send a message, and the call continues\.$/s);
    await abortAllDurableObjects();
    expect(await follow(linkIn(first), key)).toBe(200);
    const history = [say("Who am I?"), said(first), say("Done.")];
    expect(await textOf(await ask(key, history))).toBe("You are account.");
    expect(results(sent[1]!)).toEqual([CONNECTED(server)]);
    // The result is stored with the first answer.
    await ask(key, [...history, said("You are account."), say("And now?")]);
    expect(roles(sent[2]!)).toEqual(["user", "assistant", "tool", "user", "assistant", "user"]);
  });

  it("continues with a failed call if the user does not sign in, and the model can ask again", async () => {
    const { server, key } = await user();
    const sent = scriptModel(connecting(server), connecting(server, "call_2", "Once more."));
    const first = await textOf(await ask(key, [say("Who am I?")]));
    const second = await textOf(await ask(key, [say("Who am I?"), said(first), say("No.")]));
    expect(results(sent[1]!)).toEqual([expect.stringContaining("requires the user to sign in")]);
    expect(linkIn(second)).toBe(linkIn(first));
    expect(second).toMatch(/^Once more\./);
  });

  it("is not continued by another user who opens the link", async () => {
    const { server, key } = await user();
    const mallory = await keyFor(`mallory-${crypto.randomUUID()}`);
    const sent = scriptModel(connecting(server), saying("b", "Not yet."));
    const first = await textOf(await ask(key, [say("Who am I?")]));
    expect(await follow(linkIn(first), mallory)).not.toBe(200);
    expect([await connectionsOf(key), await connectionsOf(mallory)]).toEqual([[], []]);
    await ask(key, [say("Who am I?"), said(first), say("Done?")]);
    expect(results(sent[1]!)).toEqual([expect.stringContaining("requires the user to sign in")]);
  });

  it("does not run the other calls of its step again", async () => {
    const { server, key } = await user();
    const read: [string, string, object] = ["call_0", "find_skill", { query: "anything" }];
    const sent = scriptModel(calling("a", [read, ["call_1", `${server.name}__connect`, {}]]), saying("b", "Both."));
    const first = await textOf(await ask(key, [say("Do both.")]));
    expect(await follow(linkIn(first), key)).toBe(200);
    await ask(key, [say("Do both."), said(first), say("Done.")]);
    expect(sent[1]!.body.messages.map(({ tool_call_id: id }) => id).filter(Boolean)).toEqual(["call_0", "call_1"]);
  });
});

describe("the model receives the link in the result, without waiting,", () => {
  const theirs = [{ type: "function", function: { name: "theirs", parameters: { type: "object" } } }];
  it.each<[string, object]>([
    ["if the answer must be JSON", { response_format: { type: "json_object" } }],
    ["if the answer must end with a call", { tools: theirs, tool_choice: "required" }],
  ])("%s", async (_, more) => {
    const { server, key } = await user();
    const end = "tools" in more ? calling("b", [["call_9", "theirs", {}]]) : saying("b", '{"a":1}');
    const sent = scriptModel(connecting(server), end);
    expect((await ask(key, [say("Who am I?")], more)).status).toBe(200);
    expect(results(sent[1]!)).toEqual([expect.stringContaining("Ask the user to open this link")]);
  });

  it("if the caller has calls of its own in the same step", async () => {
    const { server, key } = await user();
    const sent = scriptModel(
      calling("a", [
        ["call_1", `${server.name}__connect`, {}],
        ["call_2", "theirs", {}],
      ]),
      saying("b", "Well."),
    );
    const answer = await ask(key, [say("Both.")], { tools: theirs });
    const { choices } = await answer.json<{ choices: { message: Message }[] }>();
    const results = { role: "tool", tool_call_id: "call_2", content: "theirs" };
    await ask(key, [say("Both."), choices[0]!.message, results], { tools: theirs });
    expect(JSON.stringify(sent[1]!.body.messages)).toContain("Ask the user to open this link");
  });
});

/** The other protocols, with the scripted model of the gateway, which checks histories as a vendor does. */
describe.each<[string, string, (turns: [string, unknown][], stream: boolean) => object, (answer: object) => unknown]>([
  [
    "Anthropic Messages",
    "/anthropic/v1/messages",
    (turns, stream) => ({ max_tokens: 1_000, stream, messages: turns.map(([role, content]) => ({ role, content })) }),
    (answer) => ("content" in answer ? answer.content : null),
  ],
  [
    "Responses",
    "/openai/v1/responses",
    (turns, stream) => ({
      stream,
      input: turns.flatMap(([role, content]) => (Array.isArray(content) ? content : [{ role, content }])),
    }),
    (answer) => ("output" in answer ? answer.output : null),
  ],
])("with %s", (_, route, body, contentOf) => {
  const send = (key: string, turns: [string, unknown][], stream = false) =>
    call("POST", route, {
      key,
      json: { model: "demo", ...body(turns, stream) },
      headers: { "x-conversation-id": conversation },
    });

  it("the answer ends with the link, and the next one continues the call", async () => {
    const { server, key } = await user();
    const asked: [string, unknown] = ["user", `Call ${server.name}__connect`];
    const content = contentOf(await (await send(key, [asked])).json<object>());
    expect(JSON.stringify(content)).toContain(`Sign in to ${server.name}: https://gateway.test`);
    expect(await follow(linkIn(JSON.stringify(content)), key)).toBe(200);
    const next = await send(key, [asked, ["assistant", content], ["user", "Done."]]);
    expect([next.status, JSON.stringify(contentOf(await next.json<object>()))]).toEqual([
      200,
      expect.stringContaining("You said: Done."),
    ]);
  });

  it("a stream stays open, and goes on", async () => {
    const { server, key } = await user();
    const answer = await send(key, [["user", `Call ${server.name}__connect`]], true);
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let raw = "";
    while (!/by then|"by "/.test(raw) || linkIn(raw) === "") raw += (await reader.read()).value ?? "";
    expect(await follow(linkIn(raw), key)).toBe(200);
    for (let part = await reader.read(); !part.done; part = await reader.read()) raw += part.value;
    const pieces = [...raw.matchAll(/"(?:delta|text)":"([^"]*)"/g)].map(([, piece]) => piece).join("");
    expect(pieces).toContain(`The user is signed in to '${server.name}'`);
    expect(raw).toMatch(/event: (message_stop|response\.completed)/);
  });
});
