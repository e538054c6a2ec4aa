// Previews a ghost before it is saved: prompt, cost, skills and name collisions. Creates no conversation, calls no server and reads no
// secret.

import { groupScope, PUBLIC_USER, userScope } from "../../../domain/access/access";
import { type CatalogEntry, listed } from "../../../domain/catalog/catalog";
import { renderList } from "../../../domain/catalog/list";
import type { View } from "../../../domain/catalog/view";
import { declaredServers, type PermittedServer } from "../../../domain/code/permissions";
import { renderLoaded, renderPrompt } from "../../../domain/conversation/prompt";
import type { Issue } from "../../../domain/errors";
import { type Collision, collisionsOf } from "../../../domain/tools/collisions";
import { countTokens } from "../../../storage/assets/tokenizer";
import { contentsOf } from "../../catalog/contents";
import { readView } from "../../catalog/read-view";
import type { Context } from "../../context";
import { examineGhost, type GhostRequest } from "../../registry/ghost-content";
import { writableScope } from "../../registry/ghosts";
import { resolveSet } from "../resolve-set";

/** Maximum number of skills with tools or servers whose names are compared. Each is read. */
const CAPABLE = 100;

/** A skill as this ghost would have it. */
export interface PreviewedSkill {
  entry: CatalogEntry;
  /** Active from the first turn on: preloaded, or required by a preloaded skill. */
  isPreloaded: boolean;
  /** Names of its tools, for the skills that were read: see `CAPABLE`. */
  tools: string[];
  servers: string[];
}

export interface GhostPreview {
  /** The issues for which saving would fail. */
  issues: Issue[];
  warnings: Issue[];
  /** The system prompt of the first turn, as delivery `system` renders it. */
  prompt: string;
  /** Tokens of the ghost's own prompt, of the list, of preloaded instructions, of all these together, and of pasting every skill. */
  tokens: { systemPrompt: number; list: number; preloaded: number; prompt: number; static: number };
  skills: PreviewedSkill[];
  /** Number of further skills. */
  more: number;
  servers: PermittedServer[];
  collisions: Collision[];
}

/** Previews a ghost that the caller could save, with the skills that all its users have. */
export async function previewGhost(
  context: Context,
  request: GhostRequest,
  shell: string | undefined,
): Promise<GhostPreview> {
  const scope = writableScope(context, request.namespace);
  const { content, issues } = await examineGhost(context, scope, request);
  const { spec } = content;
  const users = asAnyUser(context, scope);
  // A stored ghost without a skill list has no skills.
  const settings = { spec: { ...spec, skills: spec.skills ?? [] }, ...(shell === undefined ? {} : { shell }) };
  const view = await readView(users, settings);
  const set = await resolveSet(
    users,
    view,
    view.preload.map((name) => ({ name, code: "PRELOAD_UNAVAILABLE" })),
  );
  const { entries } = view.catalog;
  const preloaded = set.skills.filter(({ tokens }) => tokens > 0);
  const named = new Set(set.skills.map(({ name }) => name));
  const capable = entries.filter((entry) => entry.has_capabilities).slice(0, CAPABLE);
  const ids = [...preloaded, ...capable].map(({ version_id }) => version_id);
  const contents = await contentsOf(users, [...new Set(ids)]);
  const { shown, more, tokens: listTokens } = listed(view.catalog, view.preload);
  const list = shown.length + more > 0 ? renderList(shown, more) : null;
  const bodies = preloaded.map(({ name, version_id }) => ({
    name,
    instructions: contents.get(version_id)?.instructions ?? "",
  }));
  const loaded = bodies.length === 0 ? null : renderLoaded(bodies, []);
  const { system } = renderPrompt({ system: view.system_prompt, list, loaded, separate: false }, "mcp");
  const [own = 0, whole = 0] = await countTokens(context.assets, [view.system_prompt, system]);
  const capabilities = capable.flatMap((entry) => {
    const found = contents.get(entry.version_id);
    if (found === undefined) return [];
    const names = declaredServers(found.servers).map((server) => server.name);
    return [{ name: entry.name, servers: names, tools: found.tools.map((tool) => tool.name) }];
  });
  const brought = new Map(capabilities.map(({ name, ...names }) => [name, names]));
  return {
    issues,
    warnings: [...warningsOf(view, issues), ...set.warnings],
    prompt: system,
    tokens: {
      systemPrompt: own,
      list: list === null ? 0 : listTokens,
      preloaded: preloaded.reduce((sum, { tokens }) => sum + tokens, 0),
      prompt: whole,
      static: view.catalog.static_tokens,
    },
    skills: entries.map((entry) => ({
      entry,
      isPreloaded: named.has(entry.name),
      ...(brought.get(entry.name) ?? { tools: [], servers: [] }),
    })),
    more: Math.max(0, view.catalog.total - entries.length),
    servers: declaredServers(spec.mcpServers ?? {}),
    collisions: collisionsOf({
      gateway: Object.keys(view.servers.gateway),
      ghost: declaredServers(spec.mcpServers ?? {}).map(({ name }) => name),
      skills: capabilities,
    }),
  };
}

/** Leaves out warnings that repeat issues of the spec. */
function warningsOf(view: View, issues: readonly Issue[]): Issue[] {
  return issues.length === 0 ? view.warnings : view.warnings.filter(({ code }) => code !== "SKILL_UNAVAILABLE");
}

/**
 * Returns the context of a user without own skills and other groups, because a shared ghost is the same for everybody. A user's own ghost
 * keeps the user's context.
 */
function asAnyUser(context: Context, scope: string): Context {
  const { caller } = context;
  const { principal } = caller;
  if (scope === userScope(principal.userId)) return context;
  const groups = principal.groups.filter(({ group }) => groupScope(group) === scope);
  return { ...context, caller: { ...caller, principal: { ...principal, userId: PUBLIC_USER, groups } } };
}
