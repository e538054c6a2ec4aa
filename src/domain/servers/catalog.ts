// Catalog of MCP servers that can be added: a curated list of hosted servers, and entries of a server registry.

import * as z from "zod";
import { SERVER_NAME } from "./entry";

/** A server that can be added to the gateway, a group or a user. */
export interface CatalogServer {
  /** Unique in the catalog: the registry's name, such as `com.example/weather`. */
  name: string;
  title: string;
  description: string;
  /** Suggested name of the entry. */
  entry_name: string;
  type: "streamable-http" | "sse";
  url: string;
  /** How a user signs in; `null`: the catalog does not contain it. */
  sign_in: "oauth" | "none" | null;
  /** Headers that the server requires or accepts. */
  headers: CatalogHeader[];
  from: "curated" | "registry";
  /** The page or registry that the entry comes from. */
  source: string;
  /** Day on which a curated entry was compared with its source. */
  checked: string | null;
  version: string | null;
}

export interface CatalogHeader {
  name: string;
  description: string;
  required: boolean;
  secret: boolean;
}

type Curated = Pick<CatalogServer, "name" | "title" | "description" | "entry_name" | "url" | "sign_in" | "source">;

/** The day on which the list below was compared with its sources. */
const CHECKED = "2026-11-25";

const CURATED: readonly Curated[] = [
  {
    name: "com.atlassian/rovo",
    title: "Atlassian",
    description: "Jira, Confluence and Compass: search, create and update issues and pages.",
    entry_name: "atlassian",
    url: "https://mcp.atlassian.com/v1/mcp/authv2",
    sign_in: "oauth",
    source: "https://support.atlassian.com/atlassian-rovo-mcp-server/docs/using-with-other-supported-mcp-clients/",
  },
  {
    name: "com.cloudflare/bindings",
    title: "Cloudflare Workers bindings",
    description: "Workers, KV, R2, D1 and other storage of a Cloudflare account.",
    entry_name: "cloudflare-bindings",
    url: "https://bindings.mcp.cloudflare.com/mcp",
    sign_in: "oauth",
    source: "https://developers.cloudflare.com/agents/model-context-protocol/mcp-servers-for-cloudflare",
  },
  {
    name: "com.cloudflare/observability",
    title: "Cloudflare observability",
    description: "Logs and analytics of Workers in a Cloudflare account.",
    entry_name: "cloudflare-observability",
    url: "https://observability.mcp.cloudflare.com/mcp",
    sign_in: "oauth",
    source: "https://developers.cloudflare.com/agents/model-context-protocol/mcp-servers-for-cloudflare",
  },
  {
    name: "com.github/github",
    title: "GitHub",
    description: "Repositories, issues, pull requests and workflows.",
    entry_name: "github",
    url: "https://api.githubcopilot.com/mcp/",
    sign_in: "oauth",
    source: "https://github.com/github/github-mcp-server",
  },
  {
    name: "app.linear/linear",
    title: "Linear",
    description: "Find, create and update issues, projects and comments.",
    entry_name: "linear",
    url: "https://mcp.linear.app/mcp",
    sign_in: "oauth",
    source: "https://linear.app/docs/mcp",
  },
  {
    name: "com.microsoft/learn",
    title: "Microsoft Learn",
    description: "Search and read Microsoft's documentation.",
    entry_name: "microsoft-learn",
    url: "https://learn.microsoft.com/api/mcp",
    sign_in: "none",
    source: "https://learn.microsoft.com/training/support/mcp",
  },
  {
    name: "tech.neon/neon",
    title: "Neon",
    description: "Manage Neon projects and query Postgres databases.",
    entry_name: "neon",
    url: "https://mcp.neon.tech/mcp",
    sign_in: "oauth",
    source: "https://neon.com/docs/ai/neon-mcp-server",
  },
  {
    name: "com.notion/notion",
    title: "Notion",
    description: "Search, read and write pages and databases of a Notion workspace.",
    entry_name: "notion",
    url: "https://mcp.notion.com/mcp",
    sign_in: "oauth",
    source: "https://developers.notion.com/guides/mcp/build-mcp-client",
  },
  {
    name: "dev.sentry/sentry",
    title: "Sentry",
    description: "Issues, errors and projects of a Sentry organization.",
    entry_name: "sentry",
    url: "https://mcp.sentry.dev/mcp",
    sign_in: "oauth",
    source: "https://docs.sentry.io/ai/mcp/",
  },
  {
    name: "com.stripe/stripe",
    title: "Stripe",
    description: "Customers, payments, invoices and the Stripe documentation.",
    entry_name: "stripe",
    url: "https://mcp.stripe.com",
    sign_in: "oauth",
    source: "https://docs.stripe.com/mcp",
  },
];

/** Returns the curated servers whose name, title or description contains the text. All for an empty text. */
export function curatedServers(text: string): CatalogServer[] {
  const wanted = text.toLowerCase();
  return CURATED.filter(({ name, title, description, url }) =>
    [name, title, description, url].some((field) => field.toLowerCase().includes(wanted)),
  ).map((server) => ({
    ...server,
    type: "streamable-http",
    headers: [],
    from: "curated",
    checked: CHECKED,
    version: null,
  }));
}

const line = (most: number) =>
  z
    .string()
    .transform((text) => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").slice(0, most))
    .catch("");

/** A remote of a registry's server (server.json of 2025-12-11). The URLs of other types and of templates cannot be used. */
const remoteSchema = z.lazy(() =>
  z.object({
    type: z.enum(["streamable-http", "sse"]),
    url: z.url({ protocol: /^https$/ }).max(500),
    headers: z
      .array(
        z.object({
          name: z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/),
          description: line(200).optional(),
          isRequired: z.boolean().optional().catch(undefined),
          isSecret: z.boolean().optional().catch(undefined),
        }),
      )
      .max(10)
      .optional()
      .catch(undefined),
  }),
);

const registryServerSchema = z.lazy(() =>
  z.object({
    server: z.object({
      name: z.string().regex(/^[A-Za-z0-9.-]{1,200}\/[A-Za-z0-9._-]{1,200}$/),
      title: line(100).optional(),
      description: line(300).optional(),
      version: line(100).optional(),
      remotes: z.array(z.unknown()).max(20),
    }),
  }),
);

const registryPageSchema = z.lazy(() => z.object({ servers: z.array(z.unknown()).max(200) }));

/**
 * Reads a page of a registry (`GET /v0.1/servers`, API of 2025-12-01). Returns its servers with a remote that the gateway supports; entries
 * that are not valid are left out. Returns `null` if it is not such a page.
 *
 * @param source address of the registry
 */
export function readRegistryPage(page: unknown, source: string): CatalogServer[] | null {
  const parsed = registryPageSchema.safeParse(page);
  if (!parsed.success) return null;
  return parsed.data.servers.flatMap((entry): CatalogServer[] => {
    const server = registryServerSchema.safeParse(entry).data?.server;
    if (server === undefined) return [];
    const remotes = server.remotes.flatMap((remote) => remoteSchema.safeParse(remote).data ?? []);
    const remote = remotes.find(({ type }) => type === "streamable-http") ?? remotes[0];
    if (remote === undefined || /[{}]|%7[bd]/i.test(remote.url)) return [];
    const { name, title, description = "", version } = server;
    const last = name.split("/")[1] ?? "";
    return [
      {
        name,
        title: title === undefined || title === "" ? last : title,
        description,
        entry_name: SERVER_NAME.test(last) ? last : "server",
        type: remote.type,
        url: remote.url,
        sign_in: null,
        headers: (remote.headers ?? []).map((header) => ({
          name: header.name,
          description: header.description ?? "",
          required: header.isRequired ?? false,
          secret: header.isSecret ?? false,
        })),
        from: "registry",
        source,
        checked: null,
        version: version === undefined || version === "" ? null : version,
      },
    ];
  });
}

/** Returns both lists, each name once. A registry's entry with the URL of a curated server is replaced by that server. */
export function mergedServers(curated: readonly CatalogServer[], found: readonly CatalogServer[]): CatalogServer[] {
  const plain = (url: string) => url.replace(/\/+$/, "");
  const known = new Map(curatedServers("").map((server) => [plain(server.url), server]));
  const all = [...curated, ...found.map((server) => known.get(plain(server.url)) ?? server)];
  return [...new Map(all.map((server) => [server.name, server])).values()];
}
