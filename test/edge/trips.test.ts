// How long an answer takes must not tell another's thing from a missing one. Milliseconds cannot be tested; what makes them can:
// the same statements, in the same number of trips.

import { expect, it } from "vitest";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { form, skillZip } from "../support/skill";
import { publishOwn } from "../support/talk";
import { counted } from "../support/trips";

async function ask(key: string, method: string, path: string, body?: () => BodyInit | object) {
  const { asked, bindings } = counted();
  const content = body?.();
  const init: RequestInit = { method, headers: { authorization: `Bearer ${key}` } };
  if (content instanceof FormData) init.body = content;
  else if (content !== undefined) {
    init.headers = { ...init.headers, "content-type": "application/json" };
    init.body = JSON.stringify(content);
  }
  const answer = await askWith(bindings, path, init);
  return { status: answer.status, asked };
}

it("another's thing takes the same trips as a missing one", async () => {
  const [ada, eve] = [await keyFor("trips-ada"), await keyFor("trips-eve")];
  const skill = await publishOwn(ada, { name: "hers" });
  const herGhost = { kind: "Ghost", metadata: { name: "her-ghost" }, spec: { systemPrompt: "x" } };
  const made = await call("POST", "/api/v1/kinds/ghosts", {
    key: ada,
    json: herGhost,
  });
  const ghost = (await made.json<{ metadata: { labels: { id: string } } }>()).metadata.labels.id;
  const keyId = /^sgw_([^_]+)_/.exec(ada)?.[1] ?? "";
  await call("POST", "/api/v1/groups", { json: { name: "trips-team" } });
  const groupGhost = { metadata: { name: "theirs", namespace: "trips-team" }, spec: { systemPrompt: "x" } };
  const shared = await call("POST", "/api/v1/kinds/ghosts", { json: groupGhost });
  const groupGhostId = (await shared.json<{ metadata: { labels: { id: string } } }>()).metadata.labels.id;
  const missing = (id: string) => `${id.slice(0, -4)}zzzz`;
  const upload = () => form(skillZip({ name: "hers" }));
  const spec = () => herGhost;
  const rows: [string, (id: string) => string, string, (() => BodyInit | object)?][] = [
    ...["", "/references", "/versions", "/usage", "/download", "/files", "/files/SKILL.md"].map(
      (rest): [string, (id: string) => string, string] => [
        "GET",
        (id) => `/api/v1/kinds/skills/${id}${rest}`,
        skill.id,
      ],
    ),
    ["DELETE", (id) => `/api/v1/kinds/skills/${id}`, skill.id],
    ["POST", (id) => `/api/v1/kinds/skills/${id}/remove-references`, skill.id],
    ["POST", (id) => `/api/v1/kinds/skills/${id}/versions/${id}/activate`, skill.id],
    ["POST", (id) => `/api/v1/kinds/skills/${id}/versions/${id}/yank`, skill.id],
    ["POST", (id) => `/api/v1/kinds/skills/${id}/share`, skill.id, () => ({ group_name: "trips-team" })],
    ["PUT", (id) => `/api/v1/kinds/skills/${id}`, skill.id, upload],
    ["GET", (id) => `/api/v1/kinds/ghosts/${id}`, ghost],
    ["PUT", (id) => `/api/v1/kinds/ghosts/${id}`, ghost, spec],
    ["DELETE", (id) => `/api/v1/kinds/ghosts/${id}`, ghost],
    ["GET", (id) => `/api/v1/kinds/ghosts/${id}`, groupGhostId],
    ["PUT", (id) => `/api/v1/kinds/ghosts/${id}`, groupGhostId, spec],
    ["DELETE", (id) => `/api/v1/kinds/ghosts/${id}`, groupGhostId],
    ["PUT", (name) => `/api/v1/kinds/ghosts/by-name/${name}/theirs`, "trips-team", () => ({ spec: {} })],
    ["POST", (id) => `/api/v1/keys/${id}/rotate`, keyId, () => ({})],
    ["DELETE", (id) => `/api/v1/keys/${id}`, keyId],
    ["GET", (name) => `/api/v1/groups/${name}`, "trips-team"],
    ["GET", (name) => `/api/v1/groups/${name}/members`, "trips-team"],
    ["PUT", (name) => `/api/v1/groups/${name}/members/trips-eve`, "trips-team", () => ({ role: "Owner" })],
    ["DELETE", (name) => `/api/v1/groups/${name}`, "trips-team"],
  ];
  // Now and then a key's use is noted; from here on it is not due.
  await ask(eve, "GET", "/api/v1/me");
  for (const [method, path, id, body] of rows) {
    const others = await ask(eve, method, path(id), body);
    const none = await ask(eve, method, path(missing(id)), body);
    expect([method, path(":id"), others]).toEqual([method, path(":id"), none]);
    expect([method, path(":id"), none.status]).toEqual([method, path(":id"), 404]);
  }
});
