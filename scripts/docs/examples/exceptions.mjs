// The operations without a recorded example.

/** The reason by operation id. */
export const EXCEPTIONS = {
  "connections.confirm": "It needs a product's page in a browser. docs/api/mcp-servers.md describes the steps.",
  "publishers.exchange": "It needs the token of a CI job. docs/trusted-publishing.md has two jobs that send it.",
  ...Object.fromEntries(
    ["put", "delete", "answer", "hide"].map((verb) => [
      `ratings.${verb}`,
      "It needs a rating, which is possible one hour after a load. docs/api/ratings.md describes it.",
    ]),
  ),
  "conversations.socket": "It opens a WebSocket. docs/api/questions.md shows its frames.",
};
