// What a conversation of the chat endpoint is made with.

import type { ConversationSettings } from "../../domain/conversation/settings";

/** What was sent never changes, so that a provider's cache holds. */
export const chatSettings = (ghost: string | null): ConversationSettings => ({
  delivery: "auto",
  ...(ghost === null ? {} : { ghost }),
});
