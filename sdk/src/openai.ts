// `withSkills(openai, chat)`: the same client, whose `chat.completions.create` and `responses.create` have skills.

import type { Chat } from "./chat.js";
import { completions } from "./completions.js";
import { responses } from "./responses.js";
import { withApi } from "./run.js";

/** What this adapter asks of a client of `openai`; one of before the Responses API will do. */
interface Client {
  chat: { completions: { create: (...given: never[]) => unknown } };
}

/** The client with skills. Nothing else of it changes. */
export function withSkills<Given extends Client>(client: Given, chat: Chat): Given {
  return withApi(withApi(client, chat, completions), chat, responses);
}
