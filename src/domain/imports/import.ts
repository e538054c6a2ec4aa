// What an import is: where from, where it stands, and what became of each skill.

/** Where skills come from. What a secret says is in none of it, only what it is called. */
export interface ImportSource {
  /** `index`: a well-known index; `archive`: a Git host's archive; `gateway`: a scope of another gateway. */
  type: "index" | "archive" | "gateway";
  url: string;
  /** Of an archive: only what lies below this folder. */
  path?: string | undefined;
  /** Of a gateway: `public`, `own` or `group/<name>`. */
  scope?: string | undefined;
  /** The secret that is sent along, by name, and in which header; without one in `Authorization: Bearer`. */
  secret?: string | undefined;
  header?: string | undefined;
}

/**
 * `running`; `waiting`: for its source, or for another day; `done`; `failed`: the source could not be read; `stopped`: whoever made it may
 * not any more, or there is no room; `cancelled` by somebody.
 */
export const IMPORT_STATES = ["running", "waiting", "done", "failed", "stopped", "cancelled"] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** Whether a run goes on by itself. */
export const isRunning = (state: ImportState) => state === "running" || state === "waiting";

/** What a run made of a skill. `refused`: the name is there, and did not come from this source. */
export const ITEM_STATES = ["created", "updated", "unchanged", "refused", "failed"] as const;
export type ImportItemState = (typeof ITEM_STATES)[number];

/** Why, for whoever looks. Nothing of a URL, a header or a body is in it. */
export interface ImportProblem {
  code: string;
  message: string;
}

/** The two sources that are one have one identity: a second import of it goes on where the first one was. */
export function identityOf({ type, url, path = "", scope = "" }: ImportSource): string {
  return JSON.stringify([type, url, path, scope]);
}

/** Where a source is asked for. Of an index, several places are tried one after the other. */
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

/** What a user's words about a source become in a log: no path, since an address may open a door by itself. */
export function sourceInLog({ type, url }: ImportSource): { type: string; origin: string } {
  return { type, origin: new URL(url).origin };
}
