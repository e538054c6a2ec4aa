// Requests of skill code: the destinations, and where a value goes.

import { describe, expect, it } from "vitest";
import {
  bytesOfLatin1,
  CODE_REQUESTS,
  type CodeNetwork,
  type CodeRequest,
  latin1,
  prepareRequest,
} from "../../../src/domain/code/network";

const PLACEHOLDER = "skillgate_TOKEN_0123456789abcdef01234567";
const OTHER = "skillgate_OTHER_0123456789abcdef01234567";
const NETWORK: CodeNetwork = {
  declared: ["api.example.org", "files.example.org", "new.example.org", "odd.example.org:8443"],
  hosts: ["api.example.org", "files.example.org", "odd.example.org:8443"],
  values: [
    { name: "TOKEN", value: "the-secret-value", placeholder: PLACEHOLDER, hosts: ["api.example.org"] },
    { name: "OTHER", value: "another-secret", placeholder: OTHER, hosts: ["api.example.org", "files.example.org"] },
  ],
};

const asked = (more: Partial<CodeRequest> = {}): CodeRequest => ({
  ...{ url: "https://api.example.org/v1", method: "GET", headers: [], body: null },
  ...more,
});
const prepared = (more: Partial<CodeRequest>) => prepareRequest(asked(more), NETWORK, false);
const problemOf = (more: Partial<CodeRequest>) => {
  const result = prepared(more);
  return "problem" in result ? result.problem : null;
};
const headersOf = (...headers: [string, string][]) => {
  const result = prepared({ headers });
  return "problem" in result ? result.problem : result.headers;
};
const bytes = (text: string) => Uint8Array.from(new TextEncoder().encode(text));
const basic = (text: string) => `Basic ${btoa(text)}`;

describe("a value", () => {
  it.each([
    ["Authorization", `Bearer ${PLACEHOLDER}`, "Bearer the-secret-value"],
    ["X-Api-Key", PLACEHOLDER, "the-secret-value"],
    ["Cookie", `a=1; session=${PLACEHOLDER}`, "a=1; session=the-secret-value"],
    ["Authorization", basic(`me:${PLACEHOLDER}`), basic("me:the-secret-value")],
    ["authorization", `basic ${btoa(`${PLACEHOLDER}:`)}`, basic("the-secret-value:")],
    ["X-Both", `${PLACEHOLDER} ${OTHER}`, "the-secret-value another-secret"],
  ])("is put into the header %s: %s", (name, text, sent) => {
    expect(headersOf([name, text])).toEqual([[name, sent]]);
  });

  it("is put in as it is, also with characters that a replacement could interpret", () => {
    const values = [{ name: "TOKEN", value: "a$&b$1`$'", placeholder: PLACEHOLDER, hosts: ["api.example.org"] }];
    const result = prepareRequest(asked({ headers: [["x", PLACEHOLDER]] }), { ...NETWORK, values }, false);
    expect(result).toMatchObject({ headers: [["x", "a$&b$1`$'"]] });
  });

  it.each<[string, Partial<CodeRequest>]>([
    ["a URL's path", { url: `https://api.example.org/${PLACEHOLDER}` }],
    ["a URL's query", { url: `https://api.example.org/?key=${PLACEHOLDER}` }],
    ["a URL's fragment", { url: `https://api.example.org/#${PLACEHOLDER}` }],
    ["a body", { method: "POST", body: bytes(`{"key":"${PLACEHOLDER}"}`) }],
    ["a binary body", { method: "PUT", body: new Uint8Array([0xff, 0, ...bytes(PLACEHOLDER), 0xfe]) }],
  ])("is not put into %s", (_, more) => {
    expect(problemOf(more)).toBe("The value of TOKEN is sent in headers only. Remove it from the URL and the body.");
  });

  it("is not put into the name of a header", () => {
    expect(headersOf([PLACEHOLDER, "x"])).toEqual([[PLACEHOLDER, "x"]]);
  });

  it("is sent to its own hosts only, in plain and in basic authentication", () => {
    for (const text of [`Bearer ${PLACEHOLDER}`, basic(`me:${PLACEHOLDER}`)])
      expect(problemOf({ url: "https://files.example.org/", headers: [["authorization", text]] })).toBe(
        "The value of TOKEN is not bound to the host files.example.org. Set it again to allow the host.",
      );
    expect(prepared({ url: "https://files.example.org/", headers: [["x", OTHER]] })).toMatchObject({
      headers: [["x", "another-secret"]],
    });
  });

  it("is not sent for the placeholder of another run", () => {
    const foreign = PLACEHOLDER.replace(/.$/, "8");
    expect(headersOf(["x", foreign])).toEqual([["x", foreign]]);
  });
});

describe("a destination", () => {
  it.each([
    ["https://evil.example.org/", "Code of this skill cannot call 'evil.example.org'."],
    ["https://api.example.org.evil.com/", "Code of this skill cannot call 'api.example.org.evil.com'."],
    ["https://xapi.example.org/", "Code of this skill cannot call 'xapi.example.org'."],
    ["https://sub.api.example.org/", "Code of this skill cannot call 'sub.api.example.org'."],
    ["https://api.example.org:8443/", "Code of this skill cannot call 'api.example.org:8443'."],
    ["https://odd.example.org/", "Code of this skill cannot call 'odd.example.org'."],
    ["https://new.example.org/", "The host 'new.example.org' is declared, but not approved."],
    ["http://api.example.org/", "This URL is not allowed: only https is allowed."],
    [
      "https://user:pass@api.example.org/",
      "This URL is not allowed: a user name or password in the URL is not allowed.",
    ],
    [
      "https://api.example.org\\@evil.com/",
      "This URL is not allowed: the URL contains spaces, control characters or backslashes.",
    ],
    ["https://api.example.org:22/", "This URL is not allowed: the port is not allowed."],
    ["https://127.0.0.1/", "This URL is not allowed: an address of this machine is not allowed."],
    ["https://2130706433/", "This URL is not allowed: an address of this machine is not allowed."],
    ["https://[::1]/", "This URL is not allowed: an address of this machine is not allowed."],
    [
      "https://169.254.169.254/latest/meta-data",
      "This URL is not allowed: an IP address is not allowed, use a host name.",
    ],
    ["https://metadata.google.internal/", "This URL is not allowed: a name of a private network is not allowed."],
    ["file:///etc/passwd", "This URL is not allowed: it is not an http URL."],
    ["data:text/plain,x", "This URL is not allowed: it is not an http URL."],
    ["https://api.example.org./", "This URL is not allowed: a host name that ends with a dot is not allowed."],
  ])("%s is not reached", (url, problem) => {
    expect(problemOf({ url })?.startsWith(problem), problemOf({ url }) ?? "reached").toBe(true);
  });

  it.each(["https://api.example.org/", "https://API.EXAMPLE.org/x?y#z", "https://odd.example.org:8443/"])(
    "%s is reached",
    (url) => {
      expect(problemOf({ url })).toBeNull();
    },
  );

  it("names what the skill declares, or how to declare", () => {
    expect(problemOf({ url: "https://evil.com/" })).toBe(
      "Code of this skill cannot call 'evil.com'. It declares api.example.org, files.example.org, new.example.org, odd.example.org:8443. Add the host to `network` in SKILL.md.",
    );
  });
});

describe("a request", () => {
  it.each<[string, Partial<CodeRequest>]>([
    ["the method 'TRACE' is not allowed", { method: "trace" }],
    ["the method 'CONNECT' is not allowed", { method: "CONNECT" }],
    ["a GET request has no body", { body: bytes("x") }],
    ["request too large (limit 4 MiB)", { method: "POST", body: new Uint8Array(CODE_REQUESTS.requestBytes + 1) }],
    ["headers too large", { headers: [["x", "y".repeat(CODE_REQUESTS.headerChars)]] }],
    ["the header 'x' contains characters", { headers: [["x", "a\r\nHost: evil.com"]] }],
    ["the header 'x' contains characters", { headers: [["x", "a\nb"]] }],
    ["the header 'x' contains characters", { headers: [["x", "\0"]] }],
    ["the header 'x: y' contains characters", { headers: [["x: y", "z"]] }],
    ["the header '' contains characters", { headers: [["", "z"]] }],
    ["the header 'x' contains characters", { headers: [["x", "é€"]] }],
  ])("is refused: %s", (problem, more) => {
    expect(problemOf(more)?.toLowerCase()).toContain(problem.toLowerCase());
  });

  it("keeps its method, body and other headers", () => {
    const body = bytes("hello");
    expect(prepared({ method: "post", body, headers: [["Accept", "text/plain"]] })).toEqual({
      ...{ url: new URL("https://api.example.org/v1"), method: "POST", body },
      headers: [["Accept", "text/plain"]],
    });
  });
});

it("reads bytes as one character each, and back", () => {
  const all = Uint8Array.from({ length: 20_000 }, (_, at) => at % 256);
  expect(bytesOfLatin1(latin1(all))).toEqual(all);
});
