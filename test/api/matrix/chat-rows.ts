// Rows of the isolation matrix for the chat endpoint. The stored models have unreachable addresses: callers with access receive an
// "unreachable" error, callers without access receive "not found".

import { ghost, storedModel, type Thing, type User } from "./actors";
import { everybody, members, type Row } from "./table";

const OWNERS: [of: Row["of"], best: User, owner: (thing: Thing) => Record<string, string>][] = [
  ["self", "self", () => ({})],
  ["group", "Owner", ({ group = "" }) => ({ scope: "group", group_name: group })],
  ["public", "admin", () => ({ scope: "gateway" })],
];
const messages = [{ role: "user", content: "Hello." }];

/**
 * Returns rows for a route on a model of the user, of a group and of the gateway. Group members of every role can call the group's model.
 */
function modelled(route: string, status: number, send: Row["send"]): Row[] {
  const may = { self: { self: status }, group: members("Reporter", status), public: everybody(status), nobody: {} };
  return OWNERS.map(([of, best, owner]) => ({
    ...{ route, of, scope: "chat", best, may: may[of], spent: false, send },
    thing: () => storedModel(of, owner),
  }));
}

const SEEN = { self: { self: 200 }, group: members("Reporter", 200), public: everybody(200) };

/** Returns rows for a chat with a ghost of the user, of a group and of the public scope, on a scripted model that all users can call. */
function haunted(send: Row["send"]): Row[] {
  const row = (of: keyof typeof SEEN, best: User): Row => {
    const route = "POST /openai/v1/chat/completions";
    return { route, of, scope: "chat", best, may: SEEN[of], spent: false, thing: () => ghost(of), send };
  };
  return [row("self", "self"), row("group", "Owner"), row("public", "admin")];
}

/** Returns a row for a route without an owned resource. The conversation id refers to each caller's own conversation. */
function open(route: string, json?: object): Row {
  return {
    ...{ route, of: "nobody", scope: "chat", best: "admin", may: everybody(200), spent: false },
    thing: async () => ({}),
    send: () => (json === undefined ? {} : { json }),
  };
}

const demo = { model: "demo", messages, max_tokens: 100, metadata: { conversation_id: "matrix" } };

export const CHAT_ROWS: Row[] = [
  open("GET /openai/v1/models"),
  open("GET /anthropic/v1/models"),
  open("POST /openai/v1/chat/completions", demo),
  open("POST /anthropic/v1/messages", demo),
  open("POST /openai/v1/responses", { model: "demo", input: "Hello.", metadata: { conversation_id: "matrix" } }),
  open("POST /anthropic/v1/messages/count_tokens", { model: "demo", messages }),
  ...haunted(({ ghost: name }) => ({ json: { model: `ghost/${name}:demo`, messages } })),
  ...haunted(({ ghost: name = "" }) => ({ json: { model: "demo", messages }, headers: { "x-skill-ghost": name } })),
  ...modelled("GET /openai/v1/models/{name}", 200, () => ({})),
  ...modelled("POST /openai/v1/chat/completions", 502, ({ name }) => ({ json: { model: name, messages } })),
];
