// Redirect URIs as attackers write them, for tests of the rule and of the endpoint that applies it.

/** Always rejected, registered or not. */
export const NEVER_USED: readonly string[] = [
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

export const REGISTERED_ADDRESSES = [
  "http://127.0.0.1:33418/callback",
  "http://localhost/cb?x=1",
  "https://app.example/back",
];

/** Equal to the registered ones. The port on the user's machine can differ. */
export const SAME_ADDRESSES = [
  "http://127.0.0.1/callback",
  "http://127.0.0.1:50123/callback",
  "http://localhost:8/cb?x=1",
];

/** Valid, but not equal to any registered one. */
export const OTHER_ADDRESSES: readonly string[] = [
  ...["http://127.0.0.1:33418/callback/", "http://127.0.0.1:33418/callback?x", "http://127.0.0.1:33418/Callback"],
  ...["http://127.0.0.1:33418/call%62ack", "http://127.0.0.1:33418/x/../callback", "http://localhost:33418/callback"],
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
