// The operations without a recorded example.

/** The reason by operation id. */
export const EXCEPTIONS = {
  "connections.create": "It needs an MCP server with an issuer. docs/api/mcp-servers.md describes the steps.",
  "connections.list":
    "It needs a user who has signed in to an MCP server. docs/api/mcp-servers.md describes the steps.",
  "connections.confirm":
    "It needs a sign-in to an MCP server in a browser. docs/api/mcp-servers.md describes the steps.",
  "connections.delete": "It needs a connection to an MCP server. docs/api/mcp-servers.md describes the steps.",
  "conversations.socket": "It opens a WebSocket. docs/api/questions.md shows its frames.",
};
