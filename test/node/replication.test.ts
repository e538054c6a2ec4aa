// Enabling D1's read replication, with a stub of Cloudflare's API.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const ID = "11111111-1111-4111-8111-111111111111";

let server: Server;
let asked: { call: string; token: string | undefined; body: string }[];
/** Responses in order, `[status, result]`; a text is the reason of an error. */
let answers: [status: number, result: object | string | null][];
let said: string[];

beforeEach(async () => {
  asked = [];
  said = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void said.push(line));
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization } = request.headers;
    asked.push({
      call: `${request.method} ${request.url}`,
      token: authorization,
      body: Buffer.concat(chunks).toString(),
    });
    const [status, result] = answers.shift() ?? [500, "asked too often"];
    response.writeHead(status, { "content-type": "application/json" });
    const errors = typeof result === "string" ? [{ code: 10000, message: result }] : [];
    if (result === null) response.end("<html>bad gateway</html>");
    else response.end(JSON.stringify({ success: errors.length === 0, errors, messages: [], result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await new Promise((resolve) => server.close(resolve));
});

async function ensure(token: string | undefined = "token") {
  const { ensureReplication } = await import("../../scripts/kit/replication.mjs");
  const { port } = server.address() as AddressInfo;
  await ensureReplication({ account: "acc", database: ID, token, base: `http://127.0.0.1:${port}` });
}

const route = `/accounts/acc/d1/database/${ID}`;

it("enables it if it is off or was never set", async () => {
  for (const before of [{ read_replication: { mode: "disabled" } }, {}]) {
    asked = [];
    answers = [
      [200, { uuid: ID, ...before }],
      [200, { uuid: ID, read_replication: { mode: "auto" } }],
    ];
    await ensure();
    expect(asked).toEqual([
      { call: `GET ${route}`, token: "Bearer token", body: "" },
      { call: `PUT ${route}`, token: "Bearer token", body: '{"read_replication":{"mode":"auto"}}' },
    ]);
  }
  expect(said.join("\n")).not.toContain("by hand");
});

it("changes nothing if it is on", async () => {
  answers = [[200, { uuid: ID, read_replication: { mode: "auto" } }]];
  await ensure();
  expect(asked.map(({ call }) => call)).toEqual([`GET ${route}`]);
  expect(said).toEqual([]);
});

it("without a token sends no request, and prints the manual step", async () => {
  answers = [];
  await ensure("");
  expect(asked).toEqual([]);
  expect(said.join("\n")).toMatch(/CLOUDFLARE_API_TOKEN is not set.*Enable Read Replication/s);
});

it.each<[string, [number, object | string | null][], string]>([
  [
    "a wrong token",
    [[401, "Authentication error"]],
    "401: Authentication error (the token needs the permission D1 Edit)",
  ],
  [
    "a token that may only read",
    [
      [200, { uuid: ID }],
      [403, "Forbidden"],
    ],
    "403: Forbidden (the token needs the permission D1 Edit)",
  ],
  ["a failure of Cloudflare's", [[500, null]], "500: no reason given"],
  [
    "one that changes nothing",
    [
      [200, { uuid: ID }],
      [200, { uuid: ID }],
    ],
    "did not confirm it",
  ],
])("%s does not stop a deployment: prints the reason and the manual step", async (_, given, why) => {
  answers = [...given];
  await ensure();
  expect(answers).toEqual([]);
  expect(said.join("\n")).toContain(why);
  expect(said.join("\n")).toContain("Enable Read Replication");
  expect(said.join("\n")).not.toContain("Bearer");
});
