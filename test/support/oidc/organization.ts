// An organization's own OpenID Connect issuer on this machine: npm `oidc-provider` with dynamic registration, PKCE, resource indicators and
// signed access tokens. Who comes to its page is signed in as whoever the test names, and asked nothing.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider from "oidc-provider";

/** The gateway's client there. */
export interface OwnClient {
  id: string;
  secret: string;
  redirectUri: string;
}

export class Organization {
  /** Whom the next visitor is signed in as, and in which groups. */
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
      // The gateway reads the ID token and nothing else.
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
