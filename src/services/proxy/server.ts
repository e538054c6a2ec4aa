// One of the gateway's own servers, ready to be reached in the name of a caller.

import { PUBLIC_SCOPE } from "../../domain/access/access";
import { DURATIONS } from "../../domain/durations";
import { Recent } from "../../domain/recent";
import { type ServerEntry, serverEntrySchema } from "../../domain/servers/entry";
import { readServer } from "../../storage/d1/mcp-servers";
import { UpstreamFault } from "../../upstream/fault";
import type { Context } from "../context";
import { fillServer } from "../servers/variables";
import type { ProxiedServer } from "./proxied-call";

/**
 * The server of this name, with its variables filled for the caller; `null` when there is none. Throws a fault when it cannot be
 * filled: in no conversation, `conversation.id`, `task.id`, `ghost.name` and `skill.name` have no value.
 */
export async function proxiedServer(context: Context, name: string): Promise<ProxiedServer | null> {
  const entry = await entryOf(context, name);
  if (entry === null) return null;
  const filled = await fillServer(context, {}, name, entry);
  if ("problem" in filled) throw new UpstreamFault("refused", filled.problem);
  return { target: filled.target, configuredUrl: entry.url, isAllowed: allowedTools(entry) };
}

/** What this isolate has read, and at which state of the counter that every change of a server raises. Not for long: a replica may lag. */
const known = new Recent<string, { counter: number; at: number; entry: ServerEntry | null }>(1_000);

async function entryOf({ caller, db, now }: Context, name: string): Promise<ServerEntry | null> {
  const counter = caller.counters[PUBLIC_SCOPE] ?? 0;
  const found = known.get(name);
  if (found?.counter === counter && now() - found.at < DURATIONS.serverCache) return found.entry;
  const row = await readServer(db, name);
  const entry = row === null ? null : serverEntrySchema.parse(row.entry);
  known.set(name, { counter, at: now(), entry });
  return entry;
}

function allowedTools({ allow, deny }: ServerEntry): ProxiedServer["isAllowed"] {
  if (allow === undefined && deny === undefined) return null;
  return (tool) => (allow === undefined || allow.includes(tool)) && !(deny ?? []).includes(tool);
}
