// Attacks with fields, cursors and ids that the caller must not use.

import { describe, expect, it } from "vitest";
import { conversation, ghost, keyOfUser, ownKey, skill } from "../../api/matrix/actors";
import { call, keyFor } from "../../support/call";
import { form, skillZip } from "../../support/skill";
import { closed, fill, type Operation, SKILLS } from "./operations";

describe("fields that are not the caller's to set", () => {
  const FIELDS = {
    user_id: "victim",
    role: "admin",
    is_public: true,
    scope: "public",
    created_by: "victim",
    userId: "victim",
  };
  const LEGITIMATE: Record<string, readonly string[]> = {
    "POST /api/v1/keys": ["user_id", "role"],
    "POST /api/v1/sign-ins": ["user_id"],
    "PUT /api/v1/groups/{name}/members/{user_id}": ["role"],
    "POST /api/v1/conversations/{id}/tickets": ["user_id"],
    // The owner of a secret, model, server, webhook or publisher. Writing for a group or the gateway requires additional rights.
    "PUT /api/v1/secrets/{name}": ["scope"],
    "PUT /api/v1/models/{name}": ["scope"],
    "PUT /api/v1/servers/{name}": ["scope"],
    "PUT /api/v1/webhooks/{name}": ["scope"],
    "PUT /api/v1/publishers/{name}": ["scope"],
  };
  const json = closed.filter(({ bodyTypes }) => bodyTypes.includes("application/json"));

  it.each(json.map((operation): [string, Operation] => [operation.route, operation]))(
    "%s refuses and names them",
    async (route, { method, template }) => {
      const answer = await call(method, fill(template, { name: "NOTHING" }), { json: FIELDS });
      expect(answer.status).toBe(400);
      const { issues } = await answer.json<{ issues: { code: string; path: string }[] }>();
      const unknown = issues.filter((issue) => issue.code === "UNKNOWN_FIELD").map((issue) => issue.path);
      const expected = Object.keys(FIELDS).filter((field) => !(LEGITIMATE[route] ?? []).includes(field));
      expect(unknown.sort()).toEqual(expected.sort());
    },
  );

  it("are refused in forms, too, and in a package's own words they change nothing", async () => {
    const key = await keyFor("assigner");
    const zip = skillZip({
      name: "assigned",
      frontmatter: "user_id: victim\nis_public: true\nnamespace: public\nscope: public",
    });
    for (const [field, value] of Object.entries(FIELDS)) {
      const answer = await call("POST", `${SKILLS}/upload`, { key, body: form(zip, { [field]: String(value) }) });
      expect([field, answer.status]).toEqual([field, 400]);
    }
    const answer = await call("POST", `${SKILLS}/upload`, { key, body: form(zip) });
    expect(await answer.json()).toMatchObject({ metadata: { namespace: "default", labels: { user_id: "assigner" } } });
    const others = await call("POST", `${SKILLS}/invoke`, {
      key: await keyFor("other"),
      json: { skill_name: "assigned" },
    });
    expect(others.status).toBe(404);
  });

  it("are ignored if a resource can be sent back as it was read", async () => {
    const key = await keyFor("relabeller");
    const labels = { id: "gho_other", user_id: "victim" };
    const json = {
      kind: "Ghost",
      metadata: { name: "mine", labels },
      spec: { systemPrompt: "" },
      status: { state: "available" },
    };
    const made = await (await call("POST", "/api/v1/kinds/ghosts", { key, json })).json<{
      metadata: { labels: typeof labels };
    }>();
    expect(made.metadata.labels.user_id).toBe("relabeller");
    expect(made.metadata.labels.id).not.toBe("gho_other");
  });
});

describe("cursors", () => {
  const LISTS = [
    "/api/v1/keys",
    "/api/v1/groups",
    "/api/v1/conversations",
    SKILLS,
    `${SKILLS}/unified`,
    "/api/v1/kinds/ghosts",
  ];
  const cursorOf = (value: unknown) =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

  it.each(LISTS)("that are forged are rejected by %s, or lead only into the caller's own list", async (path) => {
    const key = await keyFor("cursor-forger");
    const forged = [
      "x",
      "%00",
      "....",
      "a".repeat(1_001),
      cursorOf(null),
      cursorOf([]),
      cursorOf({}),
      cursorOf({ name: 1, createdAt: "x", id: {}, namespace: [], folded: null }),
      cursorOf("' OR 1=1 --"),
    ];
    for (const cursor of forged) {
      expect((await call("GET", `${path}?cursor=${encodeURIComponent(cursor)}`, { key })).status).toBe(400);
    }
    const wide = { name: "", createdAt: Number.MAX_SAFE_INTEGER, id: "' OR 1=1 --", namespace: "", folded: "" };
    const answer = await call("GET", `${path}?cursor=${cursorOf(wide)}`, { key });
    expect(answer.status).toBe(200);
    const body = await answer.json<{ items: unknown[] } | { user_id: string }[]>();
    const items = Array.isArray(body) ? body.filter((item) => item.user_id !== "0") : body.items;
    for (const item of items) expect(JSON.stringify(item)).toContain("cursor-forger");
  });

  it("of another user show the caller's own list from that position", async () => {
    const [ann, ben] = [await keyFor("cursor-ann"), await keyFor("cursor-ben")];
    for (const name of ["a", "b", "c"]) {
      const json = { metadata: { name }, spec: { systemPrompt: "" } };
      for (const key of [ann, ben]) await call("POST", "/api/v1/kinds/ghosts", { key, json });
    }
    const { next_cursor } = await (await call("GET", "/api/v1/kinds/ghosts?limit=1", { key: ann })).json<{
      next_cursor: string;
    }>();
    const page = await call("GET", `/api/v1/kinds/ghosts?cursor=${next_cursor}`, { key: ben });
    const { items } = await page.json<{ items: { metadata: { name: string; labels: { user_id: string } } }[] }>();
    expect(items.map(({ metadata }) => `${metadata.labels.user_id} ${metadata.name}`)).toEqual([
      "cursor-ben b",
      "cursor-ben c",
    ]);
  });
});

describe("ids", () => {
  it("of one kind open nothing of another", async () => {
    const things = [await skill("self"), await ghost(), await conversation(), await ownKey()];
    const key = await keyOfUser("self");
    const routes = ["/api/v1/kinds/skills/{id}", "/api/v1/kinds/ghosts/{id}", "/api/v1/conversations/{id}"];
    for (const [index, thing] of things.entries()) {
      for (const [other, template] of routes.entries()) {
        if (other === index) continue;
        expect((await call("GET", fill(template, thing), { key })).status).toBe(404);
      }
    }
  });
});
