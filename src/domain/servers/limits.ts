// What the subject of MCP servers is bounded by.

/** How remote MCP servers may be configured. */
export const MCP_LIMITS = {
  /** Most seconds that an entry may give a call or a connect. */
  timeoutSeconds: 300,
  /** Tools that an entry may allow or deny by name. */
  namedTools: 256,
  /** Servers of the gateway, and of a user or a group. */
  servers: 64,
  ownServers: 20,
  /** Ghosts that a server may be for. */
  namedGhosts: 100,
} as const;
