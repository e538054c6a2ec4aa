// Reads resources and prompts of a conversation's servers. Only hosts that request them wait for it.

import type { OfferedServer } from "../../domain/conversation/offered";
import type { ServerRef } from "../../domain/conversation/servers";
import { Addresses, serverProviderOf } from "../../domain/servers/library/addresses";
import { type Library, NO_LIBRARY } from "../../domain/servers/library/library";
import { UpstreamFault } from "../../upstream/fault";
import type { Context } from "../context";
import type { Session } from "../session";
import { loadConnections } from "./late-connections";

/** A server with its resources and prompts. */
export interface ServerLibrary {
  ref: ServerRef;
  library: Library;
}

/** Reads outdated libraries of connected servers in parallel, and waits at most `patience`. Failures count as empty. */
export async function readLibraries(
  context: Context,
  session: Session,
  servers: readonly OfferedServer[],
  patience: number,
): Promise<ServerLibrary[]> {
  const open = servers.filter(({ ref, state }) => state === "connected" && isOpen(ref));
  const { waitAtMost, withServer } = await loadConnections();
  const reading = open.map(({ ref }) =>
    withServer(context, session, ref, (upstream) => upstream.library()).then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof UpstreamFault)) throw error;
      },
    ),
  );
  await waitAtMost(reading, patience);
  return cachedLibraries(context, session, servers);
}

/** Returns what is known now, without contacting servers. */
export async function cachedLibraries(
  context: Context,
  session: Session,
  servers: readonly Pick<OfferedServer, "ref" | "state">[],
): Promise<ServerLibrary[]> {
  return Promise.all(
    servers.map(async ({ ref, state }) => {
      const isKnown = state === "connected" && isOpen(ref);
      const known = isKnown ? await (await loadConnections()).cachedLibrary(context, session, ref) : null;
      return { ref, library: known ?? NO_LIBRARY };
    }),
  );
}

/** Returns the URIs of the servers' resources. */
export function libraryAddresses(shelves: readonly ServerLibrary[]): Addresses {
  return new Addresses(shelves.map(({ ref, library }) => ({ owner: serverProviderOf(ref), library })));
}

/** Whether a server's resources and prompts are offered. A guard restricts everything unapproved, and these cannot be approved yet. */
function isOpen({ approved }: ServerRef): boolean {
  return approved === null;
}
