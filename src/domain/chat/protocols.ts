// The protocols that the chat endpoint speaks.

import type { Format } from "../tools/formats";
import { anthropicMessages } from "./anthropic/messages";
import { openaiChat } from "./openai/chat";
import { openaiResponses } from "./openai/responses";
import type { Protocol } from "./protocol";

const ALL: readonly Protocol[] = [openaiChat, openaiResponses, anthropicMessages];

/** The protocol whose messages a conversation keeps in this format. */
export function protocolOf(format: Format): Protocol {
  const found = ALL.find((protocol) => protocol.format === format);
  if (found === undefined) throw new Error(`${format} is no chat protocol`);
  return found;
}
