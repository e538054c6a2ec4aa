// Token revocation (RFC 7009): a holder of a grant's token can end the grant.

import { sha256Hex } from "../../domain/digest";
import { preRegisteredClientName } from "../../domain/sign-in/pre-registered";
import { readBearer, readRefreshToken } from "../../domain/sign-in/tokens";
import { readGrant, readTokenGrant } from "../../storage/d1/sign-in/grants";
import type { SignInContext } from "./context";
import { endRecorded } from "./exchange";
import { unprovenClient } from "./pre-registered-clients";
import { isOwnRefresh } from "./refresh-tokens";

/**
 * Ends the grant of an access or refresh token. An invalid token, or one of another client, ends nothing and gets the same response, as the
 * standard requires.
 *
 * @param clientId the authenticated client; `null` if none was named, which suffices for public clients
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
