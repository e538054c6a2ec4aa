// Resolves a server's address for this conversation and caller.

import { groupScope, userScope } from "../../domain/access/access";
import { offeredBy, type ServerRef } from "../../domain/conversation/servers";
import { GatewayError } from "../../domain/errors";
import type { AskingServer } from "../../domain/questions/question";
import type { ServerEntry, ServerSource } from "../../domain/servers/entry";
import type { UpstreamTarget } from "../../domain/servers/memory";
import { UpstreamFault } from "../../upstream/fault";
import type { Context } from "../context";
import type { Session } from "../session";
import { connectedServerOf, signedInTarget } from "./signed-in-target";
import { fillServerVariables, fingerprintOfTarget } from "./variables";

/** A server with a resolved address. */
export interface ReachableServer {
  /** Key for stored state: another URL, header or secret is another key. */
  key: string;
  target: UpstreamTarget;
  entry: ServerEntry;
  /** The id of the connection whose token it uses; `null` without one. */
  connection: string | null;
  problem?: never;
}

/** A server that cannot be reached, and why. `unsupported`: it can never be reached from here. */
export interface UnreachableServer {
  problem: string;
  unsupported: boolean;
}

/** Describes the asking server in the gateway's own words. */
export function askingServer({ name }: ServerRef, { target }: ReachableServer): AskingServer {
  return { kind: "server", name, host: new URL(target.url).host };
}

/** Returns the prefix of all keys of a server. */
export function keyStart(ref: ServerRef): string {
  return `${JSON.stringify([ref.skill?.skill_id ?? offeredBy(ref), ref.name]).slice(0, -1)},`;
}

/** Cached per request, not per step or session: a request has several steps, and the next request may fill in other values. */
const known = new WeakMap<Context, WeakMap<ServerRef, Promise<ReachableServer | UnreachableServer>>>();

/** Returns a server's address, resolved once per request. */
export function serverTarget(
  context: Context,
  session: Session,
  ref: ServerRef,
): Promise<ReachableServer | UnreachableServer> {
  const ofRequest = known.get(context) ?? new WeakMap<ServerRef, Promise<ReachableServer | UnreachableServer>>();
  known.set(context, ofRequest);
  const before = ofRequest.get(ref);
  if (before !== undefined) return before;
  const reached = work(context, session, ref);
  ofRequest.set(ref, reached);
  return reached;
}

/** Makes the next use in this request resolve the address again, after the user has signed in. */
export function resolveAgain(context: Context, ref: ServerRef): void {
  known.get(context)?.delete(ref);
}

async function work(context: Context, session: Session, ref: ServerRef): Promise<ReachableServer | UnreachableServer> {
  if (ref.problem !== null) return { problem: ref.problem, unsupported: true };
  const { entry } = ref;
  const filled = await fill(context, session, ref, entry);
  if ("problem" in filled) return { problem: filled.problem, unsupported: false };
  // A server has one session per skill that offers it: two skills share none.
  const { sampling, roots } = context.host ?? {};
  const more = { ...(sampling === undefined ? {} : { sampling }), ...(roots === undefined ? {} : { roots }) };
  // Hosts with other capabilities use another session, because a session declares capabilities once.
  const server = ref.skill === null ? connectedServerOf(context, ref.name, ref.source) : null;
  const signedIn = await signedInTarget(context, { server, entry, oauth: ref.oauth }, filled.target).catch(
    (error: unknown) => {
      if (error instanceof UpstreamFault) return { problem: error.message };
      throw error;
    },
  );
  if ("problem" in signedIn) return { problem: signedIn.problem, unsupported: false };
  const { target, connection } = signedIn;
  // A user who signs in again may have another account, so sessions and lists are not shared between connections.
  const place = connection === null ? filled.fingerprint : `${filled.fingerprint} ${connection}`;
  const names = [ref.skill?.skill_id ?? offeredBy(ref), ref.name, place, ...Object.keys(more)];
  return {
    key: JSON.stringify(names),
    target: { ...target, abilities: { ...target.abilities, ...more } },
    entry,
    connection,
  };
}

/** Returns the scope whose secrets a server uses: its owner's, or `null` for all that the caller can use. */
export function secretsOf({ caller }: Context, source: ServerSource): string | null {
  switch (source.kind) {
    case "ghost":
      return source.shared;
    case "user":
      return userScope(caller.principal.userId);
    case "group":
      return groupScope(source.group);
    default:
      return null;
  }
}

async function fill(context: Context, session: Session, ref: ServerRef, entry: ServerEntry) {
  const place = {
    conversationId: session.id,
    ghostName: session.view?.ghost ?? undefined,
    skillName: ref.skill?.name,
    shared: secretsOf(context, ref.source),
  };
  try {
    const filled = await fillServerVariables(context, place, ref.name, entry);
    if ("problem" in filled) return filled;
    const { target } = filled;
    if (!JSON.stringify(entry).includes("request.id"))
      return { target, fingerprint: await fingerprintOfTarget(context, target) };
    // Values that differ per request must not create another session.
    const lasting = { ...context, caller: { ...context.caller, requestId: "" } };
    const same = await fillServerVariables(lasting, place, ref.name, entry);
    return "problem" in same ? same : { target, fingerprint: await fingerprintOfTarget(context, same.target) };
  } catch (error) {
    if (error instanceof GatewayError && error.code === "unavailable")
      return { problem: "its secrets could not be read" };
    throw error;
  }
}
