// Stores the front of a conversation's prompt under `auto`, and renews it at the start of a turn if that is worth the cost.

import { type CatalogEntry, hasListed, listed } from "../../../domain/catalog/catalog";
import { LIST_FRAME_TOKENS } from "../../../domain/catalog/list";
import type { View } from "../../../domain/catalog/view";
import { activeSkills } from "../../../domain/conversation/activation";
import {
  type Front,
  frontSchema,
  linesOf,
  listTokens,
  namesIn,
  preloadOf,
  withoutUnavailable,
} from "../../../domain/conversation/front";
import { serversOf } from "../../../domain/conversation/servers";
import { sha256Hex } from "../../../domain/digest";
import { findAllInView } from "../../catalog/catalog";
import { usableAmong } from "../../catalog/view";
import type { Context } from "../../context";
import type { Session } from "../../session";
import { explainTools } from "../../tools/explain";
import { serversToFind } from "../../tools/find";
import { storedListingMode } from "../../tools/listing-mode";
import type { Step } from "../../tools/step";

/** Returns the stored front, or `null`. */
export function storedFront({ memory, store }: Session): Front | null {
  memory.front ??= { kept: store.get("front", frontSchema.nullable()) };
  return memory.front.kept;
}

/** Returns the servers whose tools the model finds by search; `null` if they are listed. Calls are checked against what was offered. */
export function findModeInEffect(session: Session): readonly string[] | null {
  const offered = session.state.policy?.delivery === "auto" ? storedFront(session) : storedListingMode(session);
  return offered?.finds ?? null;
}

/** Stores a front. `null`: the next step creates a new one. */
export function storeFront({ memory, store }: Session, front: Front | null): void {
  memory.front = { kept: front };
  store.set("front", front);
}

/** Records that the front changed after this turn, for histories that end with it. */
export function changedSince(session: Session, turn: number): void {
  const front = storedFront(session);
  if (front !== null && front.since > turn) storeFront(session, { ...front, since: turn + 1 });
}

/** What happens to the front in the new turn. */
export interface Renewal {
  /** `null`: it is created anew. */
  front: Front | null;
  /** Skills whose instructions it contains. */
  preload: readonly string[];
}

/**
 * Decides what happens to the front when a turn begins. Skills that can no longer be used leave immediately; everything else waits. The
 * front is created anew for another ghost or other settings; when the cache is cold, if the list has other members or a preloaded skill has
 * another version; and when something else takes the place of what leaves, because it changes anyway.
 */
export async function renewal(context: Context, session: Session, view: View, cold: boolean): Promise<Renewal> {
  const anew: Renewal = { front: null, preload: preloadOf(view) };
  const front = storedFront(session);
  if (front === null || front.basis !== (await basisOf(view))) return anew;
  const names = namesIn(front);
  const now = listed(view.catalog, []);
  if (names.length === 0 && front.more === 0 && hasListed(now)) return anew;
  if (cold && isOther(front, view)) return anew;
  // If the registry is unavailable, nothing is treated as deleted.
  if (context.caller.stale) return { front, preload: front.preloaded.map(({ name }) => name) };
  const [first, versions] = await Promise.all([
    findAllInView(context, view, names),
    usableAmong(context, view, front.preloaded),
  ]);
  const shown = first.filter(({ name, user_only }) => !user_only || view.preload.includes(name));
  const skills = new Map(shown.map(({ name, skill_id }) => [name, skill_id]));
  const left = withoutUnavailable(front, {
    ...{ skills, versions, listable: now.shown.length + now.more },
    servers: new Set(serversOf(view, []).map((server) => server.name)),
  });
  const there = new Set(namesIn(left));
  if (names.some((name) => !there.has(name) && skills.has(name))) return anew;
  const isSame =
    there.size === names.length &&
    left.tools.length === front.tools.length &&
    left.finds?.length === front.finds?.length &&
    left.more === front.more;
  const next = isSame ? front : { ...left, since: session.state.turn + 1 };
  return { front: next, preload: next.preloaded.map(({ name }) => name) };
}

/** Returns the tokens of the skill list in the new turn. `front`: `null` with another delivery. */
export function listCost({ catalog, preload }: View, front: Renewal | null): number {
  if (front !== null) return listTokens(front.front ?? linesOf(catalog, front.preload));
  const list = listed(catalog, preload);
  return hasListed(list) ? list.tokens + LIST_FRAME_TOKENS : 0;
}

/** Returns the skills in the list that the model is shown in the new turn. `front`: as in `listCost`. */
export function skillsListed({ catalog, preload }: View, front: Renewal | null): CatalogEntry[] {
  if (front === null) return listed(catalog, preload).shown;
  const { lines } = front.front ?? linesOf(catalog, front.preload);
  const entries = new Map(catalog.entries.map((entry) => [entry.skill_id, entry]));
  return lines.flatMap(({ skill_id }) => entries.get(skill_id) ?? []);
}

/** Returns the stored front, or a new one, which is stored if `keep` is set. */
export async function frontOf(step: Step, keep: boolean): Promise<Front> {
  const { session, view } = step;
  const stored = storedFront(session);
  if (stored !== null) return stored;
  const made = { ...(await makeFront(step)), basis: await basisOf(view) };
  if (keep) storeFront(session, made);
  return made;
}

/** Adds the tools of servers that connected after the front was created. This is the only addition that does not wait for a cold cache. */
export async function addConnectedServers(step: Step): Promise<void> {
  const { session } = step;
  const front = storedFront(session);
  if (front === null || front.waiting.length === 0) return;
  const made = await makeFront(step);
  if (made.waiting.length < front.waiting.length)
    storeFront(session, {
      ...front,
      preloaded: made.preloaded,
      // A tool search stays a search: it names all servers and finds tools of new ones.
      ...(front.finds === null ? { tools: made.tools, finds: made.finds } : {}),
      waiting: made.waiting,
      since: made.since,
    });
}

async function makeFront(step: Step): Promise<Omit<Front, "basis">> {
  const { session, view } = step;
  const { state, store } = session;
  const { tools, servers } = await step.offered();
  const finds = await serversToFind(step);
  const listing = finds === null ? tools : [];
  const preloaded = activeSkills(state).filter(({ reason }) => reason === "preloaded");
  return {
    since: state.turn,
    system: view.system_prompt,
    ...linesOf(
      view.catalog,
      preloaded.map(({ skill }) => skill.name),
    ),
    preloaded: preloaded.map(({ skill }) => ({
      name: skill.name,
      skill_id: skill.skill_id,
      version_id: skill.version_id,
      text: (store.instructions(skill.version_id) ?? "") + explainTools(tools, [skill.name]),
    })),
    tools: listing.flatMap(({ skill, origin, definition }) =>
      skill === null && "server" in origin && definition !== null ? [{ server: origin.server.name, definition }] : [],
    ),
    waiting: servers.filter(({ state: now }) => now === "connecting").map(({ ref }) => ref.name),
    finds,
  };
}

function basisOf({ system_prompt, selection, preload, shell, ghost }: View): Promise<string> {
  // Increase the number when fronts of earlier gateways lack something.
  return sha256Hex(JSON.stringify([1, system_prompt, selection, preload, shell, ghost]));
}

function isOther(front: Front, view: View): boolean {
  const preload = preloadOf(view);
  const { lines, more } = linesOf(view.catalog, preload);
  const now = new Set([...preload, ...lines.map(({ name }) => name)]);
  const before = namesIn(front);
  const versions = new Map(view.catalog.entries.map(({ name, version_id }) => [name, version_id]));
  const isOld = (skill: Front["preloaded"][number]) => versions.get(skill.name) !== skill.version_id;
  if (front.preloaded.some((skill) => versions.has(skill.name) && isOld(skill))) return true;
  return more !== front.more || before.length !== now.size || before.some((name) => !now.has(name));
}
