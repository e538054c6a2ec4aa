// Actions that a session can only perform shortly after its user signed in.

import { describe, expect, it } from "vitest";
import { isDangerous, requireFreshSignIn } from "../../../src/domain/console/dangerous";
import { readSessionId, writeSessionSecret } from "../../../src/domain/console/session";

describe("a dangerous request", () => {
  it.each([
    "POST /api/v1/keys",
    "POST /api/v1/keys/k/rotate",
    "POST /api/v1/links",
    "POST /api/v1/sign-ins",
    "PUT /api/v1/oauth-clients/c",
    "PUT /api/v1/secrets/NAME",
    "DELETE /api/v1/secrets/NAME/",
    "PUT /api/v1/models/m",
    "PUT /api/v1/me/skill-env/s",
    "DELETE /api/v1/kinds/skills/s/env",
    "PUT /api/v1/kinds/skills/s/network",
    "PUT /api/v1/mcp-servers/s",
    "DELETE /api/v1/users/somebody",
    "GET /api/v1/users/somebody/export",
    "DELETE /api/v1/groups/g",
    "PUT /api/v1/groups/g/members/u",
    "DELETE /api/v1/kinds/skills/s",
    "PUT /api/v1/kinds/skills/s/versions/v/verdict",
    "POST /api/v1/what/is/new",
  ])("%s is one", (request) => {
    const [method = "", path = ""] = request.split(" ");
    expect(isDangerous(method, path)).toBe(true);
  });

  it.each([
    "GET /api/v1/keys",
    "DELETE /api/v1/keys/k",
    "GET /api/v1/audit",
    "GET /api/v1/executor",
    "GET /api/v1/secrets",
    "GET /api/v1/kinds/skills/s/network",
    "POST /api/v1/groups",
    "POST /api/v1/kinds/skills/upload",
    "POST /api/v1/conversations/c/turns",
    "POST /openai/v1/chat/completions",
    "DELETE /api/v1/sessions/s",
    "DELETE /console/api/session",
  ])("%s is not dangerous", (request) => {
    const [method = "", path = ""] = request.split(" ");
    expect(isDangerous(method, path)).toBe(false);
  });

  it("is refused in an old session alone", () => {
    const session = { id: "s", signedInAt: 0, endsAt: 1, via: "key", keyId: null, mark: null } as const;
    expect(() => requireFreshSignIn({ session: { ...session, isFresh: false } })).toThrow(/Sign in again/);
    expect(() => requireFreshSignIn({ session: { ...session, isFresh: true } })).not.toThrow();
    expect(() => requireFreshSignIn({})).not.toThrow();
  });
});

describe("a session's secret", () => {
  it("names its session, and nothing else does", () => {
    const secret = writeSessionSecret("01KBXYZ3M5", new Uint8Array(32).fill(7));
    expect(readSessionId(secret)).toBe("01KBXYZ3M5");
    for (const other of ["", secret.slice(1), `${secret}0`, secret.toUpperCase(), ` ${secret}`, `${secret}\n`])
      expect([other, readSessionId(other)]).toEqual([other, null]);
  });
});
