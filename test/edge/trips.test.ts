// How long an answer takes must not tell another's thing from a missing one. Milliseconds cannot be tested; what makes them can:
// the same statements, in the same number of trips.

import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { type CallOptions, call } from "../support/call";
import { published } from "../support/chat-turns";
import { holdClock, releaseClock } from "../support/clock";
import { form, skillZip } from "../support/skill";
import { at, beginWorld, endWorld, journeyOf } from "../support/world/pool";
import type { World } from "../support/world/world";

const world: World = await beginWorld();
beforeEach(() => {
  world.catchUp();
  // What is remembered stays as old as it is.
  holdClock();
});
afterEach(releaseClock);
afterAll(endWorld);

/** What the answer waited for, and what it was. */
async function ask(where: string, method: string, path: string, options: CallOptions) {
  const headers = { ...options.headers, ...at(where) };
  const { answer, journey } = await journeyOf(world, () => call(method, path, { ...options, headers }));
  const { awaited } = journey;
  return {
    status: answer.status,
    trips: awaited.map(({ to, what }) => `${to}: ${what}`).sort(),
  };
}

let isolates = 0;

/** `cold`: the isolate knows nobody; `warm`: it knows who asks; `lagging`: and the replica has not heard of what is asked for. */
it.each(["cold", "warm", "lagging"])("another's thing takes the same trips as a missing one: %s", async (state) => {
  const made = async <T>(method: string, path: string, options: CallOptions) =>
    (await call(method, path, { ...options, headers: at("elsewhere") })).json<T>();
  const keyOf = (user: string) =>
    made<{ id: string; key: string }>("POST", "/api/v1/keys", { json: { user_id: user } });
  const [{ id: keyId, key: ada }, { key: eve }] = [await keyOf(`${state}-ada`), await keyOf(`${state}-eve`)];
  // Now and then a key's use is noted; from here on it is not due.
  await ask("elsewhere", "GET", "/api/v1/me", { key: eve });
  const team = `${state}-team`;
  // Each question goes to an isolate of its own: what it is told it knows for the next.
  const ready = Array.from({ length: 60 }, () => `trips-${isolates++}`);
  if (state !== "cold") {
    const look = (isolate: string) => call("GET", "/api/v1/kinds/skills", { key: eve, headers: at(isolate) });
    await Promise.all(ready.map(look));
    await world.settle();
  }
  if (state === "lagging") world.lag("forever");
  const where = () => ready.pop() ?? "none";
  const upload = () => ({ body: form(skillZip({ name: "hers" })) });
  const skill = await published(
    await call("POST", "/api/v1/kinds/skills/upload", { key: ada, ...upload(), headers: at("elsewhere") }),
  );
  const herGhost = { kind: "Ghost", metadata: { name: "her-ghost" }, spec: { systemPrompt: "x" } };
  const ghostOf = async (key: string | undefined, json: object) => {
    const options = key === undefined ? { json } : { key, json };
    const ghost = await made<{ metadata: { labels: { id: string } } }>("POST", "/api/v1/kinds/ghosts", options);
    return ghost.metadata.labels.id;
  };
  const ghost = await ghostOf(ada, herGhost);
  await made("POST", "/api/v1/groups", { json: { name: team } });
  const groupGhostId = await ghostOf(undefined, {
    metadata: { name: "theirs", namespace: team },
    spec: { systemPrompt: "x" },
  });
  const missing = (id: string) => `${id.slice(0, -4)}zzzz`;
  const spec = () => ({ json: herGhost });
  const rows: [string, (id: string) => string, string, (() => CallOptions)?][] = [
    ...[
      "",
      "/references",
      "/versions",
      "/usage",
      "/download",
      "/files",
      "/files/SKILL.md",
      "/versions/1.0.0/files",
      "/versions/1.0.0/permissions",
    ].map((rest): [string, (id: string) => string, string] => [
      "GET",
      (id) => `/api/v1/kinds/skills/${id}${rest}`,
      skill.id,
    ]),
    ["DELETE", (id) => `/api/v1/kinds/skills/${id}`, skill.id],
    ["POST", (id) => `/api/v1/kinds/skills/${id}/remove-references`, skill.id],
    ["POST", (id) => `/api/v1/kinds/skills/${id}/versions/${id}/activate`, skill.id],
    ["POST", (id) => `/api/v1/kinds/skills/${id}/versions/${id}/yank`, skill.id],
    ["POST", (id) => `/api/v1/kinds/skills/${id}/share`, skill.id, () => ({ json: { group_name: team } })],
    ["PUT", (id) => `/api/v1/kinds/skills/${id}`, skill.id, upload],
    ["GET", (id) => `/api/v1/kinds/ghosts/${id}`, ghost],
    ["PUT", (id) => `/api/v1/kinds/ghosts/${id}`, ghost, spec],
    ["DELETE", (id) => `/api/v1/kinds/ghosts/${id}`, ghost],
    ["GET", (id) => `/api/v1/kinds/ghosts/${id}`, groupGhostId],
    ["PUT", (id) => `/api/v1/kinds/ghosts/${id}`, groupGhostId, spec],
    ["DELETE", (id) => `/api/v1/kinds/ghosts/${id}`, groupGhostId],
    ["PUT", (name) => `/api/v1/kinds/ghosts/by-name/${name}/theirs`, team, () => ({ json: { spec: {} } })],
    ["POST", (id) => `/api/v1/keys/${id}/rotate`, keyId, () => ({ json: {} })],
    ["DELETE", (id) => `/api/v1/keys/${id}`, keyId],
    ["GET", (name) => `/api/v1/groups/${name}`, team],
    ["GET", (name) => `/api/v1/groups/${name}/members`, team],
    ["PUT", (name) => `/api/v1/groups/${name}/members/${state}-eve`, team, () => ({ json: { role: "Owner" } })],
    ["DELETE", (name) => `/api/v1/groups/${name}`, team],
  ];
  for (const [method, path, id, body] of rows) {
    const others = await ask(where(), method, path(id), { key: eve, ...body?.() });
    const none = await ask(where(), method, path(missing(id)), { key: eve, ...body?.() });
    expect([method, path(":id"), others]).toEqual([method, path(":id"), none]);
    expect([method, path(":id"), none.status]).toEqual([method, path(":id"), 404]);
  }
});
