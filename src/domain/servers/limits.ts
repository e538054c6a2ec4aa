// Limits of MCP servers.

/** Limits of a server's configuration. */
export const MCP_LIMITS = {
  /** Maximum timeout of a call or connect. */
  timeoutSeconds: 300,
  /** Tools that an entry can allow or deny by name. */
  namedTools: 256,
  /** Number of servers of the gateway, and of a user or group. */
  servers: 64,
  ownServers: 20,
  /** Addresses of a server, and the highest weight of one. */
  instances: 8,
  weight: 100,
  /** Ghosts that a server can be restricted to. */
  namedGhosts: 100,
} as const;
