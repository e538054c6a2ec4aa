// The operations without a recorded example.

/** The reason by operation id. */
export const EXCEPTIONS = {
  "connections.confirm": "It needs a product's page in a browser. docs/api/mcp-servers.md describes the steps.",
  "publishers.exchange": "It needs the token of a CI job. docs/trusted-publishing.md has two jobs that send it.",
  "conversations.socket": "It opens a WebSocket. docs/api/questions.md shows its frames.",
};
