import { afterEach, describe, expect, it, vi } from "vitest";
import { sha256Hex } from "../../src/domain/digest";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";

afterEach(() => vi.restoreAllMocks());

interface Line {
  event: string;
  route: string;
  status: number;
  code?: string;
  key_id?: string;
  conversation?: string;
  skill?: string;
  request_id: string;
}

/** Returns the request lines that were written meanwhile. */
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

  it("has a line for each request, with the route's pattern and without user and object", async () => {
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
    expect(lines.map(({ conversation, skill }) => [conversation !== undefined, skill !== undefined])).toEqual([
      [true, false],
      [true, false],
      [false, false],
      [false, false],
      [false, true],
      [true, false],
      [false, false],
      [false, false],
    ]);
  });

  it("names a conversation and a skill by pseudonyms that only their readers can compute", async () => {
    const [ann, bob] = [await keyFor("logged-ann"), await keyFor("logged-bob")];
    const service = await keyFor("logged-service", { scopes: ["act_as"] });
    const skill = await publishOwn(ann, { name: "slow-one" });
    const answers: Response[] = [];
    const note = async (answer: Promise<Response>) => answers.push(await answer);
    const asAnn = { authorization: `Bearer ${service}`, "on-behalf-of": "logged-ann" };
    const { lines } = await linesOf(async () => {
      await note(ask(ann, "POST", "/api/v1/conversations", { id: "chat:1" }));
      await note(ask(ann, "POST", "/api/v1/conversations/chat%3A1/turns", {}));
      await note(ask(bob, "PUT", "/api/v1/conversations/chat:1", {}));
      await note(askWith({ LOG_REQUESTS: "true" }, "/api/v1/conversations/chat:1", { headers: asAnn }));
      await note(ask(bob, "GET", "/api/v1/conversations/chat:1"));
      await note(ask(ann, "GET", `/api/v1/kinds/skills/${skill.id}`));
      await note(ask(ann, "GET", `/api/v1/kinds/skills/${skill.id}/files/SKILL.md`));
      await note(ask(bob, "GET", `/api/v1/kinds/skills/${skill.id}`));
    });
    const [made, turn, others, told, othersTold, seen, file, missing] = lines;
    // An operator who acts for Ann reads this log id, and finds all lines of her conversation with it.
    expect(answers[3]?.headers.get("x-log-id")).toBe(told?.conversation);
    expect([made?.conversation, turn?.conversation]).toEqual([told?.conversation, told?.conversation]);
    expect(told?.conversation).toMatch(/^[0-9a-f]{16}$/);
    // The same id of another user is a different conversation.
    expect(othersTold?.conversation).toBe(others?.conversation);
    expect(others?.conversation).not.toBe(made?.conversation);
    expect(answers[5]?.headers.get("x-log-id")).toBe(seen?.skill);
    expect([file?.skill, missing?.skill]).toEqual([seen?.skill, seen?.skill]);
    expect([missing?.status, answers[7]?.headers.has("x-log-id")]).toEqual([404, false]);
    // The log id is not a value that an outsider can compute from guessed ids.
    for (const text of ["chat:1", '["logged-ann","chat:1"]', '["conversation","logged-ann","chat:1"]', skill.id])
      for (const line of lines)
        expect((await sha256Hex(text)).startsWith(line.conversation ?? line.skill ?? "-")).toBe(false);
    vi.restoreAllMocks();
    const elsewhere = await linesOf(() =>
      askWith(
        { LOG_REQUESTS: "true", SECRETS_KEY: "YW5vdGhlciBrZXkgb2YgYW5vdGhlciBnYXRld2F5IDE=" },
        "/api/v1/conversations/chat:1",
        { headers: asAnn },
      ),
    );
    expect(elsewhere.lines[0]?.conversation).toMatch(/^[0-9a-f]{16}$/);
    expect(elsewhere.lines[0]?.conversation).not.toBe(told?.conversation);
  });

  it("names nothing where the deployment has no secret to name it with", async () => {
    const settings = { SECRETS_KEY: undefined, GATEWAY_ADMIN_KEY: undefined, LOG_REQUESTS: "true" };
    const headers = { authorization: `Bearer ${await keyFor("logged-nobody")}` };
    await call("PUT", "/api/v1/conversations/plain", { as: "logged-nobody", json: {} });
    const { lines } = await linesOf(async () => {
      const answer = await askWith(settings, "/api/v1/conversations/plain", { headers });
      expect([answer.status, answer.headers.has("x-log-id")]).toEqual([200, false]);
    });
    expect(lines[0]).not.toHaveProperty("conversation");
  });

  it("is silent where the operator wants that", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await askWith({ LOG_REQUESTS: "false" }, "/api/v1/me");
    expect(log).not.toHaveBeenCalled();
  });
});
