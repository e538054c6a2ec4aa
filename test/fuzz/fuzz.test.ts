// Fuzzes the API with nothing but /openapi.json: no response is a 5xx, and every response is as documented. `npm run test:fuzz` sends 50
// 000 requests; the smoke suite always sends the same thousand. FUZZ_SEED repeats a run, except for timing.

import fc from "fast-check";
import { expect, it } from "vitest";
import { type Gateway, newPlace, start } from "../smoke/launcher";
import { holdAgainstDocument } from "../support/document";
import { DOORS_DOCUMENT } from "./compat";
import { type Operation, operationsOf, type ServedDocument } from "./document";
import { draftFor, Knowledge, type Sendable, sendable } from "./requests";

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const SEED = Number(process.env.FUZZ_SEED ?? (process.env.FUZZ_REQUESTS === undefined ? 1 : Date.now() % 1_000_000));
const AT_ONCE = 8;
const USERS = ["fuzz-a", "fuzz-b", "fuzz-admin"];

it(`answers ${REQUESTS} requests made from its document (seed ${SEED})`, {
  timeout: 60_000 + REQUESTS * 40,
}, async () => {
  // Random texts are not sent to the public registry.
  const run = start(await newPlace(), { env: { MCP_REGISTRY_URL: "off" } });
  const gateway = await run.ready();
  const document: ServedDocument = await (await gateway.fetch("/openapi.json")).json();
  // fetch cannot send upgrade requests.
  const served = operationsOf(document).filter((operation) => !operation.path.endsWith("/socket"));
  // The endpoints are many and similar: every base URL has the same routes.
  const weighed = (weight: number, operations: readonly Operation[]) =>
    operations.map((operation) => ({ weight, arbitrary: draftFor(document.components.schemas, operation) }));
  const drafts = fc.oneof(...weighed(2, served), ...weighed(1, operationsOf(DOORS_DOCUMENT)));
  const knowledge = new Knowledge({
    "id of conversations": ["fuzz-conversation", "fuzz-other"],
    skill: ["fuzz-one", "fuzz-two", "fuzz-three", "mermaid-diagram", "json-table@>=1.0.0", "*"],
    name: ["fuzz-one", "fuzz-two", "load_skill", "read_skill", "execute_skill_script", "mermaid-diagram"],
    ghost: ["fuzz-ghost"],
    group: ["default", "fuzz-group"],
    user: USERS,
    path: ["SKILL.md", "scripts/table.js"],
  });
  const keys = await Promise.all(USERS.map((user) => keyFor(gateway, user)));
  const statuses = new Map<string, number>();
  const problems: string[] = [];

  const send = async (route: string, request: Sendable, user: number): Promise<void> => {
    const what = `${request.init.method} ${request.url}`;
    const answer = await gateway
      .fetch(request.url, { ...request.init, key: keys[user] })
      .catch((error: unknown) => error);
    if (!(answer instanceof Response)) {
      problems.push(`${what}: no answer: ${answer}`);
      return;
    }
    statuses.set(`${answer.status}`, (statuses.get(`${answer.status}`) ?? 0) + 1);
    const body = await answer.clone().text();
    // A bookmark that the database has not reached is rejected.
    const isAhead = answer.status === 503 && /"code":"BOOKMARK_NOT_REACHED"|X-D1-Bookmark`? of this request/.test(body);
    if (answer.status >= 500 && !isAhead)
      problems.push(`${what} ${bodyOf(request)}: ${answer.status} ${body.slice(0, 400)}`);
    await holdAgainstDocument(
      async () => (await gateway.fetch("/openapi.json")).text(),
      String(request.init.method),
      new URL(answer.url).pathname,
      answer,
    ).catch((error: Error) => problems.push(`${bodyOf(request)}: ${error.message}`));
    if (answer.ok && /^[[{]/.test(body)) knowledge.learn(route, JSON.parse(body));
    // It can revoke the key that it uses.
    if (answer.status === 401) keys[user] = await keyFor(gateway, USERS[user] ?? "");
  };

  for (let sent = 0; sent < REQUESTS && problems.length < 20; sent += 250) {
    const batch = fc.sample(drafts, { numRuns: Math.min(250, REQUESTS - sent), seed: SEED + sent });
    const queue = batch.values();
    const worker = async () => {
      for (const draft of queue)
        await send(draft.operation.path, sendable(draft, knowledge), draft.principal % USERS.length);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }
  console.log(
    `answers: ${[...statuses]
      .sort()
      .map(([status, count]) => `${count} x ${status}`)
      .join(", ")}`,
  );
  if (problems.length > 0) problems.push(...run.stderr.slice(-20), ...run.stdout.slice(-20));
  expect(problems).toEqual([]);
  // Requests were accepted: otherwise the fuzzer would have tested only authentication.
  const good = [...statuses].filter(([status]) => status.startsWith("2")).reduce((sum, [, count]) => sum + count, 0);
  expect(good).toBeGreaterThan(REQUESTS / 20);
});

async function keyFor(gateway: Gateway, user: string): Promise<string> {
  const role = user.endsWith("admin") ? "admin" : "user";
  const answer = await gateway.fetch("/api/v1/keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ user_id: user, role, scopes: ["act_as"], groups: ["fuzz-group"] }),
  });
  const made: { key: string } = await answer.json();
  return made.key;
}

function bodyOf({ init }: Sendable): string {
  return typeof init.body === "string" ? init.body.slice(0, 600) : "";
}
