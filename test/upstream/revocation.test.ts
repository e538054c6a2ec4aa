// Revoking tokens at an issuer never fails, whatever the issuer has chosen.

import { expect, it } from "vitest";
import { revokeTokens } from "../../src/upstream/authorization";
import { expectLog } from "../support/logs";

it("reports a client id that cannot be sent in a header, and continues", async () => {
  expectLog("revocation_failed");
  const server = {
    issuer: "https://issuer.example",
    authorization_endpoint: "https://issuer.example/authorize",
    token_endpoint: "https://issuer.example/token",
    revocation_endpoint: "https://issuer.example/revoke",
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
    response_types_supported: ["code"],
  };
  const client = { client_id: "客户", client_secret: "s", token_endpoint_auth_method: "client_secret_basic" };
  const tokens = [{ token: "t", hint: "access_token" }];
  expect(await revokeTokens(server, { client, tokens }, false)).toBeUndefined();
});
