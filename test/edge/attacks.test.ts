// Attacks, each as somebody would try it: through the door. Tokens are in `tokens.test.ts`, sockets and tickets in
// `socket.test.ts`, roles in `groups.test.ts`, and who sees what in `matrix.test.ts`.

import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { writeKey } from "../../src/domain/access/key";
import { conversation, ghost, keyOfUser, ownKey, skill, type Thing } from "../api/matrix/actors";
import { askWith } from "../support/app";
import { ADMIN_KEY, type CallOptions, call, keyFor } from "../support/call";
import { form, skillZip } from "../support/skill";

const SKILLS = "/api/v1/kinds/skills";

interface Operation {
  route: string;
  method: string;
  template: string;
  open: boolean;
  bodyTypes: string[];
}

interface Document {
  paths: Record<string, Record<string, { security?: unknown[]; requestBody?: { content: Record<string, unknown> } }>>;
}

const document = await (await call("GET", "/openapi.json")).json<Document>();
const operations: Operation[] = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, { security, requestBody }]) => ({
    route: `${method.toUpperCase()} ${template}`,
    method: method.toUpperCase(),
    template,
    open: security?.length === 0,
    bodyTypes: Object.keys(requestBody?.content ?? {}),
  })),
);
const closed = operations.filter((operation) => !operation.open);
const fill = (template: string, thing: Thing) =>
  template.replace("{turn}", "1").replace(/\{([^}]+)\}/g, (_, field: string) => thing[field] ?? "nothing-of-the-kind");

/** All that an answer tells, but for what differs from request to request. */
async function told(answer: Response) {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !PER_REQUEST.has(name)));
  return { status: answer.status, headers, body: (await answer.text()).replace(/"request_id":"[^"]*"/, "") };
}
const PER_REQUEST = new Set(["x-request-id", "server-timing", "x-d1-bookmark", "date"]);

/** A request as it is on the wire, where `call` would know better. */
const raw = (path: string, init: RequestInit) => exports.default.fetch(`https://gateway.test${path}`, init);

describe("guessing keys", () => {
  it("teaches nothing: one answer for an unknown id, a wrong secret, a revoked and an expired key", async () => {
    const { id, key } = await (await call("POST", "/api/v1/keys", { json: { user_id: "guessed" } })).json<{
      id: string;
      key: string;
    }>();
    const expired = await keyFor("guessed", { expires_at: "2020-01-01T00:00:00Z" });
    const wrongSecret = writeKey(id, new Uint8Array(32));
    const unknownId = writeKey("00000000000000000000000000", new Uint8Array(32));
    const answers = [];
    for (const guess of [wrongSecret, unknownId, expired]) {
      answers.push(await told(await call("GET", "/api/v1/me", { key: guess })));
    }
    await call("DELETE", `/api/v1/keys/${id}`);
    answers.push(await told(await call("GET", "/api/v1/me", { key })));
    expect(answers[0]!.status).toBe(401);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it("compares digests in constant time, of stored keys and of the environment's", async () => {
    const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
    const key = await keyFor("compared");
    for (const guess of [writeKey(key.split("_")[1]!, new Uint8Array(32)), `${ADMIN_KEY.slice(0, -1)}x`]) {
      compare.mockClear();
      expect((await askWith({}, "/api/v1/me", { headers: { authorization: `Bearer ${guess}` } })).status).toBe(401);
      // Digests of equal length, so nothing is told before they are compared.
      expect(compare.mock.calls.length).toBeGreaterThan(0);
      for (const [left, right] of compare.mock.calls) expect([left.byteLength, right.byteLength]).toEqual([64, 64]);
    }
    compare.mockRestore();
  });

  it("does not work with other schemes, several keys, or keys in other places", async () => {
    for (const authorization of [
      `Basic ${btoa(`admin:${ADMIN_KEY}`)}`,
      ADMIN_KEY,
      "Bearer",
      "Bearer ",
      `Bearer ${ADMIN_KEY} x`,
      `Bearer ${ADMIN_KEY}, Bearer ${ADMIN_KEY}`,
      `Token ${ADMIN_KEY}`,
      `Bearer ${"x".repeat(16 * 1024)}`,
    ]) {
      expect((await raw("/api/v1/me", { headers: { authorization } })).status).toBe(401);
    }
    for (const name of ["access_token", "key", "token", "authorization"]) {
      expect((await raw(`/api/v1/me?${name}=${ADMIN_KEY}`, {})).status).toBe(401);
      expect((await raw("/api/v1/me", { headers: { cookie: `${name}=${ADMIN_KEY}` } })).status).toBe(401);
      expect((await raw("/api/v1/me", { headers: { "x-api-key": ADMIN_KEY } })).status).toBe(401);
    }
  });
});

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
        // Without a key: nothing the browser would add by itself counts as one.
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
    "%s takes no odd id for a thing",
    async (_, { method, template, bodyTypes }) => {
      const body: CallOptions = bodyTypes.includes("application/json") ? { json: {} } : {};
      for (const odd of ODD) {
        const path = template.replace("{turn}", "1").replace(/\{[^}]+\}/g, odd);
        const answer = await raw(path, {
          method,
          headers: { authorization: `Bearer ${await keyOfUser("stranger")}`, "content-type": "application/json" },
          ...(body.json === undefined ? {} : { body: "{}" }),
        });
        // What a URL makes of dots is another path, which is not this route's any more.
        const elsewhere = new URL(`https://gateway.test${path}`).pathname !== path;
        const creates = /conversations|by-name/.test(template) && method === "PUT";
        const refused = [400, 403, 404, 405, 415, ...(elsewhere || creates ? [200, 201] : [])];
        expect(refused, `${odd.slice(0, 40)} ${answer.status}`).toContain(answer.status);
      }
    },
  );

  it("never lead out of a package, or to what is not in its list", async () => {
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
      // A URL's own dots and a slash at its end may lead to the file itself, by its own name.
      const own = new URL(`https://gateway.test/files/${path}`).pathname.replace(/\/$/, "") === "/files/SKILL.md";
      expect([path, answer.status]).toEqual([path, own ? 200 : 404]);
      if (!own) expect(text).not.toContain("description");
    }
    expect((await call("GET", `${SKILLS}/${id}/files/SKILL.md`, { key })).status).toBe(200);
  });
});

describe("fields that are not the caller's to set", () => {
  const FIELDS = {
    user_id: "victim",
    role: "admin",
    is_public: true,
    scope: "public",
    created_by: "victim",
    userId: "victim",
  };
  const LEGITIMATE: Record<string, readonly string[]> = {
    "POST /api/v1/keys": ["user_id", "role"],
    "PUT /api/v1/groups/{name}/members/{user_id}": ["role"],
    "POST /api/v1/conversations/{id}/tickets": ["user_id"],
    // Whose secret it is; a group's or the gateway's take rights of their own.
    "PUT /api/v1/secrets/{name}": ["scope"],
  };
  const json = closed.filter(({ bodyTypes }) => bodyTypes.includes("application/json"));

  it.each(json.map((operation): [string, Operation] => [operation.route, operation]))(
    "%s refuses and names them",
    async (route, { method, template }) => {
      const answer = await call(method, fill(template, { name: "NOTHING" }), { json: FIELDS });
      expect(answer.status).toBe(400);
      const { issues } = await answer.json<{ issues: { code: string; path: string }[] }>();
      const unknown = issues.filter((issue) => issue.code === "UNKNOWN_FIELD").map((issue) => issue.path);
      const expected = Object.keys(FIELDS).filter((field) => !(LEGITIMATE[route] ?? []).includes(field));
      expect(unknown.sort()).toEqual(expected.sort());
    },
  );

  it("are refused in forms, too, and in a package's own words they change nothing", async () => {
    const key = await keyFor("assigner");
    const zip = skillZip({
      name: "assigned",
      frontmatter: "user_id: victim\nis_public: true\nnamespace: public\nscope: public",
    });
    for (const [field, value] of Object.entries(FIELDS)) {
      const answer = await call("POST", `${SKILLS}/upload`, { key, body: form(zip, { [field]: String(value) }) });
      expect([field, answer.status]).toEqual([field, 400]);
    }
    const answer = await call("POST", `${SKILLS}/upload`, { key, body: form(zip) });
    expect(await answer.json()).toMatchObject({ metadata: { namespace: "default", labels: { user_id: "assigner" } } });
    const others = await call("POST", `${SKILLS}/invoke`, {
      key: await keyFor("other"),
      json: { skill_name: "assigned" },
    });
    expect(others.status).toBe(404);
  });

  it("are not looked at where a resource may be sent back as it was read", async () => {
    const key = await keyFor("relabeller");
    const labels = { id: "gho_other", user_id: "victim" };
    const json = {
      kind: "Ghost",
      metadata: { name: "mine", labels },
      spec: { systemPrompt: "" },
      status: { state: "available" },
    };
    const made = await (await call("POST", "/api/v1/kinds/ghosts", { key, json })).json<{
      metadata: { labels: typeof labels };
    }>();
    expect(made.metadata.labels.user_id).toBe("relabeller");
    expect(made.metadata.labels.id).not.toBe("gho_other");
  });
});

describe("cursors", () => {
  const LISTS = [
    "/api/v1/keys",
    "/api/v1/groups",
    "/api/v1/conversations",
    SKILLS,
    `${SKILLS}/unified`,
    "/api/v1/kinds/ghosts",
  ];
  const cursorOf = (value: unknown) =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

  it.each(LISTS)("that are forged are refused by %s, or lead nowhere but into one's own list", async (path) => {
    const key = await keyFor("cursor-forger");
    const forged = [
      "x",
      "%00",
      "....",
      "a".repeat(1_001),
      cursorOf(null),
      cursorOf([]),
      cursorOf({}),
      cursorOf({ name: 1, createdAt: "x", id: {}, namespace: [], folded: null }),
      cursorOf("' OR 1=1 --"),
    ];
    for (const cursor of forged) {
      expect((await call("GET", `${path}?cursor=${encodeURIComponent(cursor)}`, { key })).status).toBe(400);
    }
    const wide = { name: "", createdAt: Number.MAX_SAFE_INTEGER, id: "' OR 1=1 --", namespace: "", folded: "" };
    const answer = await call("GET", `${path}?cursor=${cursorOf(wide)}`, { key });
    expect(answer.status).toBe(200);
    const body = await answer.json<{ items: unknown[] } | { user_id: string }[]>();
    const items = Array.isArray(body) ? body.filter((item) => item.user_id !== "0") : body.items;
    for (const item of items) expect(JSON.stringify(item)).toContain("cursor-forger");
  });

  it("of another user show one's own list, from there", async () => {
    const [ann, ben] = [await keyFor("cursor-ann"), await keyFor("cursor-ben")];
    for (const name of ["a", "b", "c"]) {
      const json = { metadata: { name }, spec: { systemPrompt: "" } };
      for (const key of [ann, ben]) await call("POST", "/api/v1/kinds/ghosts", { key, json });
    }
    const { next_cursor } = await (await call("GET", "/api/v1/kinds/ghosts?limit=1", { key: ann })).json<{
      next_cursor: string;
    }>();
    const page = await call("GET", `/api/v1/kinds/ghosts?cursor=${next_cursor}`, { key: ben });
    const { items } = await page.json<{ items: { metadata: { name: string; labels: { user_id: string } } }[] }>();
    expect(items.map(({ metadata }) => `${metadata.labels.user_id} ${metadata.name}`)).toEqual([
      "cursor-ben b",
      "cursor-ben c",
    ]);
  });
});

describe("caches", () => {
  let things: [string, Thing][];
  beforeAll(async () => {
    things = [
      ["/api/v1/kinds/skills/{id}", await skill("self")],
      ["/api/v1/kinds/skills/{id}/download", await skill("self")],
      ["/api/v1/kinds/skills/{id}/files", await skill("self")],
      ["/api/v1/kinds/skills/{id}/files/{path}", await skill("self")],
      ["/api/v1/kinds/ghosts/{id}", await ghost()],
      ["/api/v1/conversations/{id}", await conversation()],
      ["/api/v1/conversations/{id}/at/{turn}", await conversation()],
      ["/api/tasks/{id}/skills", await conversation()],
    ];
  });

  it("are told apart by tags only where one sees the thing", async () => {
    const [self, stranger] = [await keyOfUser("self"), await keyOfUser("stranger")];
    for (const [template, thing] of things) {
      const path = fill(template, thing);
      const answer = await call("GET", path, { key: self });
      const tag = answer.headers.get("etag");
      expect([path, answer.status, tag]).toEqual([path, 200, expect.stringMatching(/^"sha256-/)]);
      const again = await call("GET", path, { key: self, headers: { "if-none-match": tag! } });
      expect(again.status).toBe(304);
      for (const guess of [tag!, `W/${tag}`, "*"]) {
        const other = await call("GET", path, { key: stranger, headers: { "if-none-match": guess } });
        expect([other.status, other.headers.get("etag")]).toEqual([404, null]);
      }
    }
  });

  it("may share nothing of what takes a key, whatever the answer", async () => {
    const key = await keyOfUser("self");
    const gets = closed.filter((operation) => operation.method === "GET");
    const paths = [
      ...gets.map(({ template }) => fill(template, {})),
      ...things.map(([template, thing]) => fill(template, thing)),
    ];
    for (const path of paths) {
      for (const options of [{ key }, { key: null }, { key: "nonsense" }, { key, headers: { "if-none-match": "*" } }]) {
        const answer = await call("GET", path, options);
        const caching = answer.headers.get("cache-control") ?? "";
        expect([path, /\b(no-store|private)\b/.test(caching) && !/public|s-maxage/.test(caching)]).toEqual([
          path,
          true,
        ]);
        if (answer.status < 400) expect(answer.headers.get("vary")?.toLowerCase()).toContain("authorization");
        expect(answer.headers.get("set-cookie")).toBeNull();
      }
    }
  });
});

describe("too much of everything", () => {
  it("in headers is refused, or of no consequence", async () => {
    const big = "x".repeat(8 * 1024);
    for (const name of [
      "x-request-id",
      "x-d1-bookmark",
      "if-none-match",
      "range",
      "accept",
      "user-agent",
      "x-anything",
    ]) {
      const answer = await call("GET", "/api/v1/me", { headers: { [name]: big } });
      expect([name, answer.status < 500 || answer.status === 503]).toEqual([name, true]);
    }
    expect((await call("GET", "/api/v1/me", { as: big })).status).toBe(400);
    const key = { "idempotency-key": big };
    expect((await call("POST", "/api/v1/conversations", { json: {}, headers: key })).status).toBe(400);
    expect((await call("POST", `${SKILLS}/upload`, { body: form(skillZip()), headers: key })).status).toBe(400);
  });

  it("in fields and lists is refused", async () => {
    const long = "x".repeat(10_000);
    const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
    const attempts: [string, string, unknown][] = [
      ["POST", "/api/v1/keys", { user_id: long }],
      ["POST", "/api/v1/keys", { user_id: "x", name: long }],
      ["POST", "/api/v1/keys", { user_id: "x", groups: many(65) }],
      ["POST", "/api/v1/keys", { user_id: "x", scopes: Array.from({ length: 17 }, () => "mcp") }],
      ["POST", "/api/v1/groups", { name: long }],
      ["POST", "/api/v1/groups", { name: "g", display_name: long }],
      ["POST", `${SKILLS}/invoke`, { skill_name: long }],
      ["POST", "/api/v1/kinds/ghosts", { metadata: { name: long }, spec: {} }],
      ["POST", "/api/v1/kinds/ghosts", { metadata: { name: "g" }, spec: { skills: many(1_001) } }],
      ["POST", "/api/v1/kinds/ghosts", { metadata: { name: "g" }, spec: { systemPrompt: "x".repeat(300 * 1024) } }],
      ["PUT", "/api/v1/conversations/big", { metadata: { x: "x".repeat(17 * 1024) } }],
      ["POST", "/api/v1/conversations", { id: long }],
    ];
    for (const [method, path, json] of attempts) {
      const answer = await call(method, path, { json });
      expect([path, answer.status]).toEqual([path, 400]);
    }
    for (const query of [`limit=101`, `limit=${"9".repeat(400)}`, `skip=-1`, `skip=1e9`, `cursor=${long}`]) {
      expect((await call("GET", `${SKILLS}?${query}`)).status).toBe(400);
    }
  });

  it.each(
    closed
      .filter(({ bodyTypes }) => bodyTypes.includes("application/json"))
      .map((operation): [string, Operation] => [operation.route, operation]),
  )("in depth does not bring down %s", async (_, { method, template }) => {
    const path = fill(template, {});
    for (const depth of [101, 200_000]) {
      const nested = "[".repeat(depth) + "]".repeat(depth);
      const objects = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
      for (const body of [nested, objects, `{"spec":${nested}}`, `{"metadata":{"name":"x","a":${nested}}}`]) {
        const answer = await call(method, path, { body, headers: { "content-type": "application/json" } });
        expect([400, 404]).toContain(answer.status);
      }
    }
  });

  it("in depth does not bring down what takes any JSON", async () => {
    const { id, request_id } = await conversation();
    const key = await keyOfUser("self");
    const base = `/api/v1/conversations/${id}`;
    for (const depth of [90, 5_000, 100_000]) {
      const nested = "[".repeat(depth) + "]".repeat(depth);
      const attempts: [string, string, string][] = [
        ["POST", "/api/v1/kinds/ghosts", `{"metadata":{"name":"deep"},"spec":{"mcpServers":{"a":${nested}}}}`],
        ["PUT", base, `{"metadata":{"a":${nested}}}`],
        ["POST", `${base}/turns`, `{"history":[{"role":"user","content":${nested}}]}`],
        ["POST", `${base}/restore`, `{"history":[{"role":"user","content":${nested}}]}`],
        [
          "POST",
          `${base}/tool-calls`,
          `{"calls":[{"id":"1","name":"load_skill","arguments":{"skill_name":${nested}}}]}`,
        ],
        ["POST", `${base}/requests`, `{"action":"a","payload":${nested},"wait_ms":0}`],
        ["POST", `${base}/requests/${request_id}/response`, `{"success":true,"result":${nested}}`],
      ];
      for (const [method, path, body] of attempts) {
        const answer = await call(method, path, { key, body, headers: { "content-type": "application/json" } });
        expect(answer.status, `${method} ${path} ${depth}`).toBeLessThan(500);
        await answer.arrayBuffer();
      }
    }
    expect((await call("GET", base, { key })).status).toBe(200);
  });
});

describe("ids", () => {
  it("of one kind open nothing of another", async () => {
    const things = [await skill("self"), await ghost(), await conversation(), await ownKey()];
    const key = await keyOfUser("self");
    const routes = ["/api/v1/kinds/skills/{id}", "/api/v1/kinds/ghosts/{id}", "/api/v1/conversations/{id}"];
    for (const [index, thing] of things.entries()) {
      for (const [other, template] of routes.entries()) {
        if (other === index) continue;
        expect((await call("GET", fill(template, thing), { key })).status).toBe(404);
      }
    }
  });
});
