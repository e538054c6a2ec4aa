// Routes that can use a cached caller. All routes without an explicit entry ask the primary.

import { expect, it } from "vitest";
import { type IdentitySource, identitySourceOf } from "../../../src/domain/access/key-scope";
import { openApi } from "../../support/openapi";

/** Everything that is not here is strict. */
const RECALLED: Record<string, IdentitySource> = {
  "POST /api/v1/conversations/{id}/turns": "recent",
  "POST /api/v1/conversations/{id}/tool-calls": "remembered",
  "POST /api/v1/conversations/{id}/restore": "remembered",
  "POST /api/v1/conversations/{id}/requests": "remembered",
  "POST /api/v1/conversations/{id}/requests/{request_id}/response": "remembered",
  "GET /api/v1/conversations/{id}": "remembered",
  "GET /api/v1/conversations/{id}/prompt": "remembered",
  "GET /api/v1/conversations/{id}/tools": "remembered",
  "GET /api/v1/conversations/{id}/events": "remembered",
  "GET /api/v1/conversations/{id}/at/{turn}": "remembered",
  "GET /api/v1/conversations/{id}/series": "remembered",
  "GET /api/v1/conversations/{id}/requests": "remembered",
  "GET /api/v1/conversations/{id}/requests/{request_id}": "remembered",
  "GET /api/tasks/{id}/skills": "remembered",
  "GET /api/v1/kinds/skills": "remembered",
  "GET /api/v1/kinds/skills/unified": "remembered",
  "GET /api/v1/kinds/skills/drafts": "remembered",
  "GET /api/v1/kinds/skills/public/list": "remembered",
  "GET /api/v1/kinds/skills/public/{id}/download": "remembered",
  "GET /api/v1/kinds/skills/public/{id}/content": "remembered",
  "GET /api/v1/kinds/skills/{id}": "remembered",
  "GET /api/v1/kinds/skills/{id}/download": "remembered",
  "GET /api/v1/kinds/skills/{id}/versions": "remembered",
  "GET /api/v1/kinds/skills/{id}/files": "remembered",
  "GET /api/v1/kinds/skills/{id}/files/{path}": "remembered",
  "GET /api/v1/kinds/skills/{id}/versions/{version_id}/files": "remembered",
  "GET /api/v1/kinds/skills/{id}/versions/{version_id}/files/{path}": "remembered",
  "GET /api/v1/kinds/skills/{id}/versions/{version_id}/permissions": "remembered",
};

it("every route of the document has its class, and a new one is strict", async () => {
  const { paths } = await openApi<{ paths: Record<string, object> }>();
  const recalled: Record<string, IdentitySource> = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of Object.keys(methods)) {
      const source = identitySourceOf(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "some-1"));
      if (source !== "strict") recalled[`${method.toUpperCase()} ${path.replace(/\/$/, "")}`] = source;
    }
  }
  expect(recalled).toEqual(RECALLED);
});

it("routes that change or reveal something are strict", () => {
  for (const path of ["/api/v1/conversations/x", "/api/v1/kinds/skills/x", "/mcp/x", "/api/tasks/x/skills"]) {
    for (const method of ["PUT", "DELETE", "PATCH"])
      expect(`${method} ${identitySourceOf(method, path)}`).toBe(`${method} strict`);
  }
});
