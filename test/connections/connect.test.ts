// Users sign in to MCP servers: the way from the link to a call with the user's token, in conversations and through the proxy.

import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { scheduled } from "../../src/cron";
import { askWith } from "../support/app";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { connectedTurn, talk, textOf } from "../support/chat-turns";
import {
  connect,
  connected,
  connectionsOf,
  linkFor,
  type ProtectedServer,
  protectedServer,
  signInAt,
  throughIssuer,
} from "../support/connections";
import { logged } from "../support/logs";
import { fetchWith } from "../support/proxy";
import { gatewayServers } from "../support/servers";
import { Browser } from "../support/sign-in";
import { stored } from "../support/stored";

/** As `vitest.config.ts` sets it. */
const POOL_SECRETS_KEY = "c2VjcmV0cyBvZiB0aGUgcG9vbCBhcmUgbm90IHNlY3I=";

beforeEach(() => gatewayServers({}));

const codeOf = async (answer: Response) => `${answer.status} ${(await answer.json<{ code: string }>()).code}`;

/** Calls a tool through the proxy, as an MCP host does. */
async function proxied(server: ProtectedServer, key: string, tool: string): Promise<string> {
  const answer = await fetchWith(key)(`https://gateway.test/mcp/servers/${server.name}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } }),
  });
  return answer.text();
}

/** Asks for a link that returns to a product's page. Returns its path. */
async function linkForPage(server: ProtectedServer, key: string): Promise<string> {
  const made = await askWith(
    { ALLOWED_ORIGINS: "https://product.example" },
    `/api/v1/mcp-servers/${server.name}/connect`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ return_to: "https://product.example/chat?c=1" }),
    },
  );
  return new URL((await made.json<{ url: string }>()).url).pathname;
}

/** Follows such a link. Returns what the page receives. */
async function pageReturns(pathname: string): Promise<{ id: string; proof: string }> {
  const browser = new Browser();
  await (await browser.send(pathname)).text();
  const back = await browser.send(await throughIssuer(await browser.post(pathname, { how: "continue" })));
  const returned = new URLSearchParams(new URL(back.headers.get("location") ?? "").hash.slice(1));
  return { id: returned.get("connection") ?? "", proof: returned.get("proof") ?? "" };
}

describe("connecting a server", () => {
  it("shows server, issuer and user, signs in, and uses the user's token in a conversation and through the proxy", async () => {
    const [server, key] = [await protectedServer({ account: "jo at the server" }), await keyFor("jo")];
    const browser = new Browser();
    const path = await linkFor(server, key);
    const page = await (await browser.send(path)).text();
    for (const shown of [`Connect ${server.name}`, server.url, "<strong>jo</strong>", new URL(server.url).host])
      expect(page).toContain(shown);
    const redirect = await browser.post(path, { how: "key", key });
    const done = await browser.send(await throughIssuer(redirect));
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining("Connected")]);

    const chat = await talk({ key });
    await connectedTurn(chat);
    expect(textOf(await chat.use(`${server.name}__whoami`))).toBe("you are jo at the server");
    expect(await proxied(server, key, "whoami")).toContain("you are jo at the server");
    expect(await connectionsOf(key)).toEqual([
      expect.objectContaining({ server: server.name, state: "active", url: server.url, granted: ["tools", "read"] }),
    ]);
  });

  it("requests the resource, the challenged scopes and a code for its verifier, as a client that it registered", async () => {
    const { server } = await connected();
    const { authorizations, registrations, tokens } = await server.log();
    expect(registrations).toEqual([
      expect.objectContaining({ redirect_uris: ["https://gateway.test/oauth/connect/callback"] }),
    ]);
    expect(authorizations).toEqual([
      expect.objectContaining({
        resource: server.url,
        scope: "tools read",
        code_challenge_method: "S256",
        redirect_uri: "https://gateway.test/oauth/connect/callback",
        state: expect.stringMatching(/^cnr_\w+\.[0-9a-f]{64}$/),
      }),
    ]);
    expect(tokens).toEqual([expect.objectContaining({ grant_type: "authorization_code", resource: server.url })]);
  });

  it("registers once for all users, and identifies itself by its document where the issuer reads documents", async () => {
    const first = await connected();
    await connect(first.server, await keyFor("second"));
    expect((await first.server.log()).registrations).toHaveLength(1);

    const reading = await connected({ readsDocuments: true });
    const { authorizations, registrations } = await reading.server.log();
    expect(registrations).toEqual([]);
    const clientId = authorizations[0]?.client_id ?? "";
    expect(clientId).toBe("https://gateway.test/oauth/client.json");
    const document = await new Browser().send(new URL(clientId).pathname);
    expect(await document.json()).toMatchObject({
      client_id: clientId,
      redirect_uris: ["https://gateway.test/oauth/connect/callback"],
      token_endpoint_auth_method: "none",
    });
  });

  it("uses the client and the scopes that the entry names, with a secret for the issuer's host only", async () => {
    const key = await keyFor("named");
    const oauth = { client_id: "named-client", client_secret: `\${{secrets.NAMED}}`, scopes: ["one", "two"] };
    const server = await protectedServer({ registers: false, clients: { "named-client": "a-long-secret" } }, { oauth });
    const ask = async () =>
      (await call("POST", `/api/v1/mcp-servers/${server.name}/connect`, { key, json: {} })).json<{ detail?: string }>();
    expect((await ask()).detail).toContain("the secret 'NAMED' was not found");
    const put = (hosts: string[]) =>
      call("PUT", "/api/v1/secrets/NAMED", { json: { value: "a-long-secret", hosts, scope: "gateway" } });
    await put(["other.example"]);
    expect((await ask()).detail).toContain("is not bound to the host 127.0.0.1");
    await put(["127.0.0.1"]);
    expect((await connect(server, key)).status).toBe(200);
    expect((await server.log()).authorizations).toEqual([
      expect.objectContaining({ client_id: "named-client", scope: "one two" }),
    ]);
    const literal = { url: server.url, oauth: { client_id: "a", client_secret: "a literal secret" } };
    expect((await call("PUT", "/api/v1/mcp-servers/literal", { json: literal })).status).toBe(400);
  });

  it("finds issuers of servers without metadata at their origin", async () => {
    const server = await protectedServer({ plain: true });
    const answer = await call("POST", `/api/v1/mcp-servers/${server.name}/connect`, {
      key: await keyFor("plain"),
      json: {},
    });
    // The origin of the test servers has no metadata and accepts no registration.
    expect(await codeOf(answer)).toBe("409 SIGN_IN_UNAVAILABLE");
  });

  it("lets a user continue with a sign-in link, and with the console's session", async () => {
    const server = await protectedServer();
    const key = await keyFor("linked");
    const link = await (await call("POST", "/api/v1/sign-ins", { json: { user_id: "linked" } })).json<{
      url: string;
    }>();
    const redirect = await signInAt(new Browser(), await linkFor(server, key), link.url);
    expect(redirect.status).toBe(303);

    const browser = new Browser();
    const session = await browser.send("/console/api/session", {
      method: "POST",
      headers: { "x-skillgate-console": "1", origin: "https://gateway.test", "content-type": "application/json" },
      body: JSON.stringify({ key }),
    });
    expect(session.status).toBeLessThan(300);
    const path = await linkFor(server, key);
    expect(await (await browser.send(path)).text()).toContain("Continue as linked");
    const done = await browser.send(await throughIssuer(await browser.post(path, { how: "session" })));
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining("Connected")]);

    // As for other changes of credentials, the session must be recent.
    await env.DB.prepare("UPDATE console_sessions SET created_at = created_at - 900000 WHERE user_id = 'linked'").run();
    const later = await linkFor(server, key);
    expect(await (await browser.send(later)).text()).not.toContain("Continue as linked");
    const stale = await browser.post(later, { how: "session" });
    expect([stale.status, await stale.text()]).toEqual([400, expect.stringContaining("older than 15 minutes")]);
  });

  it("returns to the page that asked, which confirms as the same user", async () => {
    const [server, key] = [await protectedServer(), await keyFor("page-user")];
    const pathname = await linkForPage(server, key);
    const browser = new Browser();
    const page = await (await browser.send(pathname)).text();
    expect(page).toContain("https://product.example");
    expect(page).not.toContain('name="key"');
    const back = await browser.send(await throughIssuer(await browser.post(pathname, { how: "continue" })));
    const location = new URL(back.headers.get("location") ?? "");
    expect(location.origin + location.pathname + location.search).toBe("https://product.example/chat?c=1");
    const returned = new URLSearchParams(location.hash.slice(1));
    const [id, proof] = [returned.get("connection") ?? "", returned.get("proof") ?? ""];

    expect(await connectionsOf(key)).toEqual([expect.objectContaining({ id, state: "pending" })]);
    expect(await proxied(server, key, "whoami")).toContain("sign in");
    const confirmed = await call("POST", `/api/v1/connections/${id}/confirm`, { key, json: { proof } });
    expect(await confirmed.json()).toMatchObject({ id, state: "active" });
    expect(await proxied(server, key, "whoami")).toContain("you are account");
    // A proof works once.
    expect(await codeOf(await call("POST", `/api/v1/connections/${id}/confirm`, { key, json: { proof } }))).toBe(
      "404 CONNECTION_NOT_FOUND",
    );
  });

  it("refuses servers that need no sign-in, have their own credentials, offer no client, or do not exist", async () => {
    const key = await keyFor("refused");
    const connectTo = async (name: string, body: object = {}) =>
      codeOf(await call("POST", `/api/v1/mcp-servers/${name}/connect`, { key, json: body }));
    expect(await connectTo("nothing")).toBe("404 MCP_SERVER_NOT_FOUND");
    const fixed = await protectedServer({}, { headers: { Authorization: "Bearer fixed" } });
    expect(await connectTo(fixed.name)).toBe("409 SIGN_IN_NOT_NEEDED");
    const closed = await protectedServer({ registers: false });
    expect(await connectTo(closed.name)).toBe("409 SIGN_IN_NEEDS_CLIENT");
    const open = await protectedServer();
    expect(await connectTo(open.name, { return_to: "https://other.example/" })).toBe("400 INVALID_REQUEST");
    const off = await protectedServer({}, { enabled: false });
    expect(await connectTo(off.name)).toBe("404 MCP_SERVER_NOT_FOUND");
  });
});

describe("a connection", () => {
  it("is of one user: nobody else calls with it, sees it or deletes it", async () => {
    const { server, id } = await connected();
    const other = await keyFor("somebody-else");
    expect(await proxied(server, other, "whoami")).toContain("sign in");
    expect(await connectionsOf(other)).toEqual([]);
    expect(await codeOf(await call("DELETE", `/api/v1/connections/${id}`, { key: other }))).toBe(
      "404 CONNECTION_NOT_FOUND",
    );
  });

  it("ends when it is deleted, and its tokens are revoked", async () => {
    const { server, key, id } = await connected();
    expect(await proxied(server, key, "whoami")).toContain("you are account");
    expect((await call("DELETE", `/api/v1/connections/${id}`, { key })).status).toBe(204);
    expect(await connectionsOf(key)).toEqual([]);
    expect(await proxied(server, key, "whoami")).toContain("sign in");
    await vi.waitFor(async () => expect((await server.log()).revoked).toHaveLength(2));
  });

  it("is replaced by the next sign-in to the same server, which revokes the earlier tokens", async () => {
    const { server, key, id } = await connected();
    await server.change({ account: "another account" });
    await (await connect(server, key)).text();
    const [now, ...others] = await connectionsOf(key);
    expect([now?.id === id, others]).toEqual([false, []]);
    expect(await proxied(server, key, "whoami")).toContain("you are another account");
    expect((await server.log()).revoked).toHaveLength(2);
  });

  it("is not used for another URL of its server", async () => {
    const { server, key } = await connected();
    const elsewhere = await protectedServer();
    await call("PUT", `/api/v1/mcp-servers/${server.name}`, { json: { url: elsewhere.url } });
    expect(await proxied(server, key, "whoami")).toContain("sign in");
    const { calls } = await elsewhere.log();
    expect(calls.map(({ authorization }) => authorization).filter((one) => one !== "")).toEqual([]);
  });

  it("is encrypted: tokens are in no row, export, log entry or result", async () => {
    const { server, key, user } = await connected();
    const chat = await talk({ key });
    await connectedTurn(chat);
    const leaked = textOf(await chat.use(`${server.name}__leak`));
    expect(leaked).toBe(`your token is Bearer [secret token of ${server.name}]`);
    expect(await proxied(server, key, "leak")).toContain("[secret token of");
    const { calls } = await server.log();
    const token =
      calls.map(({ authorization }) => authorization.replace("Bearer ", "")).find((one) => one !== "") ?? "";
    expect(token).toMatch(/^at-/);
    const texts = [
      await stored(user, chat.route),
      await (await call("GET", `/api/v1/users/${user}/export`)).text(),
      await (await call("GET", "/api/v1/audit")).text(),
      await (await call("GET", "/api/v1/connections", { key })).text(),
    ];
    for (const text of texts) expect(text).toContain(server.name.slice(0, 9));
    for (const text of [...texts, ...logged(/./)]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain("secret-");
    }
  });

  it("is erased with its user, and its tokens are revoked", async () => {
    const { server, key, user } = await connected();
    await linkFor(server, key);
    const erased = await call("DELETE", `/api/v1/users/${user}`);
    expect(await erased.json()).toMatchObject({ complete: true });
    const rows = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM connections WHERE user_id = ?1) + (SELECT count(*) FROM connect_requests WHERE user_id = ?1) AS left",
    )
      .bind(user)
      .first<{ left: number }>();
    expect(rows?.left).toBe(0);
    expect((await server.log()).revoked).toHaveLength(2);
  });

  it("is encrypted again with a new key, and its tokens are still used", async () => {
    const { server, key } = await connected();
    const before = {
      SECRETS_KEY: "YW5vdGhlciBrZXkgb2YgMzIgYnl0ZXMgZm9yIHRlc3Q=",
      SECRETS_KEYS_PREVIOUS: POOL_SECRETS_KEY,
    };
    const rotated = await askWith(before, "/api/v1/secrets/rotate", {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    expect(await rotated.json()).toMatchObject({ remaining: 0 });
    const answer = await askWith({ ...before, SECRETS_KEYS_PREVIOUS: "" }, `/mcp/servers/${server.name}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami" } }),
    });
    expect(await answer.text()).toContain("you are account");
  });

  it("stays in use while another one to the same server is not confirmed, and is replaced and revoked afterwards", async () => {
    const { server, key, id } = await connected();
    await server.change({ account: "another account" });
    const { id: next, proof } = await pageReturns(await linkForPage(server, key));
    expect((await connectionsOf(key)).map(({ state }) => state)).toEqual(["active", "pending"]);
    expect(await proxied(server, key, "whoami")).toContain("you are account");
    const newest = await pageReturns(await linkForPage(server, key));
    expect((await connectionsOf(key)).map((one) => one.id)).toEqual([id, newest.id]);
    expect(await codeOf(await call("POST", `/api/v1/connections/${next}/confirm`, { key, json: { proof } }))).toBe(
      "404 CONNECTION_NOT_FOUND",
    );
    const confirm = { key, json: { proof: newest.proof } };
    expect((await call("POST", `/api/v1/connections/${newest.id}/confirm`, confirm)).status).toBe(200);
    expect((await connectionsOf(key)).map((one) => one.id)).toEqual([newest.id]);
    expect(await proxied(server, key, "whoami")).toContain("you are another account");
    await vi.waitFor(async () => expect((await server.log()).revoked).toHaveLength(4));
  });

  it("to a deleted server, and one that was never confirmed, are removed and revoked by the hourly job", async () => {
    const { server, key } = await connected();
    const unconfirmed = await protectedServer();
    await pageReturns(await linkForPage(unconfirmed, key));
    await call("DELETE", `/api/v1/mcp-servers/${server.name}`);
    await env.DB.prepare("UPDATE connections SET proof_until = 1 WHERE proof_until IS NOT NULL").run();
    await env.DB.prepare("UPDATE connect_requests SET expires_at = 1").run();
    await env.DB.prepare("UPDATE upstream_clients SET created_at = 1").run();
    await scheduled(createScheduledController(), env);
    expect(await connectionsOf(key)).toEqual([]);
    expect((await server.log()).revoked).toHaveLength(2);
    expect((await unconfirmed.log()).revoked).toHaveLength(2);
    // Registrations at issuers that no connection uses are deleted, so that issuers with endless names do not fill the table.
    const left = await env.DB.prepare(
      "SELECT count(*) AS n FROM upstream_clients WHERE issuer LIKE ?1 OR issuer LIKE ?2",
    )
      .bind(`%/${server.name}`, `%/${unconfirmed.name}`)
      .first<{ n: number }>();
    expect(left).toEqual({ n: 0 });
  });
});
