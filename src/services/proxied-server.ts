// One of the gateway's own servers, ready to be reached in the name of a caller.

import { type ServerEntry, serverEntrySchema } from "../domain/mcp-config";
import { readServer } from "../storage/mcp-servers";
import { UpstreamFault } from "../upstream/fault";
import type { Context } from "./context";
import type { ProxiedServer } from "./exchange";
import { fillServer } from "./variables";

/**
 * The server of this name, with its variables filled for the caller; `null` when there is none. Throws a fault when it cannot be
 * filled: in no conversation, `conversation.id`, `task.id`, `ghost.name` and `skill.name` have no value.
 */
export async function proxiedServer(context: Context, name: string): Promise<ProxiedServer | null> {
  const row = await readServer(context.db, name);
  if (row === null) return null;
  const entry = serverEntrySchema.parse(row.entry);
  const filled = await fillServer(context, {}, name, entry);
  if ("problem" in filled) throw new UpstreamFault("refused", filled.problem);
  const { target, redactor } = filled;
  return { target, configuredUrl: entry.url, isAllowed: allowedTools(entry), redact: redactor.text };
}

function allowedTools({ allow, deny }: ServerEntry): ProxiedServer["isAllowed"] {
  if (allow === undefined && deny === undefined) return null;
  return (tool) => (allow === undefined || allow.includes(tool)) && !(deny ?? []).includes(tool);
}
