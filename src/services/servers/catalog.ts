// Searches the catalog of MCP servers that can be added.

import { Recent } from "../../domain/recent";
import { type CatalogServer, curatedServers, mergedServers, readRegistryPage } from "../../domain/servers/catalog";
import { faultIn } from "../../upstream/fault";
import { guardedFetch } from "../../upstream/fetch";
import type { Context } from "../context";

/** Limits of a request to the registry. Times in milliseconds. */
const REGISTRY = { headersMs: 3_000, totalMs: 5_000, bytes: 2 * 1024 * 1024, servers: 50 };
/** Lifetime of a result, and of a failure, in milliseconds. A registry asks its users to read it rarely. */
const FRESH = 10 * 60_000;
const FAILED = 60_000;

/** A search. `registry`: whether the registry took part. */
export interface CatalogResult {
  servers: CatalogServer[];
  registry: "ok" | "off" | "unavailable";
}

interface Cached {
  at: number;
  /** `null`: the registry did not answer. */
  servers: CatalogServer[] | null;
}

/** Results by registry and text. They are the same for every user. A result has at most 50 servers of about 5 KB. */
const cached = new Recent<string, Cached>(50);

/** Returns the servers that match a text: curated ones first, then those of the registry. */
export async function searchServerCatalog(context: Context, text: string): Promise<CatalogResult> {
  const curated = curatedServers(text);
  const { MCP_REGISTRY_URL: registry } = context.settings;
  if (registry === "off") return { servers: curated, registry: "off" };
  const found = await fromRegistry(context, registry, text);
  if (found === null) return { servers: curated, registry: "unavailable" };
  return { servers: mergedServers(curated, found), registry: "ok" };
}

async function fromRegistry({ now }: Context, registry: string, text: string): Promise<CatalogServer[] | null> {
  const key = JSON.stringify([registry, text.toLowerCase()]);
  const before = cached.get(key);
  if (before !== undefined && now() - before.at < (before.servers === null ? FAILED : FRESH)) return before.servers;
  const servers = await ask(registry, text);
  cached.set(key, { at: now(), servers });
  return servers;
}

async function ask(registry: string, text: string): Promise<CatalogServer[] | null> {
  const url = new URL("/v0.1/servers", registry);
  url.searchParams.set("version", "latest");
  url.searchParams.set("limit", String(REGISTRY.servers));
  if (text !== "") url.searchParams.set("search", text);
  const { headersMs, totalMs, bytes } = REGISTRY;
  const guard = { development: __DEVELOPMENT__, headersMs, totalMs, bytes, origins: [url.origin] };
  try {
    const response = await guardedFetch(url, { headers: { accept: "application/json" } }, guard);
    const servers = response.ok ? readRegistryPage(await response.json(), registry) : null;
    if (!response.ok) await response.body?.cancel();
    if (servers === null) warn(response.ok ? "not a page of servers" : `status ${response.status}`);
    return servers;
  } catch (error) {
    if (faultIn(error) === null && !(error instanceof SyntaxError)) throw error;
    warn(faultIn(error)?.message ?? "not JSON");
    return null;
  }
}

function warn(reason: string): void {
  console.warn(JSON.stringify({ event: "mcp_registry_unavailable", reason }));
}
