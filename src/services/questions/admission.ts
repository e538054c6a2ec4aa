// Decides who can open a conversation's socket: callers with a key, authenticated by the Worker, and holders of a ticket.

import * as z from "zod";
import { sha256Hex } from "../../domain/digest";
import { GatewayError } from "../../domain/errors";
import { admits, type Grant, grantSchema } from "../../domain/questions/ticket";
import type { Session } from "../session";

/** The header in which the Worker passes the caller to the object. No other client reaches the object. */
export const ADMISSION_HEADER = "x-admission";

/** The header with which the Worker listens for an MCP host whose key it has checked. */
export const LISTEN_HEADER = "x-listen";

/** `allowed`: the settings allow the origin. */
const origin = { origin: z.string().nullable(), allowed: z.boolean() };

export const admissionSchema = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("key"), grant: grantSchema, ...origin }),
    z.object({ kind: z.literal("ticket"), ticket: z.string(), ...origin }),
  ]),
);

export type Admission = z.infer<typeof admissionSchema>;

/**
 * Returns the grant of a ticket, or throws. The first attempt uses the ticket up, even if it is refused. Only a storage failure keeps it
 * valid.
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
  // The same error for a missing ticket and a missing conversation: a forged ticket must not reveal which conversations exist.
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
  return new GatewayError(
    "unauthenticated",
    "UNAUTHENTICATED",
    "The ticket is unknown, used or expired. Request a new one.",
  );
}

function forbiddenOrigin(): GatewayError {
  return new GatewayError(
    "forbidden",
    "FORBIDDEN_ORIGIN",
    "Origin not allowed. The operator can add it to `ALLOWED_ORIGINS`.",
  );
}
