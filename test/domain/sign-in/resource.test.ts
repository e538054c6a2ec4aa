// The canonical URL of a token's resource: one spelling each, and no two endpoints share one.

import fc from "fast-check";
import { expect, it } from "vitest";
import { endpointOf, readResource, resourceAt } from "../../../src/domain/sign-in/resource";

const ORIGIN = "https://gateway.test";
const at = (path: string) => resourceAt(ORIGIN, new URL(ORIGIN + path).pathname);

it.each([
  ["/mcp", "/mcp"],
  ["/mcp/", "/mcp"],
  ["/mcp/a%3Ab", "/mcp/a:b"],
  ["/mcp/%61", "/mcp/a"],
  ["/%6Dcp/a", "/mcp/a"],
  ["/mcp/x/../y", "/mcp/y"],
  ["/mcp/servers/one/message", "/mcp/servers/one"],
  ["/mcp/a%2Fb", "/mcp/a%2Fb"],
  ["/mcp/a%252Fb", "/mcp/a%252Fb"],
])("%s is %s", (path, canonical) => expect(at(path)).toBe(ORIGIN + canonical));

it.each(["/", "/api/v1/me", "/mcpx", "/mcp/%ff", "/mcp/%2e%2e"])("%s is not a resource", (path) => {
  // The URL parser resolves dot segments, and remaining ones match no endpoint.
  expect([null, `${ORIGIN}/mcp`]).toContain(at(path));
});

it.each([
  [`${ORIGIN}/mcp?ghost=a&preload=b`, `${ORIGIN}/mcp`],
  ["HTTPS://GATEWAY.TEST:443/mcp/", `${ORIGIN}/mcp`],
  ["https://elsewhere.test/mcp", null],
  ["http://gateway.test/mcp", null],
  ["https://gateway.test:444/mcp", null],
  [`${ORIGIN}/mcp#part`, null],
  ["https://user:pass@gateway.test/mcp", null],
  [ORIGIN, null],
  ["not a url", null],
])("a host that names %s means %s", (text, canonical) => expect(readResource(ORIGIN, text)).toBe(canonical));

it("is its own canonical form, and distinguishes ids", () => {
  const id = fc
    .string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(..."aB0._:-") })
    .filter((text) => !/^\.+$/.test(text));
  fc.assert(
    fc.property(id, id, (one, other) => {
      const [a, b] = [at(`/mcp/${encodeURIComponent(one)}`), at(`/mcp/${other}`)];
      expect(readResource(ORIGIN, a ?? "")).toBe(a);
      expect(a === b).toBe(one === other);
      expect(endpointOf(a ?? "")).toBe("/mcp/{id}");
    }),
  );
});
