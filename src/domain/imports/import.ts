// An import: its source, its state, and the result for each skill.

/** The source of an import. It contains the name of a secret, never its value. */
export interface ImportSource {
  /** `index`: a well-known index; `archive`: a Git host's archive; `gateway`: a scope of another gateway. */
  type: "index" | "archive" | "gateway";
  url: string;
  /** For an archive: only this folder. */
  path?: string | undefined;
  /** For a gateway: `public`, `own` or `group/<name>`. */
  scope?: string | undefined;
  /** The name of the secret to send, and the header; default: `Authorization: Bearer`. */
  secret?: string | undefined;
  header?: string | undefined;
}

/**
 * `running`; `waiting`: for its source or the next day; `done`; `failed`: the source could not be read; `stopped`: its creator lost the
 * right, or a quota is exceeded; `cancelled`: by a user.
 */
export const IMPORT_STATES = ["running", "waiting", "done", "failed", "stopped", "cancelled"] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** Whether a run continues by itself. */
export const isRunning = (state: ImportState) => state === "running" || state === "waiting";

/** Result for a skill. `refused`: a skill with this name exists and does not come from this source, or a reviewer decides. */
export const ITEM_STATES = ["created", "updated", "unchanged", "refused", "failed"] as const;
export type ImportItemState = (typeof ITEM_STATES)[number];

/** The problem as shown to users. It contains no URL, header or body. */
export interface ImportProblem {
  code: string;
  message: string;
}

/** Returns the identity of a source. A second import of the same source continues the first. */
export function identityOf({ type, url, path = "", scope = "" }: ImportSource): string {
  return JSON.stringify([type, url, path, scope]);
}

/** Returns the URLs of a source. For an index, several locations are tried in order. */
export function addressesOf(source: ImportSource): URL[] {
  const base = new URL(source.url);
  if (source.type === "archive") return [base];
  if (source.type === "gateway")
    return [new URL(`${folder(base)}s/${source.scope ?? "public"}/${PLACES[0]}`, base.origin)];
  if (base.pathname.endsWith("/index.json")) return [base];
  return [...new Set([folder(base), "/"])].flatMap((path) => PLACES.map((place) => new URL(path + place, base.origin)));
}

const PLACES = [".well-known/agent-skills/index.json", ".well-known/skills/index.json"] as const;

function folder({ pathname }: URL): string {
  return `${pathname.replace(/\/+$/, "")}/`;
}

/** Returns what a log contains of a source: no path, because a URL can be a credential. */
export function sourceInLog({ type, url }: ImportSource): { type: string; origin: string } {
  return { type, origin: new URL(url).origin };
}
