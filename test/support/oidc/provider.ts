// A local OpenID Connect provider (npm `oidc-provider`) that imitates a real one: it uses that provider's issuer, key path and claims.
// Users sign in with the authorization code flow.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import Provider from "oidc-provider";
import * as z from "zod";

/** The properties of a real provider's tokens. */
export interface TokenShape {
  /** The token that clients send to the gateway. */
  sent: "access_token" | "id_token";
  clientId: string;
  audience: string | string[];
  claims: Record<string, unknown>;
}

const BACK = "https://app.example/back";
const RESOURCE = "urn:gateway";
const ALGORITHM = "RS256";
const tokensSchema = z.object({ access_token: z.string(), id_token: z.string() });

export class StandIn {
  private readonly server = createServer((request, response) => {
    const signIn = /^\/interaction\//.test(request.url ?? "");
    const done = signIn
      ? this.provider.interactionFinished(request, response, { login: { accountId: this.account } })
      : this.provider.callback()(request, response);
    done.catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))));
  });
  private readonly provider: Provider;
  private account = "";
  private origin = "";

  private constructor(
    issuer: string,
    private readonly keysPath: string,
    private readonly shape: TokenShape,
    private readonly key: CryptoKey,
    private readonly publicKey: CryptoKey,
    jwk: JWK,
  ) {
    const { clientId, audience, claims, sent } = shape;
    this.provider = new Provider(issuer, {
      jwks: { keys: [jwk] },
      cookies: { keys: ["of a test"] },
      routes: { jwks: keysPath },
      clients: [{ client_id: clientId, client_secret: "of a test", redirect_uris: [BACK] }],
      clientAuthMethods: ["client_secret_basic"],
      pkce: { required: () => false },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...claims }) }),
      claims: { openid: ["sub", ...Object.keys(claims)] },
      extraTokenClaims: () => claims,
      ttl: { AccessToken: 3_600, AuthorizationCode: 60, Grant: 3_600, IdToken: 3_600, Interaction: 60, Session: 60 },
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({ clientId, accountId: this.account });
        grant.addOIDCScope("openid");
        grant.addResourceScope(RESOURCE, "use");
        await grant.save();
        return grant;
      },
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: sent === "access_token",
          defaultResource: () => RESOURCE,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: "use",
            accessTokenFormat: "jwt",
            jwt: { sign: { alg: ALGORITHM } },
          }),
        },
      },
      formats: {
        customizers: {
          // The real providers do not follow RFC 9068, which requires the `typ` `at+jwt`.
          jwt: (_, __, token) => {
            token.header = { ...token.header, typ: "JWT" };
            token.payload.aud = audience;
          },
        },
      },
    });
  }

  /** @param keysUrl key URL of the real provider; only its path is used */
  static async start(issuer: string, keysUrl: string, shape: TokenShape): Promise<StandIn> {
    const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: "one", use: "sig" };
    const one = new StandIn(issuer, new URL(keysUrl).pathname, shape, privateKey, publicKey, jwk);
    await new Promise<void>((listening) => one.server.listen(0, "127.0.0.1", listening));
    const { port } = one.server.address() as AddressInfo;
    one.origin = `http://127.0.0.1:${port}`;
    return one;
  }

  get keysUrl(): string {
    return this.origin + this.keysPath;
  }

  /** Signs a user in, as a browser and its back end do. */
  async signIn(account: string): Promise<string> {
    this.account = account;
    const { clientId, sent } = this.shape;
    const scope = sent === "access_token" ? "openid use" : "openid";
    const asked = new URLSearchParams({ client_id: clientId, redirect_uri: BACK, response_type: "code", scope });
    const cookies = new Map<string, string>();
    let next = `${this.origin}/auth?${asked}`;
    while (!next.startsWith(BACK)) {
      const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
      const answer = await fetch(next, { redirect: "manual", headers: { cookie } });
      const location = answer.headers.get("location");
      if (location === null) throw new Error(`${next}: ${answer.status} ${await answer.text()}`);
      for (const set of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      next = new URL(location, next).href;
    }
    const code = new URL(next).searchParams.get("code") ?? "";
    const answer = await fetch(`${this.origin}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent("of a test")}`)}` },
      body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: BACK }),
    });
    if (!answer.ok) throw new Error(`/token: ${answer.status} ${await answer.text()}`);
    return tokensSchema.parse(await answer.json())[sent];
  }

  /** Returns the token with changed claims, signed by the same key. */
  async altered(token: string, claims: JWTPayload): Promise<string> {
    const { kid } = decodeProtectedHeader(token);
    const header = { alg: ALGORITHM, typ: "JWT", ...(kid === undefined ? {} : { kid }) };
    return new SignJWT({ ...decodeJwt(token), ...claims }).setProtectedHeader(header).sign(this.key);
  }

  /** Returns two forged tokens with the same claims: one unsigned, one signed with the public key as an HMAC secret. */
  async forged(token: string): Promise<{ none: string; hs256: string }> {
    const claims = decodeJwt(token);
    const known = new TextEncoder().encode(JSON.stringify(await exportJWK(this.publicKey)));
    const header = { alg: "HS256", typ: "JWT", kid: "one" };
    return {
      none: new UnsecuredJWT(claims).encode(),
      hs256: await new SignJWT(claims).setProtectedHeader(header).sign(known),
    };
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(() => closed()));
  }
}
