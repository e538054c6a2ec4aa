// What the servers of a conversation have beside tools. A host asks for it; who does not is never made to wait for it.

import type { OfferedServer } from "../../domain/conversation/offered";
import type { ServerRef } from "../../domain/conversation/servers";
import { Addresses, serverProviderOf } from "../../domain/servers/library/addresses";
import { type Library, NO_LIBRARY } from "../../domain/servers/library/library";
import { UpstreamFault } from "../../upstream/fault";
import type { Context } from "../context";
import type { Session } from "../session";
import { cachedLibrary, waitAtMost, withServer } from "./connections";

/** A server with what it has. */
export interface ServerLibrary {
  ref: ServerRef;
  library: Library;
}

/** Reads what is not fresh of connected servers, side by side, and waits for it as long as `patience` says. What fails has nothing. */
export async function readLibraries(
  context: Context,
  session: Session,
  servers: readonly OfferedServer[],
  patience: number,
): Promise<ServerLibrary[]> {
  const open = servers.filter(({ ref, state }) => state === "connected" && isOpen(ref));
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

/** The same as it is known now. Asks no server. */
export async function cachedLibraries(
  context: Context,
  session: Session,
  servers: readonly Pick<OfferedServer, "ref" | "state">[],
): Promise<ServerLibrary[]> {
  return Promise.all(
    servers.map(async ({ ref, state }) => {
      const known = state === "connected" && isOpen(ref) ? await cachedLibrary(context, session, ref) : null;
      return { ref, library: known ?? NO_LIBRARY };
    }),
  );
}

/** The addresses of what servers have. */
export function libraryAddresses(shelves: readonly ServerLibrary[]): Addresses {
  return new Addresses(shelves.map(({ ref, library }) => ({ owner: serverProviderOf(ref), library })));
}

/** Whether a server's lists are offered. What a guard withholds is what nobody has approved, and nobody can approve these yet. */
function isOpen({ approved }: ServerRef): boolean {
  return approved === null;
}
