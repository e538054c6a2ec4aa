// The isolation matrix: every route, the owner of its resource, and the actors with access. All other actors are rejected: 401 without a
// valid key, 403 with a key limited to other scopes, 404 for resources of others, 403 for resources that the actor can see but not change.

import type { CallOptions } from "../../support/call";
import { form, skillZip } from "../../support/skill";
import {
  conversation,
  fresh,
  group,
  keptFile,
  MODEL,
  membered,
  ownGrant,
  ownKey,
  ownSession,
  PUBLISHER,
  READABLE,
  SERVER,
  skill,
  storedModel,
  storedOwnServer,
  storedPublisher,
  storedSecret,
  storedWebhook,
  type Thing,
  USERS,
  type User,
  usedSkill,
  WEBHOOK,
} from "./actors";

export interface Row {
  /** Method and path as the served document writes them; for MCP `POST /mcp <method>`. */
  route: string;
  of: "nobody" | "self" | "group" | "public";
  /** The scope that a limited key requires, or `null` if every key is accepted. */
  scope: string | null;
  /** The most privileged user. The revoked, expired and limited keys belong to this user. */
  best: User;
  may: Partial<Record<User, number>>;
  /** Status without a key, for routes that do not return 401 because they show open resources. */
  withoutKey?: number;
  thing: () => Promise<Thing>;
  /** True if the request uses up the resource, so that the next actor needs a new one. */
  spent: boolean;
  send: (thing: Thing) => Pick<CallOptions, "json" | "body" | "headers">;
  query?: (thing: Thing) => string;
  /** For MCP: the parameters of the method. Errors of MCP count as the status 404. */
  params?: (thing: Thing) => object;
}

export type Sent = (thing: Thing) => Pick<CallOptions, "json" | "body">;

export const nothing: Sent = () => ({});
export const json =
  (body: (thing: Thing) => unknown): Sent =>
  (thing) => ({ json: body(thing) });
export const zip =
  (fields: (thing: Thing) => Record<string, string>, name: (thing: Thing) => string = () => fresh("upload")): Sent =>
  (thing) => ({ body: form(skillZip({ name: name(thing), version: "3.0.0" }), fields(thing)) });

const sameSkill = zip(
  () => ({}),
  ({ skill: name = "" }) => name,
);
const forSomebody = json(() => ({ user_id: "matrix-new" }));
const publicZip = zip(() => ({ marketplace_tags: "[]" }));

export const everybody = (status: number): Row["may"] => Object.fromEntries(USERS.map((user) => [user, status]));
const ROLES = ["Reporter", "Developer", "Maintainer", "Owner"] as const;
/** Members with at least the role `least` have access. Members below it can see the resource and receive 403. */
export const members = (least: (typeof ROLES)[number], status: number): Row["may"] =>
  Object.fromEntries(ROLES.map((role) => [role, ROLES.indexOf(role) >= ROLES.indexOf(least) ? status : 403]));
export const without = (may: Row["may"], status: number): Row["may"] => ({ ...everybody(status), ...may });

/** Returns a row for a route without an owned resource. */
export function open(
  route: string,
  scope: string | null,
  may: Row["may"],
  send: Sent = nothing,
  thing = async () => ({}),
): Row {
  return { route, of: "nobody", scope, best: "admin", may, thing, spent: true, send };
}

/** Returns a row for a route on a user's own resource. Even admins have no access unless the row grants it. */
export function own(
  route: string,
  scope: string,
  thing: Row["thing"],
  status: number,
  options: { send?: Sent; spent?: true; admin?: number } = {},
): Row {
  const admin = options.admin === undefined ? {} : { admin: options.admin };
  const { send = nothing, spent = false } = options;
  return { route, of: "self", scope, best: "self", may: { self: status, ...admin }, thing, spent, send };
}

/** Returns a row for a route on a group: its members by role, and admins. */
function grouped(
  route: string,
  least: (typeof ROLES)[number],
  status: number,
  thing: Row["thing"],
  send: Sent = nothing,
): Row {
  const may = { ...members(least, status), admin: status };
  return { route, of: "group", scope: "groups", best: "Owner", may, thing, spent: true, send };
}

/** Returns rows for a route on a skill of the user, of a group and of the public scope. */
export function skilled(
  route: string,
  right: "read" | "change" | "manage",
  status: number,
  options: { send?: Sent; scope?: string; spent?: false } = {},
): Row[] {
  const { send = nothing, scope = right === "read" ? "skills:read" : "skills:write" } = options;
  const spent = options.spent ?? right !== "read";
  const least = ({ read: "Reporter", change: "Developer", manage: "Maintainer" } as const)[right];
  const publicly = right === "read" ? everybody(status) : without({ admin: status }, 403);
  return [
    { route, of: "self", scope, best: "self", may: { self: status }, thing: READABLE.skill.self, spent, send },
    { route, of: "group", scope, best: "Owner", may: members(least, status), thing: READABLE.skill.group, spent, send },
    { route, of: "public", scope, best: "admin", may: publicly, thing: READABLE.skill.public, spent, send },
  ];
}

const C = "/api/v1/conversations/{id}";
const emptyBody = json(() => ({}));
/** An id without a conversation. */
const newChat = async () => ({ id: fresh("chat") });
const S = "/api/v1/kinds/skills";
const G = "/api/v1/kinds/ghosts";
const ghostBody = json(({ ghost: name = fresh("ghost") }) => ({ metadata: { name }, spec: { systemPrompt: "" } }));

/** Returns rows for a route on a ghost of the user, of a group and of the public scope. */
export function ghostly(route: string, right: "read" | "define", status: number, send: Sent = nothing): Row[] {
  const least = right === "read" ? "Reporter" : "Maintainer";
  const publicly = right === "read" ? everybody(status) : without({ admin: status }, 403);
  const row = (of: "self" | "group" | "public", best: User, may: Row["may"]): Row => {
    return { route, of, scope: "ghosts", best, may, thing: READABLE.ghost[of], spent: right !== "read", send };
  };
  return [
    row("self", "self", { self: status }),
    row("group", "Owner", members(least, status)),
    row("public", "admin", publicly),
  ];
}

/** Returns rows for a route that creates a ghost for others: for a group or the public scope. */
function newGhost(route: string, send: Sent): Row[] {
  const row = (of: "group" | "public", best: User, may: Row["may"], thing: Row["thing"]): Row => {
    return { route, of, scope: "ghosts", best, may, thing, spent: true, send };
  };
  const named = (group: string): Thing => ({ group, namespace: group, name: fresh("named") });
  return [
    row("group", "Owner", members("Maintainer", 201), async () => named((await group()).group ?? "")),
    row("public", "admin", without({ admin: 201 }, 403), async () => named("public")),
  ];
}

/** Secrets, models, servers and publishers: an example, how to store one, the key's scope, and the scope of shared ones. */
const SECRET_OF = { scope: "secrets", sharedScope: "gateway" } as const;
const OWNED = {
  secrets: { ...SECRET_OF, value: { value: "a secret value", hosts: ["api.example.com"] }, stored: storedSecret },
  models: { ...SECRET_OF, value: MODEL, stored: storedModel },
  servers: { ...SECRET_OF, value: SERVER, stored: storedOwnServer },
  webhooks: { ...SECRET_OF, value: WEBHOOK, stored: storedWebhook },
  publishers: { value: PUBLISHER, stored: storedPublisher, scope: "keys", sharedScope: "public" },
} as const;

/** Returns rows for a resource of the user, of a group, and of the gateway where it exists. */
export function owned(
  what: keyof typeof OWNED,
  method: "GET" | "PUT" | "DELETE" | "POST",
  status: number,
  of = "",
): Row[] {
  const route = `${method} /api/v1/${what}/{name}${of}`;
  const { value, stored, scope, sharedScope } = OWNED[what];
  const row = (of: Row["of"], best: User, may: Row["may"], extra: (thing: Thing) => Record<string, string>): Row => ({
    route,
    of,
    scope,
    best,
    may,
    thing: () => stored(of, extra),
    spent: method === "DELETE",
    send: method === "PUT" ? json((thing) => ({ ...value, ...extra(thing) })) : nothing,
    query: method === "PUT" ? () => "" : (thing) => `?${new URLSearchParams(extra(thing))}`,
  });
  const inGroup = { ...members("Maintainer", status), admin: 403 };
  return [
    // Writing creates a resource of the caller under this name, so there is no resource of another user to write to.
    ...(method === "PUT" ? [] : [row("self", "self", { self: status }, () => ({}))]),
    row("group", "Owner", inGroup, ({ group: group_name = "" }) => ({ scope: "group", group_name })),
    ...(what === "servers"
      ? []
      : [row("public", "admin", without({ admin: status }, 403), () => ({ scope: sharedScope }))]),
  ];
}

export const ROWS: Row[] = [
  // Metrics are disabled in the test pool.
  open("GET /metrics", "admin", without({ admin: 404 }, 403)),
  open("POST /api/v1/keys", "admin", without({ admin: 201 }, 403), forSomebody),
  open("GET /api/v1/keys", "keys", everybody(200)),
  open("GET /api/v1/grants", "keys", everybody(200)),
  open("DELETE /api/v1/grants", "keys", everybody(200)),
  own("DELETE /api/v1/grants/{id}", "keys", ownGrant, 204, { spent: true, admin: 204 }),
  open("GET /api/v1/sessions", "keys", everybody(200)),
  own("DELETE /api/v1/sessions/{id}", "keys", ownSession, 204, { spent: true, admin: 204 }),
  own("POST /api/v1/keys/{id}/rotate", "keys", ownKey, 201, { spent: true, admin: 201 }),
  own("DELETE /api/v1/keys/{id}", "keys", ownKey, 204, { spent: true, admin: 204 }),
  open("POST /api/v1/sign-ins", "admin", without({ admin: 201 }, 403), forSomebody),
  open("GET /api/v1/me", null, everybody(200)),
  open("POST /api/v1/search-index", "admin", without({ admin: 200 }, 403)),

  open(
    "POST /api/v1/groups",
    "groups",
    without({ admin: 201 }, 403),
    json(() => ({ name: fresh("made") })),
  ),
  open("GET /api/v1/groups", "groups", everybody(200)),
  grouped("GET /api/v1/groups/{name}", "Reporter", 200, group),
  grouped(
    "PUT /api/v1/groups/{name}",
    "Owner",
    200,
    group,
    json(() => ({ display_name: "Renamed" })),
  ),
  grouped("DELETE /api/v1/groups/{name}", "Owner", 204, group),
  grouped("GET /api/v1/groups/{name}/members", "Reporter", 200, group),
  grouped(
    "PUT /api/v1/groups/{name}/members/{user_id}",
    "Maintainer",
    200,
    membered,
    json(() => ({ role: "Developer" })),
  ),
  grouped("DELETE /api/v1/groups/{name}/members/{user_id}", "Maintainer", 204, membered),

  open("POST /api/v1/conversations", "conversations", everybody(201)),
  open("GET /api/v1/conversations", "conversations", everybody(200)),
  open(`PUT ${C}`, "conversations", everybody(201), emptyBody, newChat),
  own(`GET ${C}`, "conversations", conversation, 200),
  own(`DELETE ${C}`, "conversations", conversation, 204, { spent: true }),
  own(`GET ${C}/events`, "conversations", conversation, 200),
  own(`GET ${C}/at/{turn}`, "conversations", conversation, 200),
  own(`POST ${C}/turns`, "conversations", conversation, 200, { send: json(() => ({})) }),
  own(`POST ${C}/tool-calls`, "conversations", conversation, 200, { send: json(() => ({ calls: [] })) }),
  // The call does not exist. For another user's conversation, the 404 comes before this check.
  own(`DELETE ${C}/tool-calls/{call_id}`, "conversations", conversation, 404),
  own(`GET ${C}/prompt`, "conversations", conversation, 200),
  own(`GET ${C}/tools`, "conversations", conversation, 200),
  own(`POST ${C}/restore`, "conversations", conversation, 200, { send: json(() => ({ history: [] })) }),
  own(`GET ${C}/files`, "conversations", keptFile, 200),
  own(`GET ${C}/files/{file_id}`, "conversations", keptFile, 200),
  own(`DELETE ${C}/files/{file_id}`, "conversations", keptFile, 204, { spent: true }),
  own(`POST ${C}/requests`, "conversations", conversation, 202, { send: json(() => ({ action: "draw", wait_ms: 0 })) }),
  own(`GET ${C}/requests`, "conversations", conversation, 200),
  own(`GET ${C}/requests/{request_id}`, "conversations", conversation, 202),
  own(`DELETE ${C}/requests/{request_id}`, "conversations", conversation, 204, { spent: true }),
  own(`POST ${C}/requests/{request_id}/response`, "conversations", conversation, 200, {
    send: json(() => ({ success: true })),
    spent: true,
  }),
  // For the caller's own conversation. It is created if the id does not exist.
  open(`POST ${C}/tickets`, "conversations", everybody(201), emptyBody, newChat),
  // Without a WebSocket upgrade. Other tests cover sockets.
  own(`GET ${C}/socket`, "conversations", conversation, 426),
  own("GET /api/tasks/{id}/skills", "conversations", conversation, 200),

  open(`GET ${S}`, "skills:read", everybody(200)),
  { ...open(`GET ${S}`, "skills:read", everybody(200)), query: () => "?q=zebra" },
  ...["unified", "usage"].map((path) => open(`GET ${S}/${path}`, "skills:read", everybody(200))),
  open(`GET ${S}/public/list`, "skills:read", everybody(200)),
  open(
    `POST ${S}/validate`,
    "skills:read",
    everybody(200),
    zip(() => ({})),
  ),
  open(
    `POST ${S}/upload`,
    "skills:write",
    everybody(201),
    zip(() => ({})),
  ),
  {
    route: `POST ${S}/upload`,
    of: "group",
    scope: "skills:write",
    best: "Owner",
    may: members("Developer", 201),
    thing: group,
    spent: true,
    send: zip(({ group: namespace = "" }) => ({ namespace })),
  },
  open(
    `POST ${S}/public`,
    "skills:write",
    without({ admin: 201 }, 403),
    zip(() => ({})),
  ),
  ...skilled(`POST ${S}/invoke`, "read", 200, { send: json((thing) => ({ skill_name: thing.skill })) }),
  ...skilled(`GET ${S}/{id}`, "read", 200),
  ...skilled(`PUT ${S}/{id}`, "change", 200, { send: sameSkill }),
  // Admins can delete every skill, even skills that they cannot read.
  ...skilled(`DELETE ${S}/{id}`, "manage", 204).map((row) => ({ ...row, may: { ...row.may, admin: 204 } })),
  ...skilled(`GET ${S}/{id}/download`, "read", 200),
  ...skilled(`GET ${S}/{id}/files`, "read", 200),
  ...skilled(`GET ${S}/{id}/files/{path}`, "read", 200),
  ...skilled(`GET ${S}/{id}/references`, "read", 200),
  // Removes references from the ghosts that the caller can write. Here there are none.
  ...skilled(`POST ${S}/{id}/remove-references`, "read", 200, { scope: "skills:write" }),
  ...skilled(`POST ${S}/{id}/remove-reference/{ghost_id}`, "manage", 200).map((row) => ({
    ...row,
    thing: () => usedSkill(row.of === "nobody" ? "self" : row.of),
  })),
  // Wegent's paths for public skills.
  open(`POST ${S}/public/upload`, "skills:write", without({ admin: 201 }, 403), publicZip),
  ...[
    ...skilled(`PUT ${S}/public/{id}/upload`, "change", 200, { send: sameSkill }),
    ...skilled(`DELETE ${S}/public/{id}`, "manage", 204),
    ...skilled(`GET ${S}/public/{id}/download`, "read", 200),
    ...skilled(`GET ${S}/public/{id}/content`, "read", 200),
  ].filter((row) => row.of === "public"),
  ...skilled(`GET ${S}/{id}/versions`, "read", 200),
  // Only for users who manage the skill, because the usage counts of a few users are private.
  ...skilled(`GET ${S}/{id}/usage`, "manage", 200, { scope: "skills:read", spent: false }),
  ...["activate", "yank", "unyank"].flatMap((change) =>
    skilled(`POST ${S}/{id}/versions/{version_id}/${change}`, "manage", 200),
  ),
  {
    // Into the group that already has the skill.
    route: `POST ${S}/{id}/share`,
    of: "group",
    scope: "skills:write",
    best: "Owner",
    may: members("Developer", 200),
    thing: () => skill("group"),
    spent: false,
    send: json((thing) => ({ group_name: thing.group })),
  },

  open("GET /api/v1/secrets", "secrets", everybody(200)),
  ...owned("secrets", "GET", 200),
  ...owned("secrets", "PUT", 200),
  open(
    "PUT /api/v1/secrets/{name}",
    "secrets",
    everybody(201),
    json(() => ({ value: "a secret value", hosts: ["api.example.com"] })),
    async () => ({ name: fresh("OWN").replaceAll("-", "_") }),
  ),
  ...owned("secrets", "DELETE", 204),
  open("GET /api/v1/models", "secrets", everybody(200)),
  ...owned("models", "GET", 200),
  ...owned("models", "PUT", 200),
  open(
    "PUT /api/v1/models/{name}",
    "secrets",
    everybody(201),
    json(() => MODEL),
    async () => ({ name: fresh("own-model") }),
  ),
  ...owned("models", "DELETE", 204),
  open("POST /api/v1/secrets/rotate", "admin", without({ admin: 200 }, 403)),
  open("GET /api/v1/audit", "admin", without({ admin: 200 }, 403)),
  open("GET /api/v1/executor", "admin", without({ admin: 200 }, 403)),
  // The user is not one of the actors, because the actors must not be deleted.
  ...["GET /api/v1/users/{id}/export", "DELETE /api/v1/users/{id}"].map((route) =>
    open(route, "admin", without({ admin: 200 }, 404), nothing, async () => ({ id: fresh("user") })),
  ),
  open(`POST ${G}`, "ghosts", everybody(201), ghostBody),
  open(`GET ${G}`, "ghosts", everybody(200)),
  open(
    `PUT ${G}/by-name/{namespace}/{name}`,
    "ghosts",
    everybody(201),
    json(() => ({ spec: { systemPrompt: "" } })),
    async () => ({ namespace: "default", name: fresh("named") }),
  ),
  ...newGhost(
    `POST ${G}`,
    json(({ group: namespace }) => ({ metadata: { name: fresh("ghost"), namespace }, spec: { systemPrompt: "" } })),
  ),
  ...newGhost(
    `PUT ${G}/by-name/{namespace}/{name}`,
    json(() => ({ spec: { systemPrompt: "" } })),
  ),
  ...ghostly(`GET ${G}/{id}`, "read", 200),
  ...ghostly(`PUT ${G}/{id}`, "define", 200, ghostBody),
  ...ghostly(`DELETE ${G}/{id}`, "define", 204),
];
