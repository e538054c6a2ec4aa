import { expect, it } from "vitest";
import { allows, identitySourceOf, KEY_SCOPES, needOf } from "../../../src/domain/access/key-scope";

it("returns the scope that each request needs", () => {
  for (const [request, need] of [
    ["GET /api/v1/me", "any"],
    ["GET /api/v1/me/", "any"],
    ["POST /api/v1/keys", "admin"],
    ["POST /api/v1/keys/", "admin"],
    ["POST /api/v1/keys/x/rotate", "keys"],
    ["GET /api/v1/kinds/skills", "skills:read"],
    ["HEAD /api/v1/kinds/skills/x/download", "skills:read"],
    ["POST /api/v1/kinds/skills/invoke", "skills:read"],
    ["POST /api/v1/kinds/skills/upload", "skills:write"],
    ["PUT /api/v1/kinds/skills/x", "skills:write"],
    ["GET /api/v1/kinds/skills/x/network", "skills:read"],
    ["PUT /api/v1/kinds/skills/x/network", "skills:write"],
    ["PUT /api/v1/kinds/skills/x/env", "secrets"],
    ["GET /api/v1/me/skill-env", "secrets"],
    ["DELETE /api/v1/me/skill-env/x", "secrets"],
    ["GET /api/tasks/x/skills", "conversations"],
    ["GET /anthropic/v1/skills", "skills:read"],
    ["POST /anthropic/v1/skills/", "skills:write"],
    ["DELETE /openai/v1/skills/x/versions/1", "skills:write"],
    ["HEAD /s/group/x/openai/v1/skills/y", "skills:read"],
    ["POST /s/group/x/anthropic/v1/skills", "skills:write"],
    ["POST /s/own/anthropic/v1/skills", "unlimited"],
    ["POST /s/group/x/agent-plugin", "skills:write"],
    ["POST /s/public/agent-plugin", "unlimited"],
    ["GET /s/own/agent-plugin.zip", "skills:read"],
    ["POST /openai/v1/skillsx", "chat"],
    ["POST /openai/v1/chat/completions", "chat"],
    ["POST /mcp", "mcp"],
    ["POST /mcp/servers/x", "mcp"],
    ["POST /mcp-servers", "unlimited"],
    ["GET /api/v1/users/x/export", "admin"],
    ["GET /api/v1/keysx", "unlimited"],
    ["GET /api/v1//keys", "unlimited"],
  ] as const) {
    const [method = "", path = ""] = request.split(" ");
    expect(`${request} ${needOf(method, path)}`).toBe(`${request} ${need}`);
  }
});

it("limits a key to its scopes; a key with only `act_as` is unlimited", () => {
  for (const scope of KEY_SCOPES) {
    if (scope === "act_as") continue;
    expect(allows([scope], scope)).toBe(true);
    expect(allows([scope], "any")).toBe(true);
    expect(allows([scope], "unlimited")).toBe(false);
    expect(allows(["act_as"], scope)).toBe(true);
    expect(KEY_SCOPES.filter((other) => allows([scope, "act_as"], other))).toEqual(["act_as", scope]);
  }
  expect(allows([], "unlimited")).toBe(true);
});

it("lists the requests that accept a cached identity, and requires the primary for all others", () => {
  for (const [request, source] of [
    ["POST /api/v1/conversations/x/turns", "recent"],
    ["POST /api/v1/conversations/x/turns/", "recent"],
    ["POST /api/v1/conversations/x/tool-calls", "remembered"],
    ["HEAD /api/v1/conversations/x", "remembered"],
    ["GET /api/v1/kinds/skills/x/files/a/b.md", "remembered"],
    ["GET /openai/v1/skills/x/content", "remembered"],
    ["POST /openai/v1/skills", "strict"],
    ["DELETE /anthropic/v1/skills/x", "strict"],
    ["POST /anthropic/v1/messages", "remembered"],
    ["POST /mcp/x", "remembered"],
    ["DELETE /mcp/x", "strict"],
    ["POST /mcp/servers/x", "remembered"],
    ["POST /mcp/servers/x/message", "remembered"],
    ["DELETE /mcp/servers/x", "strict"],
    ["PUT /api/v1/conversations/x", "strict"],
    ["DELETE /api/v1/conversations/x/tool-calls/y", "strict"],
    ["POST /api/v1/conversations/x/tickets", "strict"],
    ["GET /api/v1/conversations/x/socket", "strict"],
    ["GET /api/v1/kinds/skills/x/usage", "strict"],
    ["POST /api/v1/kinds/skills/upload", "strict"],
    ["GET /api/v1/me", "strict"],
    ["GET /api/v1/conversations/x/new-thing", "strict"],
    ["GET /new", "strict"],
  ] as const) {
    const [method = "", path = ""] = request.split(" ");
    expect(`${request} ${identitySourceOf(method, path)}`).toBe(`${request} ${source}`);
  }
});
