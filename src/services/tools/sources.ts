// Reads what active skills declare besides instructions: code and MCP servers. Read once per version, then cached.

import { isOthersDraft } from "../../domain/catalog/draft";
import type { SkillRef } from "../../domain/catalog/skill-ref";
import { activeSkills } from "../../domain/conversation/activation";
import { type CodeFacts, factsSchema, type ToolSource, type ToolSources } from "../../domain/conversation/offered";
import { type ServerRef, serversOf } from "../../domain/conversation/servers";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import type { Slots } from "../../sandbox/slots";
import { CODE_BARS, codeBarOf } from "../catalog/can-run";
import type { Context } from "../context";
import { loadConnections } from "../servers/late-connections";
import type { Session } from "../session";
import { factsOf, hasProvider } from "./declarations";
import { recordVersions, toolMemory } from "./memory";
import type { ConversationView } from "./step";

/** The module that asks providers. Loaded lazily, because few conversations need it. */
let describe: typeof import("./describe") | null = null;

/** Returns what the active skills declare now. Reads D1 or an isolate only for versions new to this conversation. */
export async function sourcesOf({ context, session, view }: ConversationView): Promise<ToolSources> {
  const active = activeSkills(session.state).map(({ skill }) => ({
    skill,
    order: session.state.activated.get(skill.name)?.order ?? 0,
  }));
  const { stale } = context.caller;
  const key = JSON.stringify([view.key, stale, active.map(({ skill, order }) => [skill.version_id, order])]);
  const before = session.memory.sources;
  if (before?.key === key) return before.sources;

  const bars = await Promise.all(active.map(({ skill }) => codeBarOf(context, view, skill)));
  // If the registry is unavailable, offered tools stay offered; calls are refused.
  const visible = active.flatMap((one, index) =>
    bars[index] === "not_visible" ? [] : [{ ...one, runs: bars[index] !== "not_allowed" }],
  );
  const store = toolMemory(session);
  const withText = new Map(visible.map(({ skill }) => [skill.version_id, cachedWithText(session, skill.version_id)]));
  const known = (id: string) => {
    const facts = store.versions[id];
    return facts?.servers === undefined ? withText.get(id) : facts;
  };
  const missing = visible.map(({ skill }) => skill.version_id).filter((id) => known(id) === undefined);
  const read = stale || missing.length === 0 ? new Map<string, CodeFacts>() : await factsOf(context, missing);
  const lasting = new Map<string, CodeFacts>();
  let settled = true;
  const found = await Promise.all(
    visible.map(async ({ skill, order, runs }): Promise<ToolSource | null> => {
      const facts = known(skill.version_id) ?? read.get(skill.version_id) ?? store.versions[skill.version_id];
      if (facts === undefined) return null;
      const asked = runs ? await described(context, session.memory.slots, skill, facts) : { facts, isSettled: true };
      settled &&= asked.isSettled;
      // Facts that are stored with the instructions are not stored twice.
      if (asked.facts !== withText.get(skill.version_id))
        lasting.set(skill.version_id, asked.isSettled ? asked.facts : { ...asked.facts, described: null });
      return { skill, order, facts: asked.facts, runs };
    }),
  );
  recordVersions(session, Object.fromEntries(lasting));
  const skills = found.filter((skill) => skill !== null);
  const { userId } = context.caller.principal;
  const ofSkills = skills.map(({ skill, facts }) => ({
    skill,
    // The author of a draft can change it at any time, so it never gets the secrets of other users.
    servers: isOthersDraft(skill.name, userId) ? {} : (facts.servers ?? {}),
  }));
  const sources = { skills, servers: serversOf(view, ofSkills) };
  // Incomplete results are not cached, so that the next call asks again.
  if (settled) session.memory.sources = { key, sources };
  return sources;
}

function cachedWithText(session: Session, versionId: string): CodeFacts | undefined {
  const facts = session.store.facts(versionId);
  return facts === null ? undefined : factsSchema.parse(JSON.parse(facts));
}

/**
 * Connects the servers whose tools are unknown, and waits for them for a short time.
 *
 * @param only only servers of these skills
 * @param patience maximum wait, if it differs from the default
 */
export async function connectSources(
  seen: ConversationView,
  only: readonly string[] | null = null,
  patience: number | null = null,
): Promise<void> {
  const { context, session } = seen;
  const { servers } = await sourcesOf(seen);
  if (only === null) await partFromOthers(seen, servers);
  const mine = servers.filter(({ skill }) => only === null || (skill !== null && only.includes(skill.name)));
  if (mine.length === 0) return;
  const fixed = only !== null && session.state.policy?.tool_mode === "fixed";
  const usual = fixed ? DURATIONS.patienceFixed : DURATIONS.patience;
  const { connectServers } = await loadConnections();
  await connectServers(context, session, mine, patience ?? usual);
}

/** Ends sessions with servers that left the conversation. */
async function partFromOthers({ context, session }: ConversationView, servers: readonly ServerRef[]): Promise<void> {
  const { memory, store } = session;
  const { left } = memory;
  memory.left = null;
  if (memory.connections.live.size === 0 && (left === null || !store.upstreams.any())) return;
  const { endUnusedSessions } = await loadConnections();
  await endUnusedSessions(context, session, servers, left === null ? [] : serversOf(left, []));
}

/** Adds the provider's tool descriptions. Results that may differ next time are marked as incomplete. */
async function described(
  context: Context,
  slots: Slots,
  skill: SkillRef,
  facts: CodeFacts,
): Promise<{ facts: CodeFacts; isSettled: boolean }> {
  if (facts.described !== null || !hasProvider(facts)) return { facts, isSettled: true };
  const all = (reason: string) => ({
    ...facts,
    described: { tools: [], problems: Object.fromEntries(facts.tools.map((tool) => [tool.name, reason])) },
  });
  if (context.caller.stale) return { facts: all(CODE_BARS.stale), isSettled: false };
  const { loader } = context;
  if (loader === undefined) return { facts: all(CODE_BARS.no_loader), isSettled: false };
  try {
    describe ??= await import("./describe");
    const answer = await describe.askProvider(context, { loader, slots }, skill, facts);
    return { facts: { ...facts, described: answer }, isSettled: true };
  } catch (error) {
    // Instructions never wait for R2: the skill works without tools, and the next turn asks again.
    if (!(error instanceof GatewayError)) throw error;
    return { facts: all("its code could not be read"), isSettled: false };
  }
}
