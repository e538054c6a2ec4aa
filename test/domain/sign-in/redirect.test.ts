// Which redirect URIs are ever used, where they lead, and what counts as the same one.

import { describe, expect, it } from "vitest";
import { destinationOf, isRegistered, withAnswer } from "../../../src/domain/sign-in/redirect";

/** As real hosts register them, and where an answer then goes. */
const USABLE: [string, ReturnType<typeof destinationOf>][] = [
  ["https://claude.ai/api/mcp/auth_callback", { kind: "site", host: "claude.ai" }],
  ["https://app.example:8443/back?of=host", { kind: "site", host: "app.example:8443" }],
  ["http://localhost/callback", { kind: "machine", host: "localhost" }],
  ["http://127.0.0.1:33418/", { kind: "machine", host: "127.0.0.1:33418" }],
  ["http://[::1]:8080/callback", { kind: "machine", host: "[::1]:8080" }],
  ["cursor://anysphere.cursor-mcp/oauth/callback", { kind: "app", scheme: "cursor" }],
  ["com.example.app:/oauth", { kind: "app", scheme: "com.example.app" }],
];

const NEVER: string[] = [
  ...["http://app.example/back", "http://10.0.0.1/back", "http://127.0.0.2/back", "http://localhost.evil.example/back"],
  ...[
    "http://user@127.0.0.1/back",
    "http://127.0.0.1@evil.example/back",
    "http://127.0.0.1:0/back",
    "http://127.0.0.1:99999/",
  ],
  ...["https://user:pass@app.example/back", "https://app.example/back#x", "https://app.example\\@evil.example/back"],
  ...["https:app.example/back", "https:///app.example/back", "HTTPS://app.example/back", "https://APP.example/back"],
  ...[
    "https://app.example:443/back",
    "https://app.example/ba ck",
    "https://app.example/back\n",
    "https://аpp.example/back",
  ],
  ...[
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://a/b",
  ],
  ...[
    "about:blank",
    "view-source:https://a",
    "intent://x#Intent;end",
    "mailto:a@b",
    "ws://a/b",
    "ftp://a/b",
    "urn:ietf:wg:oauth:2.0:oob",
  ],
  ...[
    "ms-word:ofe|u|https://evil.example",
    "chrome-extension://abc/back",
    "httpx://a/b",
    "//evil.example/back",
    "/back",
    "back",
    "",
  ],
  `https://app.example/${"a".repeat(2_100)}`,
];

describe("a redirect URI", () => {
  it.each(USABLE)("%s leads where the page says", (uri, to) => {
    expect(destinationOf(uri)).toEqual(to);
    expect(isRegistered([uri], uri)).toBe(true);
  });

  it.each(NEVER)("%j is never used, registered or not", (uri) => {
    expect(destinationOf(uri)).toBeNull();
    expect(isRegistered([uri], uri)).toBe(false);
  });

  it("may have another port on the user's machine, and nothing else may differ", () => {
    const registered = ["http://127.0.0.1:33418/callback", "http://localhost/cb?x=1", "https://app.example/back"];
    for (const same of ["http://127.0.0.1/callback", "http://127.0.0.1:50123/callback", "http://localhost:8/cb?x=1"])
      expect([same, isRegistered(registered, same)]).toEqual([same, true]);
    const others = [
      ...["http://127.0.0.1:33418/callback/", "http://127.0.0.1:33418/callback?x", "http://127.0.0.1:33418/Callback"],
      ...[
        "http://127.0.0.1:33418/call%62ack",
        "http://127.0.0.1:33418/x/../callback",
        "http://localhost:33418/callback",
      ],
      ...[
        "http://[::1]:33418/callback",
        "http://localhost/cb",
        "http://localhost/cb?x=2",
        "https://127.0.0.1:33418/callback",
      ],
      ...[
        "https://app.example:8443/back",
        "https://app.example/back/",
        "https://app.example/back?",
        "https://www.app.example/back",
      ],
      ...["https://app.example/back/../back", "https://app.example/%62ack", "https://app.example.evil.example/back"],
    ];
    for (const other of others) expect([other, isRegistered(registered, other)]).toEqual([other, false]);
  });

  it("keeps its own query in front of the answer, and no part of an answer escapes its place", () => {
    expect(withAnswer("https://a.example/b?x=1", { code: "c", state: null })).toBe("https://a.example/b?x=1&code=c");
    const answer = { state: "&code=evil#x", error: "access_denied" };
    const url = new URL(withAnswer("cursor://a/b", answer));
    expect([Object.fromEntries(url.searchParams), url.hash]).toEqual([answer, ""]);
  });
});
