import { afterEach, describe, expect, it, vi } from "vitest";
import { askWith } from "../support/app";
import { keyFor } from "../support/call";

afterEach(() => vi.restoreAllMocks());

interface Line {
  event: string;
  route: string;
  status: number;
  code?: string;
  key_id?: string;
  request_id: string;
}

/** The request lines that were written meanwhile. */
async function linesOf(run: () => Promise<unknown>): Promise<{ lines: Line[]; text: string }> {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await run();
  const text = log.mock.calls.map(([line]) => String(line)).join("\n");
  return { lines: text.split("\n").map((line): Line => JSON.parse(line)), text };
}

describe("the log of requests", () => {
  const ask = (key: string | null, method: string, path: string, body?: object) =>
    askWith({ LOG_REQUESTS: "true" }, path, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        "x-request-id": "known-id",
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  it("has a line for each, by pattern, and nothing of whom or what it was about", async () => {
    const key = await keyFor("log-person");
    const { lines, text } = await linesOf(async () => {
      await ask(key, "PUT", "/api/v1/conversations/diary-of-ada", {});
      await ask(key, "POST", "/api/v1/conversations/diary-of-ada/turns", { selected_skills: ["planted-content"] });
      await ask(key, "PUT", "/api/v1/secrets/PLANTED_NAME", { value: "planted-value", hosts: ["planted.example"] });
      await ask(key, "GET", "/api/v1/kinds/skills?name=planted-query");
      await ask(key, "GET", "/api/v1/kinds/skills/skl_planted/files/planted/path.md");
      await ask(key, "POST", "/mcp/diary-of-ada", { jsonrpc: "2.0", id: 1, method: "tools/list" });
      await ask(`${key}x`, "GET", "/api/v1/me");
      await ask(null, "GET", "/planted/nowhere");
      await ask(key, "GET", "/health");
    });
    expect(lines.map(({ route, status, code }) => `${status} ${route} ${code ?? ""}`.trim())).toEqual([
      "201 /api/v1/conversations/:id",
      "200 /api/v1/conversations/:id/turns",
      "201 /api/v1/secrets/:name",
      "200 /api/v1/kinds/skills",
      expect.stringMatching(/^404 \/api\/v1\/kinds\/skills\/:id\/files\/:path.* SKILL_NOT_FOUND$/),
      "406 /mcp/:id",
      "401 /api/v1/me UNAUTHENTICATED",
      "404 none NOT_FOUND",
    ]);
    expect(lines[0]).toMatchObject({
      event: "request",
      request_id: "known-id",
      key_id: /^sgw_([^_]+)_/.exec(key)?.[1],
    });
    expect(text).not.toMatch(/planted|diary|log-person|sgw_/i);
  });

  it("is silent where the operator wants that", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await askWith({ LOG_REQUESTS: "false" }, "/api/v1/me");
    expect(log).not.toHaveBeenCalled();
  });
});
