// Derives from a connection: the offered tools, the server's status, and warnings for its owner.

import type { OfferedServer } from "../../domain/conversation/offered";
import type { ServerRef } from "../../domain/conversation/servers";
import { breakerState } from "../../domain/servers/breaker";
import { passes, restrictedToolTexts } from "../../domain/servers/guard";
import { connectTool, SIGN_IN_NEEDED } from "../../domain/servers/sign-in";
import { idleNames, isAllowed } from "../../domain/servers/tool-filter";
import type { LiveConnection } from "../session-memory";
import type { ReachableServer } from "./target";

/** Returns what is offered of a server now. */
export function offeredServerOf(
  ref: ServerRef,
  aim: ReachableServer,
  live: LiveConnection,
  now: number,
): OfferedServer {
  const { list: known, breaker } = live.upstream.memory;
  const { error, latency } = live;
  const needsSignIn = error === SIGN_IN_NEEDED;
  // Known tools stay offered: their calls ask the user to sign in.
  const usable = known !== null && (error === null || needsSignIn) ? known.tools : [];
  const allowed = usable.filter(({ name }) => isAllowed(aim.entry, name));
  const passed = allowed.filter((tool) => passes(ref.approved, tool));
  const tools = needsSignIn && passed.length === 0 ? [connectTool(ref.name)] : passed;
  const restricted = allowed.filter((tool) => !passes(ref.approved, tool)).map(({ name }) => name);
  const isOpen = breakerState(breaker, now) === "open";
  const state = isOpen
    ? "open"
    : needsSignIn
      ? "sign_in"
      : error !== null
        ? "failed"
        : known === null
          ? "connecting"
          : "connected";
  const shownError = error ?? (isOpen ? breaker.last : null);
  return {
    ref,
    state,
    tools,
    restricted,
    error: shownError,
    latency,
    problems:
      known === null
        ? []
        : [
            ...known.problems,
            ...restrictedToolTexts(ref.approved ?? {}, restricted),
            ...idleNames(
              aim.entry,
              known.tools.map(({ name }) => name),
            ),
          ],
  };
}
