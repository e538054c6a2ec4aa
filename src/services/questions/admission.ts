// Who may open the conversation's socket: holders of a key, whom the Worker has authenticated, and holders of a ticket.

import * as z from "zod";
import { sha256Hex } from "../../domain/digest";
import { GatewayError } from "../../domain/errors";
import { admits, type Grant, grantSchema } from "../../domain/questions/ticket";
import type { Session } from "../session";

/** The header in which the Worker tells the object whom it sends. Nobody else reaches the object. */
export const ADMISSION_HEADER = "x-admission";

/** The header with which the Worker itself listens, for an MCP host whose key it has checked. */
export const LISTEN_HEADER = "x-listen";

/** `allowed`: the gateway's settings name the origin. */
const origin = { origin: z.string().nullable(), allowed: z.boolean() };

export const admissionSchema = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("key"), grant: grantSchema, ...origin }),
    z.object({ kind: z.literal("ticket"), ticket: z.string(), ...origin }),
  ]),
);

export type Admission = z.infer<typeof admissionSchema>;

/**
 * The grant that admits, or the refusal. The first try uses a ticket up, also one that is refused. Only when storage does not
 * answer it stays good.
 */
export async function grantFor(
  session: Session | null,
  admission: Admission,
  now: number,
  isLive: (grant: Grant) => Promise<boolean>,
): Promise<Grant> {
  if (admission.kind === "key") {
    if (!admits(admission.grant, admission.origin, admission.allowed)) throw forbiddenOrigin();
    return admission.grant;
  }
  // The same words whether there is no ticket or no conversation: a forged ticket must not tell which conversations exist.
  if (session === null) throw badTicket();
  const hash = await sha256Hex(admission.ticket);
  const grant = session.store.tickets.get(hash, now);
  if (grant === null) throw badTicket();
  const live = await isLive(grant);
  if (!session.store.exists() || !session.store.tickets.take(hash) || !live) throw badTicket();
  if (!admits(grant, admission.origin, admission.allowed)) throw forbiddenOrigin();
  return grant;
}

export function badTicket(): GatewayError {
  return new GatewayError("unauthenticated", "UNAUTHENTICATED", "The ticket is unknown, used or too old.");
}

function forbiddenOrigin(): GatewayError {
  return new GatewayError("forbidden", "FORBIDDEN_ORIGIN", "Pages of this origin may not connect.");
}
