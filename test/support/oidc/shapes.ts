// Claims of tokens from four providers, according to their documentation. The invented names and ids are those of docs/sign-in.md.

import type { TokenShape } from "./provider";

/** A user who signs in, and the principal that the gateway should derive. */
export interface Visitor {
  sub: string;
  shape: TokenShape;
  user: string;
  group: string;
  /** Claims that differ for a member without admin rights. */
  notAdmin: Record<string, unknown>;
  /** A token that the page lists as unsupported for this provider, and the expected status. */
  cannot: { claims: Record<string, unknown>; status: 200 | 401 };
}

const GATEWAY = "https://skills.example.com/mcp";

export const VISITORS: Record<string, Visitor> = {
  Keycloak: {
    sub: "7f9c1f4e-52a5-4a0e-9d3b-2f1d5c6b7a80",
    user: "7f9c1f4e-52a5-4a0e-9d3b-2f1d5c6b7a80",
    group: "research",
    notAdmin: { realm_access: { roles: ["default-roles-example", "admin"] } },
    // The group's path, as sent if step 1 is skipped.
    cannot: { claims: { groups: ["/research"] }, status: 200 },
    shape: {
      sent: "access_token",
      clientId: "chat",
      audience: [GATEWAY, "account"],
      claims: {
        typ: "Bearer",
        azp: "chat",
        acr: "1",
        "allowed-origins": ["https://chat.example.com"],
        realm_access: { roles: ["default-roles-example", "offline_access", "skills-admin"] },
        resource_access: { account: { roles: ["manage-account", "view-profile"] } },
        email_verified: true,
        name: "Ada Example",
        preferred_username: "ada",
        groups: ["research"],
      },
    },
  },
  "Microsoft Entra ID": {
    sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
    user: "00000000-0000-4000-8000-66f3332eca7e",
    group: "11111111-2222-4333-8444-555555555555",
    notAdmin: { roles: ["Skills.Reader"] },
    // Sent if a user has too many groups to list.
    cannot: { claims: { groups: undefined, _claim_names: { groups: "src1" } }, status: 200 },
    shape: {
      sent: "access_token",
      clientId: "66666666-7777-4888-8999-000000000000",
      audience: "22222222-3333-4444-8555-666666666666",
      claims: {
        ver: "2.0",
        tid: "aaaabbbb-0000-4ccc-8111-dddd2222eeee",
        oid: "00000000-0000-4000-8000-66f3332eca7e",
        azp: "66666666-7777-4888-8999-000000000000",
        azpacr: "1",
        scp: "access_as_user",
        name: "Ada Example",
        preferred_username: "ada@example.com",
        roles: ["Skills.Admin"],
        groups: ["11111111-2222-4333-8444-555555555555"],
      },
    },
  },
  Auth0: {
    sub: "auth0|507f1f77bcf86cd799439020",
    user: "auth0:507f1f77bcf86cd799439020",
    group: "research",
    notAdmin: { "https://skills.example.com/roles": [], roles: ["admin"] },
    cannot: { claims: { "https://skills.example.com/user": "auth0|507f1f77bcf86cd799439020" }, status: 401 },
    shape: {
      sent: "access_token",
      clientId: "W1dHk5oQzJ9bYfT3",
      audience: [GATEWAY, "https://example.eu.auth0.com/userinfo"],
      claims: {
        azp: "W1dHk5oQzJ9bYfT3",
        permissions: [],
        "https://skills.example.com/user": "auth0:507f1f77bcf86cd799439020",
        "https://skills.example.com/roles": ["admin"],
        "https://skills.example.com/groups": ["research"],
      },
    },
  },
  Google: {
    sub: "107691503500061507151",
    user: "107691503500061507151",
    group: "example.com",
    notAdmin: { sub: "107691503500061507152", email: "bob@example.com" },
    // An account that belongs to no Workspace.
    cannot: { claims: { hd: undefined }, status: 200 },
    shape: {
      sent: "id_token",
      clientId: "123456789012-abc.apps.googleusercontent.com",
      audience: "123456789012-abc.apps.googleusercontent.com",
      claims: {
        azp: "123456789012-abc.apps.googleusercontent.com",
        hd: "example.com",
        email: "ada@example.com",
        email_verified: true,
        name: "Ada Example",
        picture: "https://lh3.example.com/a",
      },
    },
  },
};
