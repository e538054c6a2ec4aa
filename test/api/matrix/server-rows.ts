// Rows of the isolation matrix for MCP servers and webhooks of the gateway, of groups and of users, and for calls through the proxy.

import { call } from "../../support/call";
import {
  fresh,
  ghost,
  keyOfUser,
  ownConnection,
  PROOF,
  SERVER,
  storedOwnServer,
  storedServer,
  type Thing,
  type User,
} from "./actors";
import { everybody, json, members, nothing, open, own, owned, type Row, type Sent, without } from "./table";

/** Returns a row for one of the gateway's servers, which only admins manage. */
function server(route: string, status: number, send: Sent = nothing): Row {
  const may = without({ admin: status }, 403);
  return { route, of: "public", scope: "admin", best: "admin", may, thing: storedServer, spent: true, send };
}

export const SERVER_ROWS: Row[] = [
  open("GET /api/v1/mcp-servers", "admin", without({ admin: 200 }, 403)),
  server("GET /api/v1/mcp-servers/{name}", 200),
  server(
    "PUT /api/v1/mcp-servers/{name}",
    200,
    json(() => ({ url: "https://mcp.example.com/" })),
  ),
  server("DELETE /api/v1/mcp-servers/{name}", 204),
  server("POST /api/v1/mcp-servers/{name}/test", 200),
  // The server is unreachable, so its tools cannot be approved.
  server("POST /api/v1/mcp-servers/{name}/approve", 409),
  server("GET /api/v1/mcp-servers/{name}/skills", 409),
  server(
    "POST /api/v1/mcp-servers/{name}/skills",
    409,
    json(() => ({ uri: "skill://tides/SKILL.md", digest: `sha256:${"0".repeat(64)}` })),
  ),
  // The server is unreachable, so its issuer is not found.
  {
    ...{ route: "POST /api/v1/mcp-servers/{name}/connect", of: "public", scope: "secrets", best: "admin" },
    ...{ may: everybody(409), thing: storedServer, spent: false, send: json(() => ({})) },
  },
  open("GET /api/v1/connections", "secrets", everybody(200)),
  own("POST /api/v1/connections/{id}/confirm", "secrets", () => ownConnection("pending"), 200, {
    ...{ spent: true, send: json(() => ({ proof: PROOF })) },
  }),
  own("DELETE /api/v1/connections/{id}", "secrets", () => ownConnection("active"), 204, { spent: true }),
  open("GET /api/v1/me/servers", "mcp", everybody(200)),
  open("GET /api/v1/server-catalog", "mcp", everybody(200)),
  open("GET /api/v1/servers", "secrets", everybody(200)),
  ...owned("servers", "GET", 200),
  ...owned("servers", "PUT", 200),
  ...owned("servers", "DELETE", 204),
  ...owned("servers", "POST", 200, "/test"),
  open("GET /api/v1/webhooks", "secrets", everybody(200)),
  open("GET /api/v1/events", "skills:read", everybody(200)),
  ...owned("webhooks", "GET", 200),
  ...owned("webhooks", "PUT", 200),
  ...owned("webhooks", "DELETE", 204),
  ...owned("webhooks", "POST", 200, "/rotate"),
  ...owned("webhooks", "POST", 202, "/test"),
  ...owned("webhooks", "GET", 200, "/deliveries"),
  ...owned("webhooks", "POST", 202, "/deliveries/{id}/resend"),
];

/** Stores one of the gateway's servers with additional fields. */
async function gatewaysWith(more: (thing: Thing) => object, thing: Thing = {}): Promise<Thing> {
  const name = fresh("server");
  const put = await call("PUT", `/api/v1/mcp-servers/${name}`, {
    key: await keyOfUser("admin"),
    json: { ...SERVER, ...more(thing) },
  });
  if (put.status !== 201) throw new Error(await put.text());
  return { name };
}

/**
 * Returns a row for a server that is called through the proxy. The server is unreachable: callers with access receive 502, callers without
 * access receive 404.
 */
function reached(of: Row["of"], best: User, may: Row["may"], thing: Row["thing"]): Row {
  return {
    ...{ route: "POST /mcp/servers/{name} tools/list", of, scope: "mcp", best, may, thing, spent: false },
    send: () => ({}),
    params: () => ({}),
  };
}

export const PROXY_ROWS: Row[] = [
  reached("public", "admin", everybody(502), () => gatewaysWith(() => ({}))),
  reached("self", "self", { self: 502 }, () => storedOwnServer("self", () => ({}))),
  reached("group", "Owner", members("Reporter", 502), () =>
    storedOwnServer("group", ({ group: group_name = "" }) => ({ scope: "group", group_name })),
  ),
  // Servers limited to a ghost's conversations are not available through the proxy, not even for users of that ghost. Neither are disabled
  // servers.
  reached("public", "admin", everybody(404), async () =>
    gatewaysWith(({ id }) => ({ ghosts: [id] }), await ghost("public")),
  ),
  reached("public", "admin", everybody(404), () => gatewaysWith(() => ({ enabled: false }))),
  // A guard restricts tools, but not the server itself.
  reached("public", "admin", everybody(502), () => gatewaysWith(() => ({ guard: true }))),
];
