// `withSkills(openai, chat)`: returns the client with skills in `chat.completions.create` and `responses.create`.

import type { Chat } from "./chat.js";
import { completions } from "./completions.js";
import { responses } from "./responses.js";
import { withApi } from "./run.js";

/** The part of an `openai` client that this adapter uses. Versions without the Responses API also work. */
interface Client {
  chat: { completions: { create: (...given: never[]) => unknown } };
}

/** Returns the client with skills. Other methods do not change. */
export function withSkills<Given extends Client>(client: Given, chat: Chat): Given {
  return withApi(withApi(client, chat, completions), chat, responses);
}
