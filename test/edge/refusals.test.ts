// Responses of every route to invalid requests. The table is the served OpenAPI document, so it includes new routes automatically.

import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { openApi } from "../support/openapi";

interface Operation {
  method: string;
  template: string;
  path: string;
  open: boolean;
  bodyTypes: string[];
  bodyRequired: boolean;
}

interface Document {
  paths: Record<
    string,
    Record<string, { security?: unknown[]; requestBody?: { required?: boolean; content: Record<string, unknown> } }>
  >;
}

const document = await openApi<Document>();

const operations: Operation[] = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    template,
    path: template
      .replace("{turn}", "1")
      .replace("secrets/{name}", "secrets/NOTHING")
      .replace(/\{[^}]+\}/g, "nothing-of-the-kind"),
    open: operation.security?.length === 0,
    bodyTypes: Object.keys(operation.requestBody?.content ?? {}),
    bodyRequired: operation.requestBody?.required ?? false,
  })),
);

/** The smallest valid body of a route, so that only the tested part of the request is invalid. */
const LEAST: Record<string, unknown> = {
  "POST /api/v1/kinds/skills/invoke": { skill_name: "nothing-of-the-kind" },
  "POST /api/v1/connections/{id}/confirm": { proof: "9f".repeat(32) },
  "POST /api/v1/kinds/skills/{id}/share": { group_name: "nothing-of-the-kind" },
  "PUT /api/v1/kinds/skills/{id}/versions/{version_id}/verdict": { blocked: false },
  "PUT /api/v1/kinds/skills/{id}/network": { hosts: [] },
  "POST /api/v1/kinds/skills/{id}/evals": { digest: "9f".repeat(32), cases: [{ name: "one", passed: true }] },
  "PUT /api/v1/kinds/skills/{id}/rollout": { candidate: "nothing-of-the-kind", percent: 10 },
  "POST /api/v1/conversations/{id}/feedback": { turn: 1, score: 1 },
  "PUT /api/v1/kinds/skills/{id}/ratings/own": { stars: 1 },
  "PUT /api/v1/kinds/skills/{id}/ratings/{rating_id}/hidden": { hidden: true },
  "POST /api/v1/kinds/skills/{id}/reports": { reason: "spam" },
  "PUT /api/v1/reports/{id}/decision": { decision: "resolved" },
  "POST /api/v1/reviews/{id}/comments": { comment: "Why?" },
  "POST /api/v1/reviews/{id}/decision": { decision: "reject", zip_sha256: "9f".repeat(32), comment: "No." },
  "POST /api/v1/mcp-servers/{name}/skills": { uri: "skill://tides/SKILL.md", digest: `sha256:${"9f".repeat(32)}` },
  "PUT /api/v1/kinds/skills/{id}/env": { values: { TOKEN: "0123456789" } },
  "PUT /api/v1/me/skill-env/{skill}": { values: { TOKEN: "0123456789" } },
  "PUT /api/v1/groups/{name}": { display_name: null },
  "PUT /api/v1/groups/{name}/members/{user_id}": { role: "Reporter" },
  "POST /api/v1/conversations/{id}/tool-calls": { calls: [] },
  "POST /api/v1/conversations/{id}/restore": { history: [] },
  "POST /api/v1/conversations/{id}/requests": { action: "render" },
  "POST /api/v1/conversations/{id}/requests/{request_id}/response": { success: true },
  "PUT /api/v1/kinds/ghosts/{id}": { kind: "Ghost", metadata: { name: "g" }, spec: { systemPrompt: "" } },
};

const json = operations.filter((operation) => operation.bodyTypes.includes("application/json"));
const named = (list: Operation[]) =>
  list.map((operation): [string, Operation] => [`${operation.method} ${operation.template}`, operation]);
const problemOf = async (answer: Response) => {
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  const body = await answer.json<Record<string, unknown>>();
  expect(body).toMatchObject({ status: answer.status, request_id: answer.headers.get("x-request-id") });
  expect(typeof body.code).toBe("string");
  expect(JSON.stringify(body)).not.toMatch(/\.ts:|at async|node_modules|SQLITE|D1_ERROR/);
  return body;
};

describe("every closed route", () => {
  it.each(named(operations.filter((operation) => !operation.open)))(
    "%s wants a good key",
    async (_, { method, path }) => {
      for (const key of [null, "nonsense", "sgw_0000000000_0000", "sgw_test_admin_key_for_the_pool_onlY"]) {
        const answer = await call(method, path, { key });
        expect(answer.status).toBe(401);
        expect(answer.headers.get("www-authenticate")).toContain("Bearer");
        expect((await problemOf(answer)).code).toBe("UNAUTHENTICATED");
      }
    },
  );

  it.each(named(operations.filter((operation) => !operation.open)))(
    "%s refuses another method",
    async (_, { path }) => {
      const answer = await call("PATCH", path);
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toMatch(/[A-Z]+/);
      await problemOf(answer);
    },
  );
});

describe("every route that accepts a body", () => {
  it.each(named(operations.filter((operation) => operation.bodyTypes.length > 0)))(
    "%s refuses another content type",
    async (_, { method, path }) => {
      const answer = await call(method, path, { body: "<a/>", headers: { "content-type": "application/xml" } });
      expect(answer.status).toBe(415);
      await problemOf(answer);
    },
  );

  it.each(named(json))("%s rejects a body that is not JSON", async (_, { method, path }) => {
    const answer = await call(method, path, { body: '{"a":', headers: { "content-type": "application/json" } });
    expect(answer.status).toBe(400);
    await problemOf(answer);
  });

  it.each(named(json))("%s refuses JSON of another type", async (_, { method, path }) => {
    for (const body of [[], "text", 7]) {
      const answer = await call(method, path, { json: body });
      expect(answer.status).toBe(400);
      expect((await problemOf(answer)).issues).not.toEqual([]);
    }
  });

  it.each(named(json))("%s refuses an unknown field and names it", async (_, { method, path }) => {
    const answer = await call(method, path, { json: { surprise: 1 } });
    expect(answer.status).toBe(400);
    expect(JSON.stringify((await problemOf(answer)).issues)).toContain("surprise");
  });

  it.each(named(json))("%s refuses a body past the limit", async (_, { method, path }) => {
    const answer = await call(method, path, { json: { filler: "x".repeat(5 * 1024 * 1024) } });
    expect(answer.status).toBe(413);
    expect((await problemOf(answer)).detail).toMatch(/^Request body too large \(limit \d+ MiB\)\. Send less data\.$/);
  });
});

describe("every route with an id", () => {
  const withId = operations.filter(({ template, bodyTypes, method }) => {
    const creates =
      template.endsWith("/tickets") ||
      (method === "PUT" &&
        /conversations|by-name|secrets|models|servers|webhooks|oauth-clients|publishers/.test(template));
    // The gateway has no list of users, so for an admin every user exists, without any data.
    const isUser = template.includes("/users/");
    return template.includes("{") && !creates && !isUser && !bodyTypes.includes("multipart/form-data");
  });

  it.each(named(withId))(
    "%s returns 404 for missing objects, for any caller",
    async (name, { method, path, bodyRequired }) => {
      const user = await keyFor("somebody");
      for (const key of [undefined, user]) {
        const body = LEAST[name] === undefined ? (bodyRequired ? { json: {} } : {}) : { json: LEAST[name] };
        const answer = await call(method, path, { ...(key === undefined ? {} : { key }), ...body });
        // Routes for admins reject other callers before they look up the resource.
        const isAdmins =
          /\/(mcp-servers|open-skills|oauth-clients|verdict|env|hidden|reports\/\{id\})(\/|$)/.test(name) &&
          !name.endsWith("/connect");
        expect(answer.status).toBe(key === user && isAdmins ? 403 : 404);
        await problemOf(answer);
      }
    },
  );
});

describe("paths that do not exist", () => {
  it("does not mind a slash at the end", async () => {
    for (const path of ["/api/v1/me/", "/api/v1/conversations/", "/api/v1/kinds/skills/"]) {
      expect((await call("GET", path)).status).toBe(200);
    }
  });

  it.each(["/api/v1/nothing", "/api/v2/me", "/api/v1/kinds/robots", "/nothing"])("%s is 404", async (path) => {
    const answer = await call("GET", path);
    expect(answer.status).toBe(404);
    expect((await problemOf(answer)).code).toBe("NOT_FOUND");
  });
});
