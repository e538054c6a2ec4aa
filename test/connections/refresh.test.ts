// Expired tokens are renewed once, whoever asks; a connection whose issuer or server rejects it ends.

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { memoryOf } from "../../src/services/access/identity-cache";
import { call } from "../support/call";
import { connectedTurn, talk, textOf } from "../support/chat-turns";
import { connect, connected, connectionsOf, type ProtectedServer } from "../support/connections";
import { fetchWith } from "../support/proxy";
import { gatewayServers } from "../support/servers";

beforeEach(() => gatewayServers({}));

async function proxied(server: ProtectedServer, key: string): Promise<string> {
  const answer = await fetchWith(key)(`https://gateway.test/mcp/servers/${server.name}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } }),
  });
  return answer.text();
}

const refreshes = async (server: ProtectedServer) =>
  (await server.log()).tokens.filter(({ grant_type }) => grant_type === "refresh_token");

/** Ends the access token of every connection to a server, here and at the server. */
async function expire(server: ProtectedServer): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE connections SET expires_at = 1 WHERE server = ?").bind(server.name),
    // As a change of the user would: no isolate uses an earlier state.
    env.DB.prepare("UPDATE counters SET value = value + 1"),
  ]);
  memoryOf(env.DB).wrote(null);
}

describe("an expired token", () => {
  it.each([
    ["that rotates", true],
    ["that does not rotate", false],
  ])(
    "is renewed once by 50 parallel calls of five conversations and the proxy, with a refresh token %s",
    { tags: ["slow"] },
    async (_, rotates) => {
      const { server, key } = await connected({ rotates, delay: 100 });
      const chats = await Promise.all(Array.from({ length: 5 }, () => talk({ key })));
      for (const chat of chats) await connectedTurn(chat);
      await expire(server);
      const all = await Promise.all([
        ...chats.flatMap((chat) =>
          Array.from({ length: 8 }, async () => textOf(await chat.use(`${server.name}__whoami`))),
        ),
        ...Array.from({ length: 10 }, () => proxied(server, key)),
      ]);
      expect(all).toHaveLength(50);
      expect(all.filter((text) => !text.includes("you are account"))).toEqual([]);
      expect(await refreshes(server)).toEqual([
        expect.objectContaining({ resource: server.url, refresh_token: expect.stringMatching(/^rt-/) }),
      ]);
      // The next expiry is another refresh, with the token that counts then.
      await expire(server);
      expect(await proxied(server, key)).toContain("you are account");
      const [first, second] = await refreshes(server);
      expect(first?.refresh_token === second?.refresh_token).toBe(!rotates);
    },
  );

  it("that lacks a scope is sent once through the proxy, also if the identity is cached", async () => {
    const { server, key } = await connected({});
    expect(await proxied(server, key)).toContain("you are account");
    await server.change({ requires: "ever" });
    const calls = async () => (await server.log()).calls.filter(({ method }) => method === "tools/call").length;
    const before = await calls();
    expect(await proxied(server, key)).toContain("requires you to sign in");
    expect(await calls()).toBe(before + 1);
  });

  it("is renewed before its end, and used while the issuer is down", async () => {
    const { server, key } = await connected({ expiresIn: 50 });
    await server.change({ tokenStatus: 503 });
    expect(await proxied(server, key)).toContain("you are account");
    expect(await refreshes(server)).toHaveLength(1);
    await server.change({ tokenStatus: null, expiresIn: 3_600 });
    expect(await proxied(server, key)).toContain("you are account");
    expect(await proxied(server, key)).toContain("you are account");
    expect(await refreshes(server)).toHaveLength(2);
  });

  it("fails the call while the issuer is down, and works again afterwards", async () => {
    const { server, key } = await connected();
    await expire(server);
    await server.change({ tokenStatus: 503 });
    expect(await proxied(server, key)).toContain("cannot be renewed");
    expect((await connectionsOf(key))[0]?.state).toBe("active");
    await server.change({ tokenStatus: null });
    expect(await proxied(server, key)).toContain("you are account");
  });

  it("whose refresh was interrupted is renewed by the next attempt after the lease", async () => {
    const { server, key } = await connected();
    await expire(server);
    await env.DB.prepare("UPDATE connections SET lease = 'lost', lease_until = unixepoch('subsec') * 1000 + 300").run();
    expect(await proxied(server, key)).toContain("you are account");
    expect(await refreshes(server)).toHaveLength(1);
  });
});

describe("a connection ends", () => {
  const endedBy = async (key: string) => {
    const [connection] = await connectionsOf(key);
    return [connection?.state, connection?.ended_by];
  };

  it("if its refresh token is no longer valid, and the user can connect again", async () => {
    const { server, key } = await connected();
    await expire(server);
    await server.change({ tokenError: "invalid_grant" });
    expect(await proxied(server, key)).toContain("sign in");
    expect(await endedBy(key)).toEqual(["ended", "invalid_grant"]);
    await proxied(server, key);
    expect(await refreshes(server)).toHaveLength(1);
    await server.change({ tokenError: null });
    await (await connect(server, key)).text();
    expect(await proxied(server, key)).toContain("you are account");
  });

  it("if it expires without a refresh token", async () => {
    const { server, key } = await connected({ refreshes: false });
    await expire(server);
    expect(await proxied(server, key)).toContain("sign in");
    expect(await endedBy(key)).toEqual(["ended", "expired"]);
  });

  it("if its server rejects renewed tokens for ever, after few requests", async () => {
    const { server, key } = await connected();
    await server.change({ rejects: true });
    const before = (await server.log()).calls.length;
    for (let n = 0; n < 5; n++) expect(await proxied(server, key)).toMatch(/sign in|401/);
    expect(await endedBy(key)).toEqual(["ended", "rejected"]);
    expect(await refreshes(server)).toHaveLength(1);
    // Two for the first call, two for the second, one for each later one without a token.
    expect((await server.log()).calls.length - before).toBeLessThanOrEqual(7);
  });

  it("but not if another attempt has renewed a token that the issuer then revoked", async () => {
    const { server, key, id } = await connected();
    const chat = await talk({ key });
    await connectedTurn(chat);
    // The server drops the access token, as issuers do that allow one at a time.
    const { calls } = await server.log();
    const token = (calls.at(-1)?.authorization ?? "").replace("Bearer ", "");
    await (
      await fetch(server.url.replace(/\/mcp$/, "/revoke"), { method: "POST", body: new URLSearchParams({ token }) })
    ).text();
    expect(textOf(await chat.use(`${server.name}__whoami`))).toBe("you are account");
    expect(await refreshes(server)).toHaveLength(1);
    expect((await connectionsOf(key))[0]).toMatchObject({ id, state: "active" });
  });
});

it("tells the audit log why a connection ended, and nothing of its tokens", async () => {
  const { server, key, id } = await connected();
  await expire(server);
  await server.change({ tokenError: "invalid_grant" });
  await proxied(server, key);
  const answer = await call("GET", `/api/v1/audit?resource_type=connection&resource_id=${id}`);
  const { items } = await answer.json<{ items: { action: string; after: unknown }[] }>();
  expect(items.map(({ action, after }) => [action, after])).toEqual([
    ["connection.end", { why: "invalid_grant" }],
    ["connection.create", { scope: "gateway", issuer: new URL(server.url).host }],
  ]);
});
