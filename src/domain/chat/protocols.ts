// Lists the protocols of the chat endpoint.

import type { Format } from "../tools/formats";
import { anthropicMessages } from "./anthropic/messages";
import { openaiChat } from "./openai/chat";
import { openaiResponses } from "./openai/responses";
import type { Protocol } from "./protocol";

const ALL: readonly Protocol[] = [openaiChat, openaiResponses, anthropicMessages];

/** Returns the protocol of the messages in conversations with this format. */
export function protocolOf(format: Format): Protocol {
  const found = ALL.find((protocol) => protocol.format === format);
  if (found === undefined) throw new Error(`${format} is no chat protocol`);
  return found;
}
