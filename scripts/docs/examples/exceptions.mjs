// The operations without a recorded example.

/** The reason by operation id. */
export const EXCEPTIONS = {
  "conversations.socket": "It opens a WebSocket. docs/api/questions.md shows its frames.",
};
