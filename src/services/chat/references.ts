// Resolves parts of earlier answers that a request references by id instead of content.

import type { Protocol } from "../../domain/chat/protocol";
import { type Target, unwrap } from "../conversation/api";
import { type ChatObject, chatReply } from "./api";
import { type ParsedChatRequest, tailsOf } from "./request";

/** Returns the request with all references resolved. */
export async function withReferences(
  protocol: Protocol,
  asked: ParsedChatRequest,
  open: (id: string) => { api: ChatObject; target: Target },
): Promise<ParsedChatRequest> {
  const { items } = protocol;
  const ids = items?.named(asked.body) ?? [];
  if (items === undefined || ids.length === 0) return asked;
  const found = asked.isNew ? [] : await itemsOf(open(asked.conversation), ids);
  const body = items.filled(asked.body, found);
  const { tail } = await tailsOf(protocol, protocol.messages(body) ?? []);
  return { ...asked, body, tail };
}

async function itemsOf({ api, target }: { api: ChatObject; target: Target }, ids: string[]) {
  const reply = await api.chat(target, { do: "items", ids }, null);
  if (!reply.ok && reply.error.reason === "CONVERSATION_NOT_FOUND") return [];
  return chatReply(unwrap(reply), "items").value;
}
