// Describes the servers of this gateway in the format of the MCP registry API (v0.1, document of 2025-12-01).

/** A server that a host can connect to through this gateway. */
export interface ListedServer {
  name: string;
  type: "streamable-http" | "sse";
  description: string | undefined;
  createdAt: number;
  updatedAt: number;
}

/** A server in a response of the registry API. */
export interface RegistryServer {
  server: {
    $schema: string;
    name: string;
    title: string;
    description: string;
    version: string;
    remotes: { type: ListedServer["type"]; url: string }[];
  };
  /** Clients read the dates of this member. It is empty for the gateway itself. */
  _meta: Record<string, RegistryDates>;
}

interface RegistryDates {
  status: "active";
  statusChangedAt: string;
  publishedAt: string;
  updatedAt: string;
  isLatest: true;
}

/** The parameters of a list. */
export interface RegistryQuery {
  search: string;
  /** `latest`, or the version of the servers to return. */
  version: string;
  /** Milliseconds since the epoch. */
  updatedSince: number;
}

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
const DATES = "io.modelcontextprotocol.registry/official";
/** The version of every server. The document does not change with the server's entry, because hosts connect to the gateway. */
const VERSION = "1.0.0";
export const LATEST = "latest";

/**
 * Returns the documents of the gateway's own MCP server and of these servers, by name. They contain addresses of the gateway only, never
 * those of the servers.
 *
 * @param origin public origin of the gateway
 * @param version version of the gateway
 */
export function registryDocuments(servers: readonly ListedServer[], origin: string, version: string): RegistryServer[] {
  const namespace = namespaceOf(origin);
  const own: RegistryServer = {
    server: {
      $schema: SCHEMA,
      name: `${namespace}/skill-gateway`,
      title: "Skill Gateway",
      description: "Skills on demand: find, load and read skills, and run their scripts.",
      version,
      remotes: [{ type: "streamable-http", url: `${origin}/mcp` }],
    },
    _meta: {},
  };
  const others = servers.map(
    ({ name, type, description, createdAt, updatedAt }): RegistryServer => ({
      server: {
        $schema: SCHEMA,
        name: `${namespace}.servers/${name}`,
        title: name,
        description: description ?? `The MCP server '${name}' of this gateway.`,
        version: VERSION,
        remotes: [{ type, url: `${origin}/mcp/servers/${name}` }],
      },
      _meta: {
        [DATES]: {
          status: "active",
          statusChangedAt: instant(createdAt),
          publishedAt: instant(createdAt),
          updatedAt: instant(updatedAt),
          isLatest: true,
        },
      },
    }),
  );
  const byName = (a: RegistryServer, b: RegistryServer) => (a.server.name < b.server.name ? -1 : 1);
  return [own, ...others].sort(byName);
}

/** Whether a list with these parameters contains a server. The registry searches names only. */
export function isRegistryMatch(
  { server, _meta }: RegistryServer,
  { search, version, updatedSince }: RegistryQuery,
): boolean {
  const updated = _meta[DATES]?.updatedAt;
  return (
    [server.name, server.title].some((name) => name.toLowerCase().includes(search.toLowerCase())) &&
    isVersion(server, version) &&
    (updated === undefined || Date.parse(updated) >= updatedSince)
  );
}

/** Whether a server has this version. Every server has one. */
export function isVersion(server: RegistryServer["server"], version: string): boolean {
  return version === LATEST || version === server.version;
}

/** Returns the host name in reverse order, as the names of a registry begin. An address has no such order. */
function namespaceOf(origin: string): string {
  const { hostname } = new URL(origin);
  return /^[\d.]+$|:/.test(hostname) ? "local" : hostname.split(".").toReversed().join(".");
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
