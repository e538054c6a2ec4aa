// A local OpenID Connect issuer of an organization: npm `oidc-provider` with dynamic registration, PKCE, resource indicators and signed
// access tokens. Its page signs every visitor in as the account that the test names, without asking.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider from "oidc-provider";

/** The gateway's client registration at the issuer. */
export interface OwnClient {
  id: string;
  secret: string;
  redirectUri: string;
}

export class Organization {
  /** Account of the next visitor, and its groups. */
  account = "";
  groups: string[] = [];
  private readonly provider: Provider;

  private constructor(
    readonly issuer: string,
    private readonly server: ReturnType<typeof createServer>,
    jwk: JWK,
    own: OwnClient,
  ) {
    this.provider = new Provider(issuer, {
      jwks: { keys: [jwk] },
      cookies: { keys: ["of a test"] },
      clients: [{ client_id: own.id, client_secret: own.secret, redirect_uris: [own.redirectUri] }],
      // The gateway reads only the ID token, so it must contain all claims.
      conformIdTokenClaims: false,
      scopes: ["openid", "profile", "offline_access", "mcp"],
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, groups: this.groups }) }),
      claims: { openid: ["sub", "groups"] },
      ttl: { AccessToken: 3_600, AuthorizationCode: 60, Grant: 3_600, IdToken: 3_600, Interaction: 60, Session: 60 },
      loadExistingGrant: async ({ oidc }) => {
        const { params, client } = oidc;
        if (client === undefined) return undefined;
        const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: this.account });
        grant.addOIDCScope("openid profile offline_access mcp");
        if (typeof params?.resource === "string") grant.addResourceScope(params.resource, "mcp");
        await grant.save();
        return grant;
      },
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_, resource) => ({
            scope: "mcp",
            audience: resource,
            accessTokenFormat: "jwt",
            jwt: { sign: { alg: "RS256" } },
          }),
        },
      },
    });
    server.on("request", (request, response) => {
      const signIn = /^\/interaction\//.test(request.url ?? "");
      const allowed = { login: { accountId: this.account }, consent: {} };
      const done = signIn
        ? this.provider.interactionFinished(request, response, allowed)
        : this.provider.callback()(request, response);
      done.catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))));
    });
  }

  static async start(own: OwnClient): Promise<Organization> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: "one", use: "sig" };
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    return new Organization(`http://127.0.0.1:${port}`, server, jwk, own);
  }

  get keysUrl(): string {
    return `${this.issuer}/jwks`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(() => closed()));
  }
}
