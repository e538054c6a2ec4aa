// The part of the gateway that an MCP client uses.

import type { ClientSetup, ConversationApi, Target } from "../services/conversation/api";

/** The client's protocol generation: with a handshake (up to 2025-11-25), or stateless (2026-07-28). */
export type ClientEra = "legacy" | "modern";

/** The catalog, restricted by a ghost, or one conversation. */
export interface ClientPlace {
  ghost: string | undefined;
  /** Skills that the URL preloads. */
  preload: readonly string[];
  conversation: ClientConversation | null;
}

export interface ClientConversation {
  api: ConversationApi;
  target: Target;
  client: ClientSetup;
  /** Opens a socket on which the object announces changes of the tool list. */
  listen(): Promise<WebSocket>;
}
