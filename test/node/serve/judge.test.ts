// Judging requests of `npm run serve`: client addresses, headers, hosts and schemes.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeRequest, proxyMatcher } from "../../../scripts/serve/judge.mjs";

const origin = new URL("https://skills.example.org");
const hosts = new Set(["skills.example.org", "127.0.0.1:8787"]);

function judge(
  headers: [string, string][],
  { proxies = [] as string[], peer = "203.0.113.9", method = "GET", url = "/health", host = "skills.example.org" } = {},
) {
  const rawHeaders = [["Host", host], ...headers].flat();
  return judgeRequest({ method, url, rawHeaders, peer }, { origin, hosts, isProxy: proxyMatcher(proxies) });
}

const addressOf = (...given: Parameters<typeof judge>) => {
  const verdict = judge(...given);
  return "address" in verdict ? verdict.address : verdict.code;
};

describe("the client's address", () => {
  const forwarded = (value: string): [string, string][] => [["X-Forwarded-For", value]];
  const behind = { proxies: ["10.0.0.0/8", "127.0.0.1", "fd00::/8"], peer: "127.0.0.1" };

  it.each([
    ["without a proxy, it is the peer's", forwarded("6.6.6.6"), {}, "203.0.113.9"],
    ["an untrusted peer on this machine changes nothing", forwarded("6.6.6.6"), { peer: "127.0.0.1" }, "127.0.0.1"],
    ["a trusted proxy reports it", forwarded("198.51.100.7"), behind, "198.51.100.7"],
    ["an entry that the client wrote is skipped", forwarded("6.6.6.6, 198.51.100.7"), behind, "198.51.100.7"],
    ["a chain of trusted proxies is passed", forwarded("198.51.100.7, 10.1.2.3"), behind, "198.51.100.7"],
    [
      "a client cannot name a trusted address before its own",
      forwarded("10.9.9.9, 198.51.100.7"),
      behind,
      "198.51.100.7",
    ],
    ["only proxies: the farthest one", forwarded("10.1.1.1, 10.2.2.2"), behind, "10.1.1.1"],
    ["text ends the chain", forwarded("198.51.100.7, unknown"), behind, "127.0.0.1"],
    ["a port is not an address", forwarded("198.51.100.7:4711"), behind, "127.0.0.1"],
    ["an empty header is no chain", forwarded(""), behind, "127.0.0.1"],
    ["IPv6", forwarded("2001:db8::7"), { ...behind, peer: "fd00::1" }, "2001:db8::7"],
    ["IPv4 in IPv6 is IPv4", forwarded("::ffff:198.51.100.7"), { ...behind, peer: "::ffff:10.0.0.1" }, "198.51.100.7"],
    ["two headers are one list", [...forwarded("6.6.6.6"), ...forwarded("198.51.100.7")], behind, "198.51.100.7"],
    [
      "other headers do not count",
      [
        ["X-Real-IP", "6.6.6.6"],
        ["Forwarded", "for=6.6.6.6"],
      ],
      behind,
      "127.0.0.1",
    ],
  ] as [string, [string, string][], object, string][])("%s", (_, headers, options, address) => {
    expect(addressOf(headers, options)).toBe(address);
  });

  it("is never an entry before the last untrusted one, whatever the client sends", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), fc.ipV4(), (invented, real) => {
        fc.pre(!real.startsWith("10.") && real !== "127.0.0.1");
        const value = [...invented.map((entry) => entry.replaceAll(/[\r\n]/g, "")), real].join(", ");
        expect(addressOf(forwarded(value), behind)).toBe(real);
      }),
    );
  });
});

describe("headers", () => {
  it("of proxies and of the connection do not reach the Worker", () => {
    const verdict = judge([
      ["CF-Connecting-IP", "6.6.6.6"],
      ["MF-CF-Blob", '{"front":"guess"}'],
      ["X-Forwarded-Host", "evil.example"],
      ["X-Forwarded-Proto", "http"],
      ["Forwarded", "for=6.6.6.6"],
      ["True-Client-IP", "6.6.6.6"],
      ["Connection", "keep-alive, X-Hop"],
      ["X-Hop", "1"],
      ["Transfer-Encoding", "chunked"],
      ["Authorization", "Bearer sgw_1"],
      ["Accept", "a"],
      ["Accept", "b"],
    ]);
    expect(verdict).toMatchObject({
      headers: [
        ["authorization", "Bearer sgw_1"],
        ["accept", "a"],
        ["accept", "b"],
      ],
    });
  });
});

describe("refused", () => {
  it.each([
    ["another site's host", [], { host: "evil.example" }, 421, "HOST_UNKNOWN"],
    ["the right host with another port", [], { host: "skills.example.org:81" }, 421, "HOST_UNKNOWN"],
    ["a host that begins like it", [], { host: "skills.example.org.evil.example" }, 421, "HOST_UNKNOWN"],
    ["an empty host", [], { host: "" }, 421, "HOST_UNKNOWN"],
    ["two hosts", [["Host", "evil.example"]], {}, 421, "HOST_UNKNOWN"],
    ["a whole URL", [], { url: "http://evil.example/health" }, 400, "REQUEST_TARGET_INVALID"],
    ["the target of OPTIONS *", [], { url: "*", method: "OPTIONS" }, 400, "REQUEST_TARGET_INVALID"],
  ] as [string, [string, string][], object, number, string][])("%s", (_, headers, options, status, code) => {
    expect(judge(headers, options)).toMatchObject({ status, code });
  });

  const http: [string, string][] = [["X-Forwarded-Proto", "http"]];
  const behind = { proxies: ["127.0.0.1"], peer: "127.0.0.1" };

  it("http at a trusted proxy: GET is redirected to https, anything else is rejected", () => {
    expect(judge(http, { ...behind, url: "/console?a=1" })).toMatchObject({
      status: 308,
      location: "https://skills.example.org/console?a=1",
    });
    expect(judge(http, { ...behind, method: "POST" })).toMatchObject({ status: 403, code: "HTTPS_REQUIRED" });
  });

  it("the nearest proxy decides about the scheme, and an untrusted peer does not", () => {
    expect(judge([["X-Forwarded-Proto", "https, http"]], behind)).toMatchObject({ status: 308 });
    expect(judge([["X-Forwarded-Proto", "http, https"]], behind)).toMatchObject({ address: "127.0.0.1" });
    expect(judge(http, { peer: "127.0.0.1" })).toMatchObject({ address: "127.0.0.1" });
  });
});
