// Keys, groups, secrets, models, servers, operation, and routes without a key.

import type { OperationTexts } from "./operation";

/** A reference to a secret in an entry. The gateway fills it in when it sends a request. */
const secret = (name: string) => `\${{secrets.${name}}}`;

const model = {
  api: ["openai-chat"],
  base_url: "https://api.openai.com/v1",
  model: "gpt-6-sol",
  key: secret("OPENAI_KEY"),
};

export const ADMINISTRATION_TEXTS: OperationTexts = {
  "GET /": { id: "gateway.front", about: "Returns links to the documentation and the console, as HTML or JSON." },
  "GET /health": {
    id: "gateway.health",
    about:
      "Returns whether the gateway and its storage work. `degraded` means that the gateway works except for what `issues` lists.",
  },
  "GET /health/live": {
    id: "gateway.live",
    about:
      "Returns that the gateway responds. A supervisor restarts a gateway that does not answer this. `/health` is for load balancers: it fails while storage does not respond.",
  },
  "GET /.well-known/oauth-protected-resource": {
    id: "gateway.resource",
    about: "Returns the metadata that clients use to find the sign-in.",
  },
  "GET /.well-known/oauth-protected-resource/mcp": {
    id: "gateway.mcpResource",
    about: "Returns the metadata that MCP hosts use to find the sign-in.",
  },
  "GET /.well-known/jwks.json": {
    id: "gateway.keys",
    about:
      "Returns the public keys of the signatures of versions, as a JSON Web Key Set. The current key is first; previous ones stay until the operator removes them.",
  },
  "GET /metrics": {
    id: "gateway.metrics",
    about:
      "Returns metrics in the OpenMetrics text format, for example for Prometheus. Needs `METRICS=on`. Admins only.",
  },

  "POST /api/v1/keys": {
    id: "keys.create",
    about:
      "Creates an API key. The key is returned only once. The scope `act_as` allows `On-Behalf-Of`; every other scope limits the key. Admins only.",
    body: { user_id: "chat-back-end", name: "Production", scopes: ["act_as", "conversations"] },
  },
  "GET /api/v1/keys": {
    id: "keys.list",
    about: "Lists valid keys, newest first, without their secrets. Admins see the keys of all users.",
  },
  "POST /api/v1/keys/{id}/rotate": {
    id: "keys.rotate",
    about:
      "Creates a key with the same rights and the same expiry time. The new key is returned only once. The old key expires after the overlap.",
    body: { overlap_s: 3600 },
  },
  "DELETE /api/v1/keys/{id}": { id: "keys.revoke", about: "Revokes a key immediately. Admins can revoke any key." },
  "POST /api/v1/sign-ins": {
    id: "signIns.create",
    about:
      "Creates a one-time link that signs a user in, valid for 10 minutes: to allow an MCP host (`consent`) or to open the console (`console`). Use it for people without a key. Needs an admin or the scope `act_as`.",
    body: { user_id: "alice" },
  },
  "GET /api/v1/oauth-clients": {
    id: "oauthClients.list",
    about: "Lists registered OAuth clients by name, without their secrets. Admins only.",
    query: { limit: 20 },
  },
  "PUT /api/v1/oauth-clients/{name}": {
    id: "oauthClients.put",
    about:
      "Registers an OAuth client with an id and a secret. The secret is returned only once. For an existing client, only the display name and the redirect URIs change; delete and create it again to get a new secret. Admins only.",
    body: { display_name: "Claude of the team", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] },
  },
  "DELETE /api/v1/oauth-clients/{name}": {
    id: "oauthClients.delete",
    about: "Deletes an OAuth client immediately and revokes its grants. Admins only.",
  },
  "POST /api/v1/mcp-servers/{name}/connect": {
    id: "connections.create",
    about:
      "Creates a link with which the caller signs in to an MCP server that requires OAuth. The server is the caller's own of this name, else a group's, else the gateway's. The user opens the link within 10 minutes.",
    body: {},
  },
  "GET /api/v1/connections": {
    id: "connections.list",
    about: "Lists the caller's connections to MCP servers, oldest first, without their tokens.",
  },
  "POST /api/v1/connections/{id}/confirm": {
    id: "connections.confirm",
    about:
      "Activates a connection that was requested with `return_to`. The page at `return_to` receives the id and the proof in the fragment of its URL and must confirm as the same user within 10 minutes. A proof of another user's connection deletes that connection.",
    body: { proof: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
  },
  "DELETE /api/v1/connections/{id}": {
    id: "connections.delete",
    about: "Deletes a connection immediately and revokes its tokens at the issuer (RFC 7009).",
  },
  "GET /api/v1/grants": {
    id: "grants.list",
    about: "Lists valid sign-ins of MCP hosts (grants), newest first. Admins see the grants of all users.",
  },
  "DELETE /api/v1/grants": {
    id: "grants.endAll",
    about: "Revokes all grants of the caller, which signs out every MCP host.",
  },
  "DELETE /api/v1/grants/{id}": { id: "grants.end", about: "Revokes a grant and all its tokens immediately." },
  "GET /api/v1/sessions": {
    id: "sessions.list",
    about: "Lists valid console sessions, newest first. Admins see the sessions of all users.",
  },
  "DELETE /api/v1/sessions/{id}": { id: "sessions.end", about: "Ends a console session immediately." },
  "GET /api/v1/me": {
    id: "me.get",
    about:
      "Returns the caller, its rights by namespace (`rights`) and its quota usage. With `On-Behalf-Of`, the response describes that user.",
  },
  "GET /api/v1/audit": {
    id: "audit.list",
    about: "Lists audit records, newest first. Admins only.",
    query: { action: "key.create", since: "2026-01-01T00:00:00Z", limit: 10 },
  },
  "GET /api/v1/executor": {
    id: "executor.get",
    about:
      "Returns whether the executor can run scripts, its Python packages, and the sets of packages that it has installed for skills. `problem` says what is missing and how to install it. The gateway asks the executor at most once a minute. Admins only.",
  },
  "GET /api/v1/users": {
    id: "users.list",
    about:
      "Lists every user who has a key, skill, agent (ghost), membership or conversation, with counts only. The response contains no content and no conversation ids. Admins only.",
    query: { limit: 20 },
  },
  "GET /api/v1/users/{id}/export": {
    id: "users.export",
    about:
      "Exports all stored data of a user as one JSON document. Secrets are listed by name only. The last member is `complete: true`. For the user or an admin.",
  },
  "DELETE /api/v1/users/{id}": {
    id: "users.erase",
    about:
      "Erases the data of a user in batches. Repeat the request until `complete` is true. For the user or an admin.",
  },
  "POST /api/v1/search-index": {
    id: "searchIndex.rebuild",
    about:
      "Rebuilds a part of the search index. Repeat the request with `after` set to `next` until `next` is `null`. Admins only.",
    retry: "idempotent",
    body: { after: 0 },
  },

  "POST /api/v1/groups": {
    id: "groups.create",
    about:
      "Creates a group, a namespace shared by several users. The caller becomes its Owner. Admins only, unless `GROUPS_OPEN=true`.",
    body: { name: "team", display_name: "The team" },
  },
  "GET /api/v1/groups": {
    id: "groups.list",
    about: "Lists your groups by name. With `all`, admins see every group.",
  },
  "GET /api/v1/groups/{name}": { id: "groups.get", about: "Returns a group and its quota usage." },
  "PUT /api/v1/groups/{name}": {
    id: "groups.rename",
    about: "Changes the display name of a group. Its name cannot be changed. Needs the role Owner.",
    body: { display_name: "The whole team" },
  },
  "DELETE /api/v1/groups/{name}": {
    id: "groups.delete",
    about:
      "Deletes a group without skills and agents (ghosts), including its members and secrets. Needs the role Owner.",
  },
  "GET /api/v1/groups/{name}/members": { id: "members.list", about: "Lists the members of a group by user id." },
  "PUT /api/v1/groups/{name}/members/{user_id}": {
    id: "members.set",
    about:
      "Adds a member or changes a member's role. Maintainers can assign roles below their own; Owners can assign all roles.",
    body: { role: "Developer" },
  },
  "DELETE /api/v1/groups/{name}/members/{user_id}": {
    id: "members.remove",
    about: "Removes a member from a group. Members can remove themselves.",
  },

  "GET /api/v1/publishers": {
    id: "publishers.list",
    about: "Lists trusted publishers by name: the CI jobs that can publish without a stored key.",
    query: { scope: "user" },
  },
  "GET /api/v1/publishers/{name}": {
    id: "publishers.get",
    about: "Returns a trusted publisher, with its last use and the reason of its last refusal.",
  },
  "PUT /api/v1/publishers/{name}": {
    id: "publishers.set",
    about:
      "Creates or replaces a trusted publisher. Keys of the replaced one end immediately. For a group, needs the role Maintainer; for public skills, an admin.",
    body: {
      issuer: "https://token.actions.githubusercontent.com",
      claims: { repository: "acme/skills", environment: "release" },
      skills: ["mermaid-diagram"],
    },
  },
  "DELETE /api/v1/publishers/{name}": {
    id: "publishers.delete",
    about: "Deletes a trusted publisher. Its keys end immediately.",
  },
  "POST /api/v1/trusted-publishing/token": {
    id: "publishers.exchange",
    about:
      "Exchanges the OIDC token of a CI job for a key that can only publish the skills of its publisher. Each token can be exchanged once. Without `publisher`, only publishers of public skills are considered.",
    body: {
      token: "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2NpIn0.c2ln",
      publisher: "pub_01KB0000000000000000000000",
    },
  },

  "POST /api/v1/secrets/rotate": {
    id: "secrets.rotate",
    about:
      "Re-encrypts secrets that are not encrypted with the current key. Repeat the request until `remaining` is 0. Admins only.",
    retry: "idempotent",
  },
  "GET /api/v1/secrets": {
    id: "secrets.list",
    about: "Lists secrets by name, without values.",
    query: { scope: "user" },
  },
  "GET /api/v1/secrets/{name}": { id: "secrets.get", about: "Returns a secret without its value." },
  "PUT /api/v1/secrets/{name}": {
    id: "secrets.set",
    about: "Creates or replaces a secret. Its value is never returned and is sent only to `hosts`.",
    body: { value: "a value of eight or more", hosts: ["api.example.com"] },
  },
  "DELETE /api/v1/secrets/{name}": {
    id: "secrets.delete",
    about: "Deletes a secret. Servers that use it fail at their next call.",
  },

  "GET /api/v1/models": {
    id: "models.list",
    about: "Lists the models of an owner by name.",
    query: { scope: "user" },
  },
  "GET /api/v1/models/{name}": { id: "models.get", about: "Returns a model of the chat endpoint." },
  "PUT /api/v1/models/{name}": {
    id: "models.set",
    about: "Creates or replaces a model of the chat endpoint. `key` refers to a secret of the same owner.",
    body: model,
  },
  "DELETE /api/v1/models/{name}": {
    id: "models.delete",
    about: "Deletes a model. Requests that name it fail.",
  },

  "GET /api/v1/mcp-servers": {
    id: "mcpServers.list",
    about: "Lists the gateway's MCP servers, which are available in every conversation. Admins only.",
  },
  "GET /api/v1/mcp-servers/{name}": {
    id: "mcpServers.get",
    about:
      "Returns an MCP server of the gateway, with its scheduled checks and what the last check found of the skills approved from it. Admins only.",
  },
  "PUT /api/v1/mcp-servers/{name}": {
    id: "mcpServers.set",
    about: `Creates or replaces an MCP server of the gateway. \`${secret("NAME")}\` is allowed in the path, the query and headers. Admins only.`,
    body: { url: "https://mcp.example.com/", headers: { authorization: `Bearer ${secret("MCP_KEY")}` }, timeout: 60 },
  },
  "DELETE /api/v1/mcp-servers/{name}": {
    id: "mcpServers.delete",
    about: "Deletes an MCP server of the gateway. Conversations lose its tools. Admins only.",
  },
  "POST /api/v1/mcp-servers/{name}/test": {
    id: "mcpServers.test",
    about: "Connects to an MCP server and returns its tools or the error. Nothing is stored. Admins only.",
    retry: "safe",
  },
  "POST /api/v1/mcp-servers/{name}/approve": {
    id: "mcpServers.approve",
    about:
      "Connects to an MCP server and approves its current tools. With `guard`, only approved and unchanged tools are offered. Admins only.",
    retry: "safe",
  },
  "GET /api/v1/mcp-servers/{name}/skills": {
    id: "mcpServers.listSkills",
    about:
      "Connects to an MCP server and returns the skills that it offers (SEP-2640), with the digest that an approval names. No file of a skill is read. Admins only.",
  },
  "POST /api/v1/mcp-servers/{name}/skills": {
    id: "mcpServers.approveSkill",
    about:
      "Approves a skill as it was listed: fetches its files, compares them with the list, and publishes them as the public skill `<server>-<name>`. A skill that changed since it was listed is 409 `SERVER_SKILL_CHANGED`. Admins only.",
    body: { uri: "skill://tides/SKILL.md", digest: `sha256:${"9f".repeat(32)}` },
    retry: "safe",
  },
  "GET /api/v1/server-catalog": {
    id: "mcpServers.searchCatalog",
    about:
      "Searches MCP servers that can be added: a curated list of hosted servers first, then the registry in `MCP_REGISTRY_URL`. To add one, send its `type` and `url` with `mcpServers.set` or `servers.set`. If the registry does not respond, `registry` is `unavailable` and `items` has the curated servers only.",
    query: { q: "notion" },
  },
  "GET /api/v1/me/servers": {
    id: "servers.usable",
    about: "Lists the MCP servers of all your conversations: your own, those of your groups, and the gateway's.",
  },
  "GET /api/v1/me/skill-env": {
    id: "skillEnv.list",
    about: "Lists your own values of skills' variables by skill and name, without the values.",
    query: { limit: 20 },
  },
  "GET /api/v1/me/skill-env/{skill}": {
    id: "skillEnv.get",
    about:
      "Returns the hosts and variables that the current version of a skill declares, your own and shared values without the values, and the variables without a value. A name that several skills have is 409 `SKILL_AMBIGUOUS` with their ids.",
  },
  "PUT /api/v1/me/skill-env/{skill}": {
    id: "skillEnv.set",
    about:
      "Sets your values of the named variables; others stay. The skill's code receives placeholders, and the gateway puts a value into headers of requests to its hosts only. If a later version declares more hosts, set the value again to send it there. A variable that the current version does not declare is 400 `ENV_NOT_DECLARED`.",
    body: { values: { GITHUB_TOKEN: "ghp_0123456789abcdef" }, hosts: ["api.github.com"] },
  },
  "DELETE /api/v1/me/skill-env/{skill}": {
    id: "skillEnv.delete",
    about: "Deletes your value of one variable, or without `name` all your values of the skill.",
    query: { name: "GITHUB_TOKEN" },
  },
  "GET /api/v1/servers": {
    id: "servers.list",
    about: "Lists the MCP servers of a user or group by name.",
  },
  "GET /api/v1/servers/{name}": { id: "servers.get", about: "Returns an MCP server of a user or group." },
  "PUT /api/v1/servers/{name}": {
    id: "servers.set",
    about: "Creates or replaces an MCP server of a user or group. It can use only the secrets of its owner.",
    body: { url: "https://mcp.example.com/", headers: { authorization: `Bearer ${secret("MCP_KEY")}` } },
  },
  "DELETE /api/v1/servers/{name}": {
    id: "servers.delete",
    about: "Deletes an MCP server of a user or group. Conversations lose its tools.",
  },
  "POST /api/v1/servers/{name}/test": {
    id: "servers.test",
    about: "Connects to an MCP server and returns its tools or the error. Nothing is stored.",
    retry: "safe",
  },
  "GET /api/v1/reports": {
    id: "reports.list",
    about: "Lists the reports of users about skills and ratings. Admins only.",
    query: { state: "open", limit: 10 },
  },
  "PUT /api/v1/reports/{id}/decision": {
    id: "reports.decide",
    about:
      "Decides a report. `rating_hidden` also hides the reported rating. To act on a skill, block its version, close it or delete it, and decide `resolved`. Admins only.",
    body: { decision: "dismissed", note: "Nothing is wrong with it." },
  },
  "GET /api/v1/webhooks": {
    id: "webhooks.list",
    about: "Lists your webhooks, those of a group, or those of the gateway, by name.",
  },
  "GET /api/v1/webhooks/{name}": { id: "webhooks.get", about: "Returns a webhook without its secret." },
  "PUT /api/v1/webhooks/{name}": {
    id: "webhooks.set",
    about:
      "Creates or replaces a webhook. It receives the events of your skills, of a group's skills, or (scope `gateway`) of public skills, signed as in Standard Webhooks 1.0. The response that creates it has its `secret`; replacing keeps the secret and enables a webhook that the gateway disabled.",
    body: { url: "https://hooks.example.com/skills", events: ["skill.published", "skill.yanked"] },
  },
  "DELETE /api/v1/webhooks/{name}": {
    id: "webhooks.delete",
    about: "Deletes a webhook and its deliveries. Events that wait are not sent.",
  },
  "POST /api/v1/webhooks/{name}/rotate": {
    id: "webhooks.rotateSecret",
    about:
      "Replaces the secret of a webhook at once, and returns the new one. Later attempts of older events use it, too.",
  },
  "POST /api/v1/webhooks/{name}/test": {
    id: "webhooks.test",
    about: "Sends the event `webhook.test` to a webhook. The list of deliveries has the result.",
  },
  "GET /api/v1/webhooks/{name}/deliveries": {
    id: "webhooks.deliveries",
    about:
      "Lists the deliveries of a webhook, newest first, with the status of the last attempt. Ended ones are kept for 30 days.",
  },
  "POST /api/v1/webhooks/{name}/deliveries/{id}/resend": {
    id: "webhooks.resend",
    about: "Sends a delivery again under the same id, with all its attempts.",
  },
};
