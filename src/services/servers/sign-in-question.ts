// Asks the user to sign in to a server during a call, and lets the call wait for it: with a link in a question to the calling MCP host or to
// a page, otherwise with a link that the caller shows, otherwise with the link in the result.

import { CONNECTION_TIMES } from "../../domain/connections/limits";
import { refusalIn } from "../../domain/errors";
import { openConnectRequest } from "../../storage/d1/servers/connect-requests";
import { connectionAtPrimary } from "../../storage/d1/servers/connections";
import type { CallQuestionHandler } from "../../upstream/server-questions";
import { CONNECT_PAGES, type ConnectLink, type ServerToConnect } from "../connections/connect";
import { noteConnection } from "../connections/tokens";
import type { Context } from "../context";
import type { SignInWaits } from "../sign-in-waits";
import { connectServer, scopesSoFar } from "./connect-server";

/** Whether the user is signed in now; otherwise a sentence for the model. */
export type SignInResult = { signedIn: true } | { signedIn: false; told: string };

/** Where the call runs. */
export interface WaitingCall {
  conversation: string;
  callId: string;
  signal: AbortSignal;
  /** The connection that does not suffice. */
  connection: string | null;
  /** The scopes that the call requires in addition. */
  scope: string | null;
  /** The callers that show links. */
  callers: SignInWaits;
}

/**
 * Returns when the user has signed in, has declined, or cannot be asked.
 *
 * @throws SignInDeferred if the caller repeats the call later
 * @param handler sends questions of the call
 */
export async function askToSignIn(
  context: Context,
  server: ServerToConnect,
  { conversation, callId, signal, connection, scope, callers }: WaitingCall,
  handler: CallQuestionHandler | undefined,
): Promise<SignInResult> {
  const link = await linkFor(context, server, scope, { conversation, question: callId });
  if ("told" in link) return { signedIn: false, told: link.told };
  const withLink = `Ask the user to open this link and sign in, and call the tool again afterwards: ${link.url}`;
  if (handler === undefined || context.waitForSignIn === undefined) return { signedIn: false, told: withLink };
  const message = `Sign in to ${server.server} so that this conversation can use it.`;
  const over = new AbortController();
  const asked = handler.answer([
    {
      key: "sign-in",
      method: "elicitation/create",
      params: { mode: "url", message, url: link.url, elicitationId: link.id },
    },
  ]);
  asked.catch(() => undefined);
  const signedIn = waitForConnection(context, server, {
    until: link.expiresAt,
    except: connection,
    signal: AbortSignal.any([signal, over.signal]),
  });
  try {
    // The user can follow the link without answering the question.
    const [outcome] = await Promise.race([asked, signedIn.then(() => [])]);
    if (outcome === undefined) return { signedIn: true };
    if (handler.remarks.length > 0) {
      const expires_at = new Date(link.expiresAt).toISOString();
      const shown = { server: server.server, url: link.url, expires_at };
      return (await callers.wait(callId, shown, signedIn)) ? { signedIn: true } : { signedIn: false, told: withLink };
    }
    if (outcome.result?.action !== "accept")
      return { signedIn: false, told: `The user has not signed in to ${server.server}.` };
    return (await signedIn) ? { signedIn: true } : { signedIn: false, told: withLink };
  } finally {
    over.abort();
  }
}

/** Returns a link for this call: an earlier one that can still be used, for a repeated call, or a new one. */
async function linkFor(
  context: Context,
  server: ServerToConnect,
  scope: string | null,
  waiting: { conversation: string; question: string },
): Promise<ConnectLink | { told: string }> {
  const { origin } = context;
  const { userId } = context.caller.principal;
  if (origin === undefined) return { told: NO_ORIGIN };
  const of = { userId, scope: server.scope, server: server.server, url: server.target.url };
  const open = scope === null ? await openConnectRequest(context.db, of) : null;
  if (open !== null) return { ...open, url: `${origin}${CONNECT_PAGES}/${open.id}` };
  try {
    return await connectServer(context, server.server, {
      origin,
      waiting,
      more: await scopesSoFar(context, of, scope),
    });
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === null) throw error;
    return { told: refusal.message };
  }
}

const NO_ORIGIN = "The server requires you to sign in. Connect it with POST /api/v1/mcp-servers/{name}/connect.";

/** Returns `true` when the user is connected, or `false` when the link has expired. */
async function waitForConnection(
  context: Context,
  server: ServerToConnect,
  { until, except, signal }: { until: number; except: string | null; signal: AbortSignal },
): Promise<boolean> {
  const { userId } = context.caller.principal;
  for (let pause: number = CONNECTION_TIMES.askPoll; !signal.aborted; ) {
    const row = await connectionAtPrimary(context.db, userId, server);
    if (row?.state === "active" && row.id !== except && row.url === server.target.url) {
      noteConnection(context, row);
      return true;
    }
    if (context.now() + pause > until) return false;
    // The page's callback wakes the conversation. The interval is for a callback whose notice was lost.
    await context.waitForSignIn?.(pause);
    pause = Math.min(2 * pause, CONNECTION_TIMES.askPollMost);
  }
  // Nobody waits any more.
  return new Promise<never>(() => undefined);
}
