// Keys, groups, secrets, models, servers, and what operators look at; and the open routes.

import type { OperationTexts } from "./operation";

/** As an entry names a secret: filled in by the gateway, where it calls. */
const secret = (name: string) => `\${{secrets.${name}}}`;

const model = {
  api: ["openai-chat"],
  base_url: "https://api.openai.com/v1",
  model: "gpt-6-sol",
  key: secret("OPENAI_KEY"),
};

export const ADMINISTRATION_TEXTS: OperationTexts = {
  "GET /": { id: "gateway.front", about: "What this is and where to go on, as a page or as JSON." },
  "GET /health": {
    id: "gateway.health",
    about: "Whether the gateway and what it stands on can serve. `degraded` serves, but for what `issues` name.",
  },
  "GET /.well-known/oauth-protected-resource": {
    id: "gateway.resource",
    about: "The metadata by which a client learns how to sign in.",
  },
  "GET /.well-known/oauth-protected-resource/mcp": {
    id: "gateway.mcpResource",
    about: "The metadata by which an MCP host learns how to sign in.",
  },
  "GET /metrics": {
    id: "gateway.metrics",
    about:
      "What the gateway has counted, as OpenMetrics text for Prometheus and its kin. For admins, where `METRICS=on`.",
  },

  "POST /api/v1/keys": {
    id: "keys.create",
    about:
      "Makes an API key, which is shown this once. The scope `act_as` lets a back end send `On-Behalf-Of`; every other scope limits the key to what it names.",
    body: { user_id: "chat-back-end", name: "Production", scopes: ["act_as", "conversations"] },
  },
  "GET /api/v1/keys": { id: "keys.list", about: "Live keys, newest first, without their secrets." },
  "POST /api/v1/keys/{id}/rotate": {
    id: "keys.rotate",
    about: "Makes a key with the same rights and the same end, shown this once. The old one ends after the overlap.",
    body: { overlap_s: 3600 },
  },
  "DELETE /api/v1/keys/{id}": { id: "keys.revoke", about: "Revokes a key at once." },
  "POST /api/v1/sign-ins": {
    id: "signIns.create",
    about:
      "Makes a link with which a user signs an MCP host in (`consent`) or opens the console (`console`), once and within ten minutes: for people who own no key. It opens nothing else.",
    body: { user_id: "alice" },
  },
  "GET /api/v1/oauth-clients": {
    id: "oauthClients.list",
    about: "Programs that an admin has made known, by name, without their secrets.",
    query: { limit: 20 },
  },
  "PUT /api/v1/oauth-clients/{name}": {
    id: "oauthClients.put",
    about:
      "Makes a program known that signs users in with an id and a secret, which is shown this once. Of one that is there the name and the addresses change; for another secret delete it and make it anew.",
    body: { display_name: "Claude of the team", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] },
  },
  "DELETE /api/v1/oauth-clients/{name}": {
    id: "oauthClients.delete",
    about: "Forgets a program at once, and ends what its users gave it.",
  },
  "GET /api/v1/grants": {
    id: "grants.list",
    about: "What MCP hosts were given by signing in, newest first, while it goes on.",
  },
  "DELETE /api/v1/grants": { id: "grants.endAll", about: "Signs the caller out of every MCP host." },
  "DELETE /api/v1/grants/{id}": { id: "grants.end", about: "Ends a grant at once, with all its tokens." },
  "GET /api/v1/sessions": {
    id: "sessions.list",
    about: "Where somebody is signed in to the console, newest first, while it goes on.",
  },
  "DELETE /api/v1/sessions/{id}": { id: "sessions.end", about: "Ends a session of the console at once." },
  "GET /api/v1/me": {
    id: "me.get",
    about:
      "Who this key speaks for, what it may do (`rights`, by namespace), and what that user has used of each quota. On behalf of a user it is about that user.",
  },
  "GET /api/v1/audit": {
    id: "audit.list",
    about: "Who changed what, newest first.",
    query: { action: "key.create", since: "2026-01-01T00:00:00Z", limit: 10 },
  },
  "GET /api/v1/users": {
    id: "users.list",
    about:
      "Whoever has a key, a skill, a ghost, a membership or a conversation, by id, with how many of each. Nothing of what they hold.",
    query: { limit: 20 },
  },
  "GET /api/v1/users/{id}/export": {
    id: "users.export",
    about:
      "Everything stored of a user as one JSON document; secrets by name only. Its last member is `complete: true`.",
  },
  "DELETE /api/v1/users/{id}": {
    id: "users.erase",
    about: "Erases a user's data, a stretch at a time: ask again until `complete` is true.",
  },
  "POST /api/v1/search-index": {
    id: "searchIndex.rebuild",
    about: "Writes a stretch of the search index anew. Ask again with `after` = `next` until that is `null`.",
    retry: "idempotent",
    body: { after: 0 },
  },

  "POST /api/v1/groups": {
    id: "groups.create",
    about: "Makes a group, a namespace that several people share. Whoever makes it is its Owner.",
    body: { name: "team", display_name: "The team" },
  },
  "GET /api/v1/groups": {
    id: "groups.list",
    about: "The caller's groups, by name; with `all` an admin's list has every group.",
  },
  "GET /api/v1/groups/{name}": { id: "groups.get", about: "A group, and what it has used of each quota." },
  "PUT /api/v1/groups/{name}": {
    id: "groups.rename",
    about: "Changes how a group is shown. Its name stays.",
    body: { display_name: "The whole team" },
  },
  "DELETE /api/v1/groups/{name}": {
    id: "groups.delete",
    about: "Deletes a group that has no skills, with its members and secrets.",
  },
  "GET /api/v1/groups/{name}/members": { id: "members.list", about: "Who is in a group, by user id." },
  "PUT /api/v1/groups/{name}/members/{user_id}": {
    id: "members.set",
    about: "Adds a member, or changes a member's role.",
    body: { role: "Developer" },
  },
  "DELETE /api/v1/groups/{name}/members/{user_id}": {
    id: "members.remove",
    about: "Takes a member out; oneself: leaves.",
  },

  "POST /api/v1/secrets/rotate": {
    id: "secrets.rotate",
    about: "Encrypts anew what is not under the current key of the deployment. Ask again until nothing remains.",
    retry: "idempotent",
  },
  "GET /api/v1/secrets": {
    id: "secrets.list",
    about: "Secrets by name, never with a value.",
    query: { scope: "user" },
  },
  "GET /api/v1/secrets/{name}": { id: "secrets.get", about: "What is known of a secret, never its value." },
  "PUT /api/v1/secrets/{name}": {
    id: "secrets.set",
    about: "Stores a value that never comes out again. Only servers on one of `hosts` get it.",
    body: { value: "a value of eight or more", hosts: ["api.example.com"] },
  },
  "DELETE /api/v1/secrets/{name}": {
    id: "secrets.delete",
    about: "Deletes a secret; servers that use it stop at their next call.",
  },

  "GET /api/v1/models": {
    id: "models.list",
    about: "The models of an owner, by name, as they were written.",
    query: { scope: "user" },
  },
  "GET /api/v1/models/{name}": { id: "models.get", about: "One model of the chat endpoint." },
  "PUT /api/v1/models/{name}": {
    id: "models.set",
    about: "Stores a model that the chat endpoint may call. `key` names a secret of the same owner.",
    body: model,
  },
  "DELETE /api/v1/models/{name}": {
    id: "models.delete",
    about: "Deletes a model; its requests are refused from then on.",
  },

  "GET /api/v1/mcp-servers": {
    id: "mcpServers.list",
    about: "The MCP servers that every conversation may use, by name.",
  },
  "GET /api/v1/mcp-servers/{name}": { id: "mcpServers.get", about: "One MCP server of the gateway." },
  "PUT /api/v1/mcp-servers/{name}": {
    id: "mcpServers.set",
    about: `Stores an MCP server; the entry is replaced as a whole. \`${secret("NAME")}\` may stand in the path, the query and headers.`,
    body: { url: "https://mcp.example.com/", headers: { authorization: `Bearer ${secret("MCP_KEY")}` }, timeout: 60 },
  },
  "DELETE /api/v1/mcp-servers/{name}": {
    id: "mcpServers.delete",
    about: "Deletes an MCP server. Conversations lose its tools.",
  },
  "POST /api/v1/mcp-servers/{name}/test": {
    id: "mcpServers.test",
    about: "Connects to a server now and says what it offers, or why it does not. Nothing is stored.",
    retry: "safe",
  },
  "POST /api/v1/mcp-servers/{name}/approve": {
    id: "mcpServers.approve",
    about:
      "Connects to a server now and approves the tools that it lists, as they are. With `guard` no other tool of it is offered, and none whose texts have changed since.",
    retry: "safe",
  },
  "GET /api/v1/me/servers": {
    id: "servers.usable",
    about:
      "The MCP servers that every conversation of the caller has: the caller's own, their groups' and the gateway's.",
  },
  "GET /api/v1/servers": {
    id: "servers.list",
    about: "The MCP servers that a user or a group keeps, by name, as they were written.",
  },
  "GET /api/v1/servers/{name}": { id: "servers.get", about: "One MCP server of a user or a group." },
  "PUT /api/v1/servers/{name}": {
    id: "servers.set",
    about: "Stores an MCP server of one's own, or of a group. It uses its owner's secrets and no others.",
    body: { url: "https://mcp.example.com/", headers: { authorization: `Bearer ${secret("MCP_KEY")}` } },
  },
  "DELETE /api/v1/servers/{name}": {
    id: "servers.delete",
    about: "Deletes an MCP server of a user or a group. Conversations lose its tools.",
  },
  "POST /api/v1/servers/{name}/test": {
    id: "servers.test",
    about: "Connects to a server now and says what it offers, or why it does not. Nothing is stored.",
    retry: "safe",
  },
};
