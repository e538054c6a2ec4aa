// Which part of the gateway an MCP client talks to.

import type { ClientSetup, ConversationApi, Target } from "../services/conversation/api";

/** How a client speaks: with a handshake (to 2025-11-25), or with everything in each request (2026-07-28). */
export type ClientEra = "legacy" | "modern";

/** The catalog, narrowed by a ghost, or one conversation. */
export interface ClientPlace {
  ghost: string | undefined;
  /** Skills that the URL asks for from the start. */
  preload: readonly string[];
  conversation: ClientConversation | null;
}

export interface ClientConversation {
  api: ConversationApi;
  target: Target;
  client: ClientSetup;
  /** Opens a socket on which its object says that the list of tools changed. */
  listen(): Promise<WebSocket>;
}
