// Response times must not distinguish another user's resource from a missing one. The test compares the number of trips and the statements,
// because times vary.

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
  // Cached entries do not age while the clock is stopped.
  holdClock();
});
afterEach(releaseClock);
afterAll(endWorld);

/** Returns the trips that the response waited for, and the response. */
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

/**
 * `cold`: the isolate has an empty cache. `warm`: the caller is cached. `lagging`: in addition, the replica does not contain the requested
 * resource yet.
 */
it.each(["cold", "warm", "lagging"])(
  "another user's object takes the same trips as a missing one: %s",
  { timeout: 600_000 },
  async (state) => {
    const made = async <T>(method: string, path: string, options: CallOptions) =>
      (await call(method, path, { ...options, headers: at("elsewhere") })).json<T>();
    const keyOf = (user: string) =>
      made<{ id: string; key: string }>("POST", "/api/v1/keys", { json: { user_id: user } });
    const [{ id: keyId, key: ada }, { key: eve }] = [await keyOf(`${state}-ada`), await keyOf(`${state}-eve`)];
    // The use of a key is recorded from time to time. This request records it, so that it is not due later.
    await ask("elsewhere", "GET", "/api/v1/me", { key: eve });
    const team = `${state}-team`;
    // Each request goes to its own isolate, because an isolate caches the answer for the next one.
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
      // On a busy machine D1 can miss its deadline.
      const answered = async (one: string) => {
        for (let again = 0; ; again++) {
          const answer = await ask(where(), method, path(one), { key: eve, ...body?.() });
          if (answer.status !== 503 || again === 4) return answer;
        }
      };
      const others = await answered(id);
      const none = await answered(missing(id));
      expect([method, path(":id"), others]).toEqual([method, path(":id"), none]);
      expect([method, path(":id"), none.status]).toEqual([method, path(":id"), 404]);
    }
  },
);
