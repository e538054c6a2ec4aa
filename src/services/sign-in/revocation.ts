// RFC 7009: whoever holds a token of a grant may end the grant.

import { sha256Hex } from "../../domain/digest";
import { preRegisteredClientName } from "../../domain/sign-in/pre-registered";
import { readBearer, readRefreshToken } from "../../domain/sign-in/tokens";
import { readGrant, readTokenGrant } from "../../storage/d1/sign-in/grants";
import type { SignInContext } from "./context";
import { endRecorded } from "./exchange";
import { unprovenClient } from "./pre-registered-clients";
import { isOwnRefresh } from "./refresh-tokens";

/**
 * Ends the grant of a token, of whichever kind it is. A token that is none, or of another client, ends nothing: who shows it hears the
 * same, as the standard wants it.
 *
 * @param clientId who has shown it, and has proven so; `null` where nobody says so, which is enough for programs without a secret
 */
export async function revokeToken(context: SignInContext, text: string, clientId: string | null): Promise<void> {
  const grant = await grantOf(context, text);
  if (grant === null || (clientId !== null && clientId !== grant.clientId)) return;
  if (clientId === null && preRegisteredClientName(grant.clientId) !== null) throw unprovenClient();
  await endRecorded(context, { userId: grant.userId, grantId: grant.id }, "revoked");
}

async function grantOf({ db, settings }: SignInContext, text: string) {
  const refresh = readRefreshToken(text);
  if (refresh !== null) {
    const [grant, isOwn, hash] = await Promise.all([
      readGrant(db, refresh.grantId),
      isOwnRefresh(settings, refresh),
      sha256Hex(text),
    ]);
    return grant !== null && (isOwn || hash === grant.current || hash === grant.previous) ? grant : null;
  }
  const tokenId = readBearer("sga", text);
  const found = tokenId === null ? null : await readTokenGrant(db, tokenId);
  return found !== null && found.hash === (await sha256Hex(text)) ? found : null;
}
