// Sends every example of the served OpenAPI document and checks the documented response.

import { beforeAll, expect, it } from "vitest";
import { call } from "../support/call";
import { openApi } from "../support/openapi";
import { form, skillZip } from "../support/skill";
import { conversation, fresh, keyOfUser, type Thing } from "./matrix/actors";
import { DOOR_ROWS } from "./matrix/compat-rows";
import { DRAFT_ROWS } from "./matrix/draft-rows";
import { NETWORK_ROWS } from "./matrix/network-rows";
import { OPEN } from "./matrix/open-routes";
import { PUBLISHER_ROWS } from "./matrix/publisher-rows";
import { RATING_ROWS } from "./matrix/rating-rows";
import { SERVER_ROWS } from "./matrix/server-rows";
import { SIGN_IN_ROWS } from "./matrix/sign-in-rows";
import { ROWS } from "./matrix/table";
import { LOOKING_ROWS } from "./matrix/view-rows";

interface Parameter {
  in?: string;
  name?: string;
  example?: string | number | boolean;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: Record<string, unknown> }> };
  responses: Record<string, unknown>;
}

const document = await openApi<{
  paths: Record<string, Record<string, Operation>>;
}>();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
);

/** Query parameters that the test leaves out, because their example values match nothing that is stored. */
const PLACES = new Set(["cursor", "version", "group_name", "name", "namespace", "q", "exact_match", "resource_id"]);

/** Replaces the names in an example with the names of the resource under test. */
function named(text: string, thing: Thing): string {
  return text
    .replaceAll("mermaid-diagram", thing.skill ?? "mermaid-diagram")
    .replaceAll('"team"', JSON.stringify(thing.group ?? fresh("team")))
    .replaceAll('"researcher"', JSON.stringify(thing.ghost ?? fresh("researcher")));
}

function bodyOf({ requestBody }: Operation, thing: Thing): { json?: unknown; body?: FormData } {
  const [content] = Object.entries(requestBody?.content ?? {});
  if (content?.[1].example === undefined) return {};
  const [type, { example }] = content;
  const body = JSON.parse(named(JSON.stringify(example), thing)) as Record<string, string>;
  if (type === "application/json") return { json: body };
  const { file: _, ...fields } = body;
  return { body: form(skillZip({ name: thing.skill ?? thing.name ?? fresh("upload"), version: "3.0.0" }), fields) };
}

beforeAll(async () => {
  const published = await call("POST", "/api/v1/kinds/skills/public", {
    body: form(skillZip({ name: "mermaid-diagram" })),
  });
  expect(published.status).toBe(201);
});

for (const operation of operations) {
  const { method, path, operationId, parameters = [], responses } = operation;
  const route = `${method} ${path}`;
  it(`${operationId}: ${route}`, async () => {
    const row = [
      ...ROWS,
      ...DRAFT_ROWS,
      ...DOOR_ROWS,
      ...LOOKING_ROWS,
      ...NETWORK_ROWS,
      ...PUBLISHER_ROWS,
      ...RATING_ROWS,
      ...SERVER_ROWS,
      ...SIGN_IN_ROWS,
    ].find((candidate) => candidate.route === route);
    if (row === undefined) {
      expect(OPEN).toContain(route);
      const answer = await call(method, path, { key: null, ...bodyOf(operation, {}) });
      // No CI issuer has signed the token of the example.
      expect(answer.status).toBe(operationId === "publishers.exchange" ? 401 : 200);
      return;
    }
    const thing = operationId === "toolCalls.cancel" ? await conversation() : await row.thing();
    const url = path.replace("{turn}", "1").replace(/\{([^}]+)\}/g, (_, field: string) => thing[field] ?? field);
    const asked = parameters
      .filter((one) => one.in === "query" && !PLACES.has(one.name ?? ""))
      .map(({ name = "", example = "" }) => [name, String(name === "skill_id" ? thing.id : example)]);
    const query = new URLSearchParams(asked).toString();
    const key = await keyOfUser(row.best);
    const answer = await call(method, `${url}${query === "" ? "" : `?${query}`}`, { key, ...bodyOf(operation, thing) });
    const text = await answer.text();
    // Expected other statuses: no call is running, no server is reachable for approval, its skills or a sign-in, no connection has the proof of the
    // example, no draft or submission has the name or the digest of the example, no skill has a rollout or a recorded run, nothing was counted, and the socket request is no WebSocket upgrade.
    const other = {
      "toolCalls.cancel": 404,
      "mcpServers.approve": 409,
      "mcpServers.listSkills": 409,
      "mcpServers.approveSkill": 409,
      "reviews.submit": 404,
      "skills.recordEvals": 404,
      "skills.evalRun": 404,
      "skills.rollout": 404,
      "skills.setRollout": 404,
      "skills.stopRollout": 404,
      "skills.promoteRollout": 404,
      "reviews.decide": 409,
      "connections.create": 409,
      "connections.confirm": 404,
      "gateway.metrics": 404,
      "conversations.socket": 426,
    }[operationId];
    if (other !== undefined) expect(answer.status).toBe(other);
    else expect([answer.status >= 200 && answer.status < 300, text]).toEqual([true, text]);
    expect(Object.keys(responses)).toContain(other === 426 ? "default" : String(answer.status));
  });
}
