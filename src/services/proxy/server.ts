// Resolves a server of the gateway, a group or the caller for proxying.

import { visibleScopes } from "../../domain/access/access";
import { sourceOfScope } from "../../domain/conversation/servers";
import { DURATIONS } from "../../domain/durations";
import type { JsonObject } from "../../domain/json";
import { metricLabelFor } from "../../domain/metrics/families";
import { Recent } from "../../domain/recent";
import type { ServerEntry, ServerSource } from "../../domain/servers/entry";
import {
  type ApprovedTools,
  type GatewayServerEntry,
  gatewayEntrySchema,
  guardOf,
  inOrderOf,
  isForGhost,
} from "../../domain/servers/owner";
import { areConstant } from "../../domain/servers/template";
import { isAllowed as isAllowedBy } from "../../domain/servers/tool-filter";
import { serversNamed } from "../../storage/d1/servers/user-servers";
import { UpstreamFault } from "../../upstream/fault";
import type { Context } from "../context";
import { connectedServerOf, signedInTarget } from "../servers/signed-in-target";
import { secretsOf } from "../servers/target";
import { type FilledServer, fillServerVariables } from "../servers/variables";
import type { ProxiedServer } from "./proxied-call";

/**
 * Returns the server with this name, with its variables filled for the caller; `null` if not found. Throws a fault if it cannot be filled:
 * outside of a conversation, `conversation.id`, `task.id`, `ghost.name` and `skill.name` have no value.
 */
export async function proxiedServer(context: Context, name: string): Promise<ProxiedServer | null> {
  const found = await entryOf(context, name);
  if (found === null || found.entry.enabled === false || !isForGhost(found.entry, null)) return null;
  const { entry, source } = found;
  const filled = await filledServer(context, name, found);
  if ("problem" in filled) throw new UpstreamFault("refused", filled.problem);
  const signIn = { server: connectedServerOf(context, name, source), entry, oauth: entry.oauth };
  const { target } = await signedInTarget(context, signIn, filled.target);
  const { approved } = found;
  const countedAs = metricLabelFor(source.kind, name);
  const isAllowed = allowedTools(entry, approved);
  const { url, urls } = entry;
  const configuredUrl = urls === undefined ? url : JSON.stringify([url, ...urls.map((one) => one.url)]);
  return { target, countedAs, configuredUrl, isAllowed, approved };
}

/** The addresses of entries without variables. They are the same for every caller, and depend on the settings of this isolate only. */
const constant = new WeakMap<GatewayServerEntry, FilledServer>();

async function filledServer(context: Context, name: string, { entry, source }: Found): Promise<FilledServer> {
  const before = constant.get(entry);
  if (before !== undefined) return before;
  const filled = await fillServerVariables(context, { shared: secretsOf(context, source) }, name, entry);
  const { url, urls = [], headers = {} } = entry;
  const templates = [url, ...urls.map((one) => one.url), ...Object.values(headers)];
  if (areConstant(templates)) constant.set(entry, filled);
  return filled;
}

interface Found {
  entry: GatewayServerEntry;
  source: ServerSource;
  approved: ApprovedTools | null;
}

/** Caches servers with the state of the counters that every change raises. For a short time only, because a replica may lag. */
const known = new Recent<string, { at: number; found: Found | null }>(1_000);

/** Returns the caller's server with this name: own over a group's over the gateway's. */
async function entryOf({ caller, db, now }: Context, name: string): Promise<Found | null> {
  const visible = visibleScopes(caller.principal);
  const key = JSON.stringify([name, visible.map((scope) => [scope, caller.counters[scope] ?? 0])]);
  const before = known.get(key);
  if (before !== undefined && now() - before.at < DURATIONS.serverCache) return before.found;
  const { own, gateway } = await serversNamed(db, visible, name);
  const nearest = inOrderOf(visible, own)[0];
  const found = nearest === undefined ? gatewaysOf(gateway) : ofScope(nearest);
  known.set(key, { at: now(), found });
  return found;
}

function ofScope({ scope, entry }: { scope: string; entry: JsonObject }): Found {
  return { entry: gatewayEntrySchema.parse(entry), source: sourceOfScope(scope), approved: null };
}

function gatewaysOf(row: { entry: JsonObject; approved: ApprovedTools | null } | null): Found | null {
  if (row === null) return null;
  const { entry, approved } = row;
  return { entry: gatewayEntrySchema.parse(entry), source: { kind: "gateway" }, approved: guardOf(entry, approved) };
}

/** By name. Whether a tool is unchanged since its approval is checked when it is listed. */
function allowedTools(entry: ServerEntry, approved: ApprovedTools | null): ProxiedServer["isAllowed"] {
  if (entry.allow === undefined && entry.deny === undefined && approved === null) return null;
  return (tool) => isAllowedBy(entry, tool) && (approved === null || Object.hasOwn(approved, tool));
}
