// Scheduled checks of the gateway's MCP servers, and of the skills that were approved from them.

import { DURATIONS } from "../../domain/durations";
import { type GatewayServerEntry, gatewayEntrySchema } from "../../domain/servers/owner";
import { type ServerSkillRow, skillsOfServer } from "../../storage/d1/registry/server-skills";
import {
  addServerChecks,
  dueServers,
  putServerSkillState,
  recentServerChecks,
  type ServerCheckRow,
  type ServerSkillState,
  serverSkillStates,
} from "../../storage/d1/servers/checks";
import { recordServerDown, recordServerUp } from "../../storage/d1/servers/health";
import type { Upstream } from "../../upstream/client";
import { UpstreamFault } from "../../upstream/fault";
import { requireAdmin } from "../admin";
import type { Context } from "../context";
import { checkableAddresses, checkServer } from "../servers/check-server";
import { offeredDigests } from "./server-skills";
import { yank } from "./skills";

/** Maximum number of addresses that one run checks, and of servers at the same time. Cloudflare allows six connections. */
const LIMITS = { addresses: 20, parallel: 4 } as const;

/** The share of the interval by which a check can be earlier, at random, so that servers are not checked all at once. */
const JITTER = 0.2;

/** Number of checks in the details of a server. */
const SHOWN = 100;

/** Maximum number of versions of one skill that are yanked in one run. */
const VERSIONS = 50;

interface Planned {
  name: string;
  entry: GatewayServerEntry;
  downSince: number | null;
}

/** Returns the newest checks of a server, newest first, and what the last check found of its approved skills. */
export async function serverHealth(
  context: Context,
  name: string,
): Promise<{ checks: ServerCheckRow[]; skills: (ServerSkillState & { name: string })[] }> {
  requireAdmin(context.caller.principal);
  const { db } = context;
  const [checks, skills] = await Promise.all([recentServerChecks(db, name, SHOWN), serverSkillStates(db, name)]);
  return { checks, skills };
}

/** Checks the servers whose check is due. The failure of one check does not affect the others. */
export async function runServerChecks(context: Context): Promise<void> {
  const minutes = context.settings.MCP_CHECK_MINUTES;
  if (minutes === 0) return;
  const [now, interval] = [context.now(), minutes * 60_000];
  const failing = now - Math.min(interval, DURATIONS.serverCheckAgain);
  const jitter = Math.floor(interval * JITTER);
  const due = await dueServers(context.db, { working: now - interval, jitter, failing });
  // An entry that this version cannot read must not keep the others from their checks.
  const readable = due.flatMap(({ entry: stored, ...server }) => {
    const entry = gatewayEntrySchema.safeParse(stored).data;
    return entry === undefined ? [] : [{ ...server, entry }];
  });
  const planned = plan(readable);
  const rest = planned.values();
  const worker = async () => {
    for (const server of rest) await checkOne(context, server);
  };
  await Promise.all(Array.from({ length: LIMITS.parallel }, worker));
}

function plan(due: readonly Planned[]): Planned[] {
  const planned: Planned[] = [];
  let left: number = LIMITS.addresses;
  for (const server of due) {
    const { length } = checkableAddresses(server.entry);
    if (length === 0) continue;
    if (length > left) break;
    left -= length;
    planned.push(server);
  }
  return planned;
}

async function checkOne(context: Context, server: Planned): Promise<void> {
  const { name, downSince } = server;
  const { db } = context;
  try {
    const [published, states] = await Promise.all([skillsOfServer(db, name), serverSkillStates(db, name)]);
    const at = context.now();
    const visit = async (upstream: Upstream) => {
      if (isSkillCheckDue(published, states, at)) await checkSkills(context, name, upstream, published, states);
    };
    const checked = await checkServer(context, server, visit);
    const isUp = checked.some(({ problem }) => problem === null);
    for (const { problem } of checked) context.count("upstream_checks", [name, problem === null ? "ok" : "failed"]);
    await addServerChecks(
      db,
      checked.map((one) => ({ server: name, at, ...one })),
    );
    await (isUp ? recordServerUp : recordServerDown)(db, { scope: null, name });
    if (!isUp && downSince !== null && at - downSince >= DURATIONS.serverGone)
      for (const skill of published) await withdraw(context, name, skill);
  } catch (error) {
    // The next run checks the server again.
    const reason = error instanceof Error ? error.message : String(error);
    console.error(JSON.stringify({ event: "server_check_failed", server: name, reason }));
  }
}

function isSkillCheckDue(
  published: readonly ServerSkillRow[],
  states: readonly ServerSkillState[],
  now: number,
): boolean {
  const known = new Map(states.map((one) => [one.skillId, one]));
  return published.some(({ id }) => {
    const { state, checkedAt } = known.get(id) ?? { state: "approved", checkedAt: 0 };
    return now - checkedAt >= (state === "missing" ? DURATIONS.serverSkillsAgain : DURATIONS.serverSkills);
  });
}

/** Compares approved skills with what the server offers now. One that is missing in two checks is withdrawn. */
async function checkSkills(
  context: Context,
  server: string,
  upstream: Upstream,
  published: readonly ServerSkillRow[],
  states: readonly ServerSkillState[],
): Promise<void> {
  const offered = await digestsOrNull(upstream);
  if (offered === null) return;
  for (const skill of published) {
    const digest = offered.digests.get(skill.source.url);
    if (digest === undefined && !offered.isComplete) continue;
    const before = states.find(({ skillId }) => skillId === skill.id)?.state;
    if (digest === undefined && before === "missing") await withdraw(context, server, skill);
    else {
      const state = digest === undefined ? "missing" : digest === skill.source.digest ? "approved" : "changed";
      await putState(context, server, skill, state);
      if (state === "changed" && before !== "changed") warn("server_skill_changed", server, skill);
    }
  }
}

async function digestsOrNull(upstream: Upstream): Promise<Awaited<ReturnType<typeof offeredDigests>> | null> {
  try {
    return await offeredDigests(upstream);
  } catch (error) {
    if (error instanceof UpstreamFault) return null;
    throw error;
  }
}

/**
 * Takes a skill out of the catalog: yanks its versions that came from the server. Conversations that use it receive a warning. An approval
 * returns it.
 */
async function withdraw(context: Context, server: string, skill: ServerSkillRow): Promise<void> {
  let current: ServerSkillRow | undefined = skill;
  for (let n = 0; n < VERSIONS && current !== undefined; n++) {
    await yank(context, current.id, current.versionId);
    current = (await skillsOfServer(context.db, server)).find(({ id }) => id === skill.id);
  }
  if (current !== undefined) return;
  await putState(context, server, skill, "withdrawn");
  warn("server_skill_withdrawn", server, skill);
}

function putState(
  context: Context,
  server: string,
  { id, source }: ServerSkillRow,
  state: ServerSkillState["state"],
): Promise<void> {
  const found = { skillId: id, server, uri: source.url, state, checkedAt: context.now() };
  return putServerSkillState(context.db, found);
}

function warn(event: string, server: string, { id }: ServerSkillRow): void {
  console.warn(JSON.stringify({ event, server, skill_id: id }));
}
