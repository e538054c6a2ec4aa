// Stopped answers: a front end sends a part of the answer back, and the completed calls follow that part.

import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { calling, chunks, ENTRY, type Sent, saying, scriptModel } from "../support/scripted-model";

const CHAT = "/openai/v1/chat/completions";
const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;
const LOAD: [string, string, object] = ["call_1", "load_skill", { skill_name: "haiku" }];

type Message = Record<string, unknown>;
const say = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });

let users = 0;
afterEach(() => vi.restoreAllMocks());

async function user(): Promise<string> {
  const key = await keyFor(`stopping-user-${users++}`);
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  await call("PUT", "/api/v1/models/m", { key, json: ENTRY });
  return key;
}

function ask(key: string, messages: Message[], headers: Record<string, string> = { "x-conversation-id": "work" }) {
  return call("POST", CHAT, { key, json: { model: "m", messages }, headers });
}

async function eventsOf(key: string, id = "work"): Promise<string[]> {
  const answer = await call("GET", `/api/v1/conversations/${id}/events`, { key });
  return (await answer.json<{ events: { type: string }[] }>()).events.map(({ type }) => type);
}

const cut = (text: string) => chunks("b", [{ role: "assistant", content: text }], null);
const shape = ({ body }: Sent) => body.messages.map(({ role, content }) => (role === "assistant" ? content : role));
const HIDDEN = ["system", "user", "Let me see.", "tool"];

describe("of an answer that was stopped, the part that is sent back", () => {
  it.each([
    ["ends in the text that was being said", "Let me see.\n\nA ha", "A ha"],
    ["ends with a step", "Let me see.", null],
    ["ends in the middle of a step that came to its end", "Let me", null],
    ["has white space of the front end's own", "\nLet  me see. A ha \n", "A ha"],
  ])("%s: its hidden steps are put back, and nothing is loaded again", async (_, shown, rest) => {
    const key = await user();
    const sent = scriptModel(
      ...[calling("a", [LOAD], "Let me see."), cut("A haiku of which nobody has seen the end")],
      ...[saying("c", "Two, then."), saying("d", "Three, then.")],
    );
    expect((await ask(key, [say("One.")])).status).toBe(502);
    const second = [say("One."), said(shown), say("Two.")];
    expect((await ask(key, second)).status).toBe(200);
    expect(shape(sent[2]!)).toEqual([...HIDDEN, ...(rest === null ? [] : [rest]), "user"]);
    expect((await ask(key, [...second, said("Two, then."), say("Three.")])).status).toBe(200);
    expect(shape(sent[3]!)).toEqual([...shape(sent[2]!), "Two, then.", "user"]);
    expect(sent[3]!.body.messages.slice(0, -2)).toEqual(sent[2]!.body.messages);
    expect(await eventsOf(key)).toEqual(["turn", "loaded", "turn", "turn"]);
  });

  it("is a part of an answer that came to its end without its reader", async () => {
    const key = await user();
    const sent = scriptModel(calling("a", [LOAD], "Let me see."), saying("b", "A haiku of rain."), saying("c", "Two."));
    await ask(key, [say("One.")]);
    await ask(key, [say("One."), said("Let me see.\n\nA haiku o"), say("Two.")]);
    expect(shape(sent[2]!)).toEqual([...HIDDEN, "A haiku of rain.", "user"]);
    expect(await eventsOf(key)).toEqual(["turn", "loaded", "turn"]);
  });

  it("is found in a chat without a name, too, from its second answer on", async () => {
    const key = await user();
    const sent = scriptModel(
      ...[calling("a", [LOAD]), saying("b", "A haiku.")],
      ...[calling("c", [["call_2", "read_skill", { skill_name: "haiku" }]]), cut("Half of"), saying("d", "There.")],
    );
    const first = await ask(key, [say("One.")], {});
    const history = [say("One."), said("A haiku."), say("Two.")];
    expect((await ask(key, history, {})).status).toBe(502);
    const third = await ask(key, [...history, said("Half"), say("Three.")], {});
    expect(third.headers.get("x-conversation-id")).toBe(first.headers.get("x-conversation-id"));
    expect(shape(sent[4]!)).toEqual([
      ...["system", "user", "", "tool", "A haiku.", "user", "", "tool", "Half", "user"],
    ]);
  });

  it("that fits none is taken as it is", async () => {
    const key = await user();
    const sent = scriptModel(calling("a", [LOAD], "Let me see."), cut("A haiku"), saying("c", "Two."));
    await ask(key, [say("One.")]);
    await ask(key, [say("One."), said("Somebody wrote this."), say("Two.")]);
    expect(shape(sent[2]!)).toEqual(["system", "user", "Somebody wrote this.", "user"]);
  });

  it("of two attempts is the longest's", async () => {
    const key = await user();
    const sent = scriptModel(
      ...[calling("a", [LOAD], "Let me"), cut("x")],
      ...[
        calling("b", [["call_2", "load_skill", { skill_name: "haiku" }]], "Let me see."),
        cut("y"),
        saying("c", "Two."),
      ],
    );
    await ask(key, [say("One.")]);
    await ask(key, [say("Another one.")]);
    await ask(key, [say("Another one."), said("Let me see. And"), say("Two.")]);
    expect(sent[4]!.body.messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(["call_2"]);
    expect(shape(sent[4]!)).toEqual([...HIDDEN, "And", "user"]);
  });
});

it("an attempt that runs still, of which a part is sent back, ends there", async () => {
  const key = await user();
  const meanwhile = async () => {
    expect((await ask(key, [say("One."), said("Let me see."), say("Two.")])).status).toBe(200);
    return saying("b", "Late.")();
  };
  const sent = scriptModel(calling("a", [LOAD], "Let me see."), meanwhile, saying("c", "Two."));
  const late = await ask(key, [say("One.")]);
  expect([late.status, await late.text()]).toEqual([400, expect.stringContaining("exchange_taken_over")]);
  expect(shape(sent[2]!)).toEqual([...HIDDEN, "user"]);
});
