// Attacks through the request line and headers. `api/questions/socket/` covers sockets and tickets.

import { describe, expect, it } from "vitest";
import { keyOfUser, skill } from "../../api/matrix/actors";
import { ADMIN_KEY, type CallOptions, call, keyFor } from "../../support/call";
import { closed, fill, type Operation, raw, SKILLS } from "./operations";

describe("a page of another origin", () => {
  const ORIGIN = { origin: "https://evil.test" };

  it.each(closed.map((operation): [string, Operation] => [operation.route, operation]))(
    "cannot send %s as a simple request",
    async (_, { method, template, bodyTypes }) => {
      const path = fill(template, {});
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
        const init = {
          method,
          headers: { ...ORIGIN, "content-type": type },
          ...(method === "GET" ? {} : { body: "{}" }),
        };
        // Without a key: nothing that a browser adds automatically counts as one.
        expect((await raw(path, { ...init, headers: { ...init.headers, cookie: "session=1" } })).status).toBe(401);
        if (bodyTypes.length === 0 || bodyTypes.includes(type.split(";")[0]!)) continue;
        const keyed = { ...init, headers: { ...init.headers, authorization: `Bearer ${ADMIN_KEY}` } };
        expect((await raw(path, keyed)).status).toBe(415);
      }
      const preflight = {
        ...ORIGIN,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization",
      };
      const { headers } = await raw(path, { method: "OPTIONS", headers: preflight });
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("access-control-allow-credentials")).toBeNull();
    },
  );
});

describe("headers", () => {
  it("cannot smuggle a second user, or anything that is no user", async () => {
    for (const as of [
      "bob, alice",
      "bob alice",
      "bob\talice",
      "bob;x",
      "%0d%0aX-Evil: 1",
      "bob/../alice",
      "é",
      "",
      "x".repeat(129),
    ]) {
      const answer = await call("GET", "/api/v1/me", { as });
      expect([as, answer.status]).toEqual([as, 400]);
      expect(JSON.stringify([...answer.headers])).not.toContain("evil");
    }
    const twice = new Headers({ authorization: `Bearer ${ADMIN_KEY}` });
    for (const user of ["bob", "alice"]) twice.append("on-behalf-of", user);
    expect((await raw("/api/v1/me", { headers: twice })).status).toBe(400);
  });

  it("are not echoed unless they are a plain id", async () => {
    for (const id of ["a b", "a,b", "<script>", "a\tb", "%0d%0aSet-Cookie:%20x=1", "x".repeat(129), "é"]) {
      const answer = await call("GET", "/api/v1/me", { headers: { "x-request-id": id } });
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
    const answer = await call("GET", "/api/v1/me", { headers: { "x-request-id": "mine-1.2:3_4" } });
    expect(answer.headers.get("x-request-id")).toBe("mine-1.2:3_4");
  });

  it("cannot turn a request into another: method, path and host are those of the request line", async () => {
    const key = await keyFor("overrider");
    for (const name of [
      "x-http-method-override",
      "x-method-override",
      "x-original-url",
      "x-rewrite-url",
      "x-admission",
    ]) {
      const headers = { authorization: `Bearer ${key}`, [name]: name.includes("url") ? "/api/v1/keys" : "DELETE" };
      const answer = await raw("/api/v1/me", { headers });
      expect([answer.status, (await answer.json<{ user_id: string }>()).user_id]).toEqual([200, "overrider"]);
    }
    const answer = await raw("/api/v1/me", {
      headers: { "x-forwarded-host": "evil.test", forwarded: "host=evil.test" },
    });
    expect(answer.headers.get("www-authenticate")).not.toContain("evil");
  });
});

describe("paths", () => {
  const ODD = [
    "..",
    "%2e%2e",
    "%2E%2E%2f",
    "..%2f..%2fkeys",
    "%00",
    "a%00b",
    "%ff",
    "%",
    "%c0%ae",
    "'",
    '"',
    "*",
    "%25",
    "a".repeat(5_000),
  ];
  const withId = closed.filter(({ template }) => /\{(id|name|user_id|request_id|version_id|call_id)\}/.test(template));

  it.each(withId.map((operation): [string, Operation] => [operation.route, operation]))(
    "%s accepts no invalid id",
    async (_, { method, template, bodyTypes }) => {
      const body: CallOptions = bodyTypes.includes("application/json") ? { json: {} } : {};
      for (const odd of ODD) {
        const path = template.replace("{turn}", "1").replace(/\{[^}]+\}/g, odd);
        const answer = await raw(path, {
          method,
          headers: { authorization: `Bearer ${await keyOfUser("stranger")}`, "content-type": "application/json" },
          ...(body.json === undefined ? {} : { body: "{}" }),
        });
        // The URL parser resolves dots to a path that no longer belongs to this route.
        const elsewhere = new URL(`https://gateway.test${path}`).pathname !== path;
        const creates = /conversations|by-name/.test(template) && method === "PUT";
        const refused = [400, 403, 404, 405, 415, ...(elsewhere || creates ? [200, 201] : [])];
        expect(refused, `${odd.slice(0, 40)} ${answer.status}`).toContain(answer.status);
      }
    },
  );

  it("never lead out of a package, or to a file that it does not list", async () => {
    const { id } = await skill("self");
    const key = await keyOfUser("self");
    const other = await skill("self");
    for (const path of [
      "../SKILL.md",
      "%2e%2e/SKILL.md",
      "..%2fSKILL.md",
      `..%2f..%2f${other.id}%2ffiles%2fSKILL.md`,
      "./SKILL.md",
      ".%2fSKILL.md",
      "/SKILL.md",
      "%2fSKILL.md",
      "SKILL.md%00",
      "SKILL.md/",
      "skill.md",
      "SKILL.md%20",
      "..%5cSKILL.md",
      "%5c%5cSKILL.md",
      "SKILL%252emd",
      "x/".repeat(2_000),
    ]) {
      const answer = await raw(`${SKILLS}/${id}/files/${path}`, { headers: { authorization: `Bearer ${key}` } });
      const text = await answer.text();
      // Dot segments and a trailing slash can resolve to the file itself under its own name.
      const own = new URL(`https://gateway.test/files/${path}`).pathname.replace(/\/$/, "") === "/files/SKILL.md";
      expect([path, answer.status]).toEqual([path, own ? 200 : 404]);
      if (!own) expect(text).not.toContain("description");
    }
    expect((await call("GET", `${SKILLS}/${id}/files/SKILL.md`, { key })).status).toBe(200);
  });
});
