// Whom an MCP host talks to.

import type { Ask, ConversationApi, HostAsk } from "../services/conversation";

/** The catalog, narrowed by a ghost, or one conversation. */
export interface HostPlace {
  ghost: string | undefined;
  conversation: { api: ConversationApi; ask: Ask; host: HostAsk } | null;
}
