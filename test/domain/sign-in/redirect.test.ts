// Redirect URIs: which are accepted, where they lead, and which count as equal.

import { describe, expect, it } from "vitest";
import { destinationOf, isRegistered, withAnswer } from "../../../src/domain/sign-in/redirect";
import { NEVER_USED, OTHER_ADDRESSES, REGISTERED_ADDRESSES, SAME_ADDRESSES } from "../../support/redirect-spellings";

/** URIs that real MCP hosts register, and the destination of the response for each. */
const USABLE: [string, ReturnType<typeof destinationOf>][] = [
  ["https://claude.ai/api/mcp/auth_callback", { kind: "site", host: "claude.ai" }],
  ["https://app.example:8443/back?of=host", { kind: "site", host: "app.example:8443" }],
  ["http://localhost/callback", { kind: "machine", host: "localhost" }],
  ["http://127.0.0.1:33418/", { kind: "machine", host: "127.0.0.1:33418" }],
  ["http://[::1]:8080/callback", { kind: "machine", host: "[::1]:8080" }],
  ["cursor://anysphere.cursor-mcp/oauth/callback", { kind: "app", scheme: "cursor" }],
  ["com.example.app:/oauth", { kind: "app", scheme: "com.example.app" }],
];

describe("a redirect URI", () => {
  it.each(USABLE)("%s redirects to the displayed target", (uri, to) => {
    expect(destinationOf(uri)).toEqual(to);
    expect(isRegistered([uri], uri)).toBe(true);
  });

  it.each(NEVER_USED)("%j is never used, registered or not", (uri) => {
    expect(destinationOf(uri)).toBeNull();
    expect(isRegistered([uri], uri)).toBe(false);
  });

  it("may have another port on the user's machine, and nothing else may differ", () => {
    for (const same of SAME_ADDRESSES) expect([same, isRegistered(REGISTERED_ADDRESSES, same)]).toEqual([same, true]);
    for (const other of OTHER_ADDRESSES)
      expect([other, isRegistered(REGISTERED_ADDRESSES, other)]).toEqual([other, false]);
  });

  it("keeps its own query before the response, and encodes the response", () => {
    expect(withAnswer("https://a.example/b?x=1", { code: "c", state: null })).toBe("https://a.example/b?x=1&code=c");
    const answer = { state: "&code=evil#x", error: "access_denied" };
    const url = new URL(withAnswer("cursor://a/b", answer));
    expect([Object.fromEntries(url.searchParams), url.hash]).toEqual([answer, ""]);
  });
});
