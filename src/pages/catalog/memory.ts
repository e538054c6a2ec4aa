// Caches the list of open skills and whole pages in the isolate, so that visitors without a key cause few reads.

import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { Recent } from "../../domain/recent";
import type { MonthlyLoads, OpenEntry } from "../../services/compat/catalog-pages";

/** A value that is being read or was read. */
interface Known<T> {
  until: number;
  value: Promise<T>;
}

/** A page as it is sent. */
export interface CatalogPage {
  body: string;
  etag: string;
}

interface Memory {
  entries: Recent<"all", Known<readonly OpenEntry[]>>;
  loads: Recent<"all", Known<MonthlyLoads>>;
  pages: Recent<string, Known<CatalogPage | null>>;
}

const memories = new WeakMap<Env, Memory>();

/** Returns the cache of a gateway. After a change, its values are used for half a minute at most. */
export function catalogMemory(env: Env): Memory {
  const found = memories.get(env) ?? {
    entries: new Recent(1),
    loads: new Recent(1),
    pages: new Recent(COMPAT_LIMITS.catalogPages),
  };
  memories.set(env, found);
  return found;
}

/** Returns a cached value, or reads it. Requests at the same time share one read. A failed read is not cached. */
export function remembered<K, T>(
  known: Recent<K, Known<T>>,
  key: K,
  read: () => Promise<T>,
  ms: number = COMPAT_LIMITS.catalogMs,
): Promise<T> {
  const found = known.get(key);
  if (found !== undefined && found.until > Date.now()) return found.value;
  const value = read();
  known.set(key, { until: Date.now() + ms, value });
  value.catch(() => known.delete(key));
  return value;
}
