// Records the examples of keys, sign-in, groups, secrets, models, MCP servers, users and the gateway itself.

import { auth } from "@modelcontextprotocol/client";
import { followConnectLink } from "../../../test/support/connect-browser.mjs";
import { importTypeScript } from "../../build/bundle.mjs";

const BACK = "http://127.0.0.1:33418/callback";
const SECRET = { value: "a value of eight or more", hosts: ["mcp.example.com"] };

/** @param {import("./recorder.mjs").Recorder} on */
export async function recordGateway(on) {
  await on.record("gateway.front", { as: "nobody", headers: { Accept: "application/json" } });
  await on.record("gateway.health", { as: "nobody" });
  await on.record("gateway.live", { as: "nobody" });
  await on.record("gateway.keys", { as: "nobody" });
  await on.record("gateway.resource", { as: "nobody" });
  await on.record("gateway.mcpResource", { as: "nobody" });
  await on.record("gateway.metrics", { as: "admin" });
  await on.recordAs("errors.key", "me.get", { as: "nobody", status: 401 });
}

/** Creates the users alice and bob. @param {import("./recorder.mjs").Recorder} on */
export async function recordKeys(on) {
  for (const user of ["alice", "bob"]) {
    const { key } = await on.send("keys.create", { as: "admin", json: { user_id: user, name: "Laptop" } });
    on.addUser(user, key);
  }
  const made = await on.record("keys.create", {
    as: "admin",
    json: { user_id: "chat-back-end", name: "Production", scopes: ["act_as", "conversations"] },
  });
  await on.record("keys.list", { as: "admin", query: { limit: 20 } });
  const path = { id: made.id };
  const next = await on.record("keys.rotate", { as: "admin", path, json: { overlap_s: 3600 } });
  await on.record("keys.revoke", { as: "admin", path: { id: next.id } });
}

/** Signs alice in at an MCP host and at the console. */
export async function recordSignIns(on, url) {
  await on.record("signIns.create", { as: "admin", json: { user_id: "alice" } });
  const client = { display_name: "Claude of the team", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] };
  await on.record("oauthClients.put", { as: "admin", path: { name: "claude" }, json: client });
  await on.record("oauthClients.list", { as: "admin", query: { limit: 20 } });
  await on.record("oauthClients.delete", { as: "admin", path: { name: "claude" } });

  const key = on.keyOf("alice");
  await signInHost(url, key);
  const grants = await on.record("grants.list");
  await on.record("grants.end", { path: { id: grants.items[0].id } });
  await signInHost(url, key);
  await on.record("grants.endAll");

  await openConsole(url, key);
  const sessions = await on.record("sessions.list");
  await on.record("sessions.end", { path: { id: sessions.items[0].id } });
}

/** Signs a user in as an MCP host and the user's browser do. */
async function signInHost(url, key) {
  const { SignedInHost, Visitor } = await importTypeScript("test/smoke/visitor.ts");
  const host = new SignedInHost(BACK, async (address) => {
    const visitor = new Visitor(BACK);
    const page = (await visitor.go(address)).url.href;
    await visitor.post(page, { how: "key", key });
    return (await visitor.post(page, { how: "approve" })).url;
  });
  host.clientMetadata.client_name = "Editor";
  let discovered;
  host.discoveryState = () => discovered;
  host.saveDiscoveryState = (state) => {
    discovered = state;
  };
  const serverUrl = new URL("/mcp", url).href;
  await auth(host, { serverUrl });
  await auth(host, { serverUrl, authorizationCode: host.code, iss: host.iss });
}

async function openConsole(url, key) {
  const response = await fetch(new URL("/console/api/session", url), {
    method: "POST",
    headers: { "content-type": "application/json", "x-skillgate-console": "1", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ key }),
  });
  if (response.status !== 201) throw new Error(`The console returned ${response.status}: ${await response.text()}`);
}

/** @param {import("./recorder.mjs").Recorder} on */
export async function recordGroups(on) {
  await on.record("groups.create", { as: "admin", json: { name: "team", display_name: "The team" } });
  const path = { name: "team" };
  await on.record("members.set", { as: "admin", path: { ...path, user_id: "alice" }, json: { role: "Maintainer" } });
  await on.send("members.set", { as: "admin", path: { ...path, user_id: "bob" }, json: { role: "Developer" } });
  await on.record("members.list", { path });
  await on.record("members.remove", { path: { ...path, user_id: "bob" } });
  await on.record("groups.list");
  await on.record("groups.get", { path });
  await on.record("groups.rename", { as: "admin", path, json: { display_name: "The whole team" } });
  await on.send("groups.create", { as: "admin", json: { name: "trial" } });
  await on.record("groups.delete", { as: "admin", path: { name: "trial" } });
}

/**
 * @param {import("./recorder.mjs").Recorder} on
 * @param {{ url: string }} weather an MCP server
 */
export async function recordServers(on, weather) {
  await on.record("secrets.set", { path: { name: "NOTES_TOKEN" }, json: SECRET });
  await on.record("secrets.list", { query: { scope: "user" } });
  await on.record("secrets.get", { path: { name: "NOTES_TOKEN" } });
  await on.record("secrets.rotate", { as: "admin" });

  const publisher = {
    issuer: "https://token.actions.githubusercontent.com",
    claims: { repository: "acme/skills", environment: "release" },
    skills: ["mermaid-diagram"],
  };
  await on.record("publishers.set", { path: { name: "releases" }, json: publisher });
  await on.record("publishers.list", { query: { scope: "user" } });
  await on.record("publishers.get", { path: { name: "releases" } });
  await on.record("publishers.delete", { path: { name: "releases" } });

  const hosts = ["api.openai.com"];
  await on.send("secrets.set", { path: { name: "OPENAI_KEY" }, json: { ...SECRET, hosts } });
  const model = {
    api: ["openai-chat"],
    base_url: "https://api.openai.com/v1",
    model: "gpt-6-sol",
    key: `\${{secrets.OPENAI_KEY}}`,
  };
  await on.record("models.set", { path: { name: "gpt-6-sol" }, json: model });
  await on.record("models.list", { query: { scope: "user" } });
  await on.record("models.get", { path: { name: "gpt-6-sol" } });
  await on.record("models.delete", { path: { name: "gpt-6-sol" } });
  await on.record("secrets.delete", { path: { name: "OPENAI_KEY" } });

  const own = { path: { name: "notes" } };
  await on.record("servers.set", { ...own, json: { url: weather.url } });
  await on.record("servers.list");
  await on.record("servers.get", own);
  await on.record("servers.test", own);
  await on.record("servers.usable");
  await on.record("servers.delete", own);

  await recordWebhooks(on, weather);

  const shared = { as: "admin", path: { name: "weather" } };
  await on.record("mcpServers.set", { ...shared, json: { url: weather.url, timeout: 60, guard: true } });
  await on.record("mcpServers.list", { as: "admin" });
  await on.record("mcpServers.get", shared);
  await on.record("mcpServers.test", shared);
  await on.record("mcpServers.approve", shared);
  const { items } = await on.record("mcpServers.listSkills", shared);
  await on.record("mcpServers.approveSkill", { ...shared, json: { uri: items[0].uri, digest: items[0].digest } });
  const trial = { as: "admin", path: { name: "trial" } };
  await on.send("mcpServers.set", { ...trial, json: { url: weather.url } });
  await on.record("mcpServers.delete", trial);
}

/**
 * @param {import("./recorder.mjs").Recorder} on
 * @param {{ url: string }} server an MCP server that requires a sign-in
 */
export async function recordConnections(on, { url }) {
  const tickets = { path: { name: "tickets" } };
  await on.send("servers.set", { ...tickets, json: { url } });
  const { url: link } = await on.record("connections.create", { ...tickets, json: {} });
  const page = await followConnectLink(link, on.keyOf("alice"));
  if (page !== "200 Connected") throw new Error(`The sign-in ended with ${page}.`);
  const { items } = await on.record("connections.list");
  await on.record("connections.delete", { path: { id: items[0].id } });
  await on.send("servers.delete", tickets);
}

/** @param {import("./recorder.mjs").Recorder} on */
export async function recordCatalog(on) {
  await on.record("mcpServers.searchCatalog", { query: { q: "notion" } });
}

/** @param {import("./recorder.mjs").Recorder} on */
export async function recordUsers(on) {
  await on.record("me.get");
  await on.record("audit.list", { as: "admin", query: { action: "key.create", limit: 10 } });
  await on.record("executor.get", { as: "admin" });
  await on.record("users.list", { as: "admin", query: { limit: 20 } });
  await on.record("users.export", { path: { id: "alice" } });
  await on.record("users.erase", { as: "admin", path: { id: "bob" } });
  await on.record("searchIndex.rebuild", { as: "admin", json: { after: 0 } });
}

/** The MCP server rejects the events, so the list of deliveries shows a retry. */
async function recordWebhooks(on, weather) {
  const hook = { path: { name: "releases" } };
  await on.record("webhooks.set", { ...hook, json: { url: weather.url, events: ["skill.published", "skill.yanked"] } });
  await on.record("webhooks.list");
  await on.record("webhooks.get", hook);
  await on.record("webhooks.rotateSecret", hook);
  const { id } = await on.record("webhooks.test", hook);
  await on.record("webhooks.resend", { path: { ...hook.path, id } });
  await on.record("webhooks.deliveries", hook);
  await on.record("webhooks.delete", hook);
  // A place before the first event, so that the example has some.
  await on.record("events.list", { query: { last_event_id: `${Date.now()}.0` } });
}
