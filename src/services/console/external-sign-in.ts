// Signs in to the console at the configured issuer, with the code flow and callback of MCP hosts, and a single-use transaction of its own.

import { isConsolePath } from "../../domain/console/place";
import type { NewSession } from "../../domain/console/session";
import { sha256Hex } from "../../domain/digest";
import { consumeConsolePage, insertConsolePage } from "../../storage/d1/sign-in/pages";
import type { IdentityRequest } from "../access/identity";
import { type Address, countPageOpened } from "../sign-in/budget";
import type { SignInContext } from "../sign-in/context";
import { beginExternalSignIn, externalIdentityOf, type IssuerAnswer } from "../sign-in/external-issuer";
import { sessionFromIssuer } from "./sign-in";

const CONSOLE_PAGE = "sic";

/** Whether a transaction id belongs to the console. */
export function isConsoleTransaction(id: string): boolean {
  return id.startsWith(`${CONSOLE_PAGE}_`);
}

/** Starts the sign-in. Returns the transaction's id and the URL to redirect the browser to. */
export async function beginExternalConsoleSignIn(
  context: SignInContext,
  looking: IdentityRequest,
  address: Address,
  { secret, returnTo, callback }: { secret: string; returnTo: string; callback: string },
): Promise<{ id: string; location: string }> {
  await countPageOpened(context, address);
  const id = context.newId(CONSOLE_PAGE);
  const location = await beginExternalSignIn(context, looking, id, secret, callback);
  await insertConsolePage(context.db, { id, browser: await sha256Hex(secret) }, returnTo);
  return { id, location };
}

/** The session to start and the path to return to, or an error message. */
export type ExternalSignInResult = { session: NewSession; returnTo: string } | { problem: string };

const ENDED = "This sign-in expired (10 minutes), was already completed, or belongs to another browser. Start again.";

/** Handles the issuer's response, once. */
export async function finishExternalConsoleSignIn(
  context: SignInContext,
  looking: IdentityRequest,
  { id, secret, callback }: { id: string; secret: string; callback: string },
  answer: IssuerAnswer,
): Promise<ExternalSignInResult> {
  const returnTo = await consumeConsolePage(context.db, { id, browser: await sha256Hex(secret) });
  if (returnTo === null || !isConsolePath(returnTo)) return { problem: ENDED };
  const who = await externalIdentityOf(context, looking, id, secret, answer, callback);
  return "problem" in who ? { problem: who.problem } : { session: await sessionFromIssuer(context, who), returnTo };
}
