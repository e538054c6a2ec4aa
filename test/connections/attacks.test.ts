// Attacks on signing in to MCP servers: the rows of the threat model in SECURITY.md.

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { connectedTurn, talk } from "../support/chat-turns";
import {
  connect,
  connected,
  connectionsOf,
  linkFor,
  protectedServer,
  signInAt,
  throughIssuer,
} from "../support/connections";
import { addServer, fetchWith } from "../support/proxy";
import { gatewayServers } from "../support/servers";
import { Browser } from "../support/sign-in";

beforeEach(() => gatewayServers({}));

const ENDED = "This link expired (10 minutes), was already used, or belongs to another browser";

describe("a link", () => {
  it("that is forwarded connects nothing for another user, whatever that user signs in with", async () => {
    const [server, alice, bob] = [await protectedServer(), await keyFor("alice"), await keyFor("bob")];
    const path = await linkFor(server, alice);
    const refused = await signInAt(new Browser(), path, bob);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("made for another user")]);
    expect((await server.log()).authorizations).toEqual([]);
    expect([await connectionsOf(alice), await connectionsOf(bob)]).toEqual([[], []]);
  });

  it("with a page to return to gives the tokens of a victim to nobody", async () => {
    const [server, alice, bob] = [await protectedServer(), await keyFor("alice"), await keyFor("bob")];
    const made = await askWith(
      { ALLOWED_ORIGINS: "https://product.example" },
      `/api/v1/mcp-servers/${server.name}/connect`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${alice}`, "content-type": "application/json" },
        body: JSON.stringify({ return_to: "https://product.example/" }),
      },
    );
    const { pathname } = new URL((await made.json<{ url: string }>()).url);
    // Bob opens Alice's link, and lands in his own session of the product, which brings the proof as Bob.
    const browser = new Browser();
    await (await browser.send(pathname)).text();
    const back = await browser.send(await throughIssuer(await browser.post(pathname, { how: "continue" })));
    const returned = new URLSearchParams(new URL(back.headers.get("location") ?? "").hash.slice(1));
    const [id, proof] = [returned.get("connection"), returned.get("proof")];
    expect((await connectionsOf(alice))[0]?.state).toBe("pending");
    const guessed = "0".repeat(64);
    expect(
      (await call("POST", `/api/v1/connections/${id}/confirm`, { key: alice, json: { proof: guessed } })).status,
    ).toBe(404);
    expect((await call("POST", `/api/v1/connections/${id}/confirm`, { key: bob, json: { proof } })).status).toBe(404);
    expect(await connectionsOf(alice)).toEqual([]);
    await vi.waitFor(async () => expect((await server.log()).revoked).toHaveLength(2));
    expect((await call("POST", `/api/v1/connections/${id}/confirm`, { key: alice, json: { proof } })).status).toBe(404);
  });

  it("carries no authority, is used once, and continues only in its browser", async () => {
    const [server, key] = [await protectedServer(), await keyFor("once")];
    const path = await linkFor(server, key);
    const browser = new Browser();
    const redirect = await signInAt(browser, path, key);
    const callback = await throughIssuer(redirect);
    const elsewhere = await new Browser().send(callback);
    expect([elsewhere.status, await elsewhere.text()]).toEqual([400, expect.stringContaining(ENDED)]);
    const thief = await new Browser().send(path);
    expect([thief.status, await thief.text()]).toEqual([400, expect.stringContaining(ENDED)]);
    expect((await browser.send(callback)).status).toBe(200);
    expect((await browser.send(path)).status).toBe(400);
  });

  it("is not for other pages: a form of another site, or without the cookie, does nothing", async () => {
    const [server, key] = [await protectedServer(), await keyFor("forged")];
    const path = await linkFor(server, key);
    const browser = new Browser();
    await (await browser.send(path)).text();
    const forged = await browser.post(
      path,
      { how: "key", key },
      { "sec-fetch-site": "cross-site", origin: "https://x.example" },
    );
    expect(forged.status).toBe(403);
    expect((await new Browser().post(path, { how: "key", key })).status).toBe(403);
    expect((await server.log()).authorizations).toEqual([]);
  });

  it("allows five attempts with a key, and only keys that can manage secrets", async () => {
    const [server, key] = [await protectedServer(), await keyFor("tries")];
    const path = await linkFor(server, key);
    const browser = new Browser();
    await (await browser.send(path)).text();
    const weak = await keyFor("tries", { scopes: ["skills:read"] });
    expect(await (await browser.post(path, { how: "key", key: weak })).text()).toContain("cannot be used here");
    for (let n = 0; n < 4; n++) expect((await browser.post(path, { how: "key", key: "wrong" })).status).toBe(400);
    expect(await (await browser.post(path, { how: "key", key })).text()).toContain("Too many attempts");
  });

  it("expires, and a user has at most 20", async () => {
    const [server, key] = [await protectedServer(), await keyFor("expiring")];
    const path = await linkFor(server, key);
    await env.DB.prepare("UPDATE connect_requests SET expires_at = 1").run();
    const late = await new Browser().send(path);
    expect([late.status, await late.text()]).toEqual([400, expect.stringContaining(ENDED)]);
    for (let n = 0; n < 20; n++) await linkFor(server, key);
    const answer = await call("POST", `/api/v1/mcp-servers/${server.name}/connect`, { key, json: {} });
    expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([409, "TOO_MANY_SIGN_INS"]);
  });
});

describe("a response of the issuer", () => {
  it("is accepted once and only with its own state", async () => {
    const [server, key] = [await protectedServer(), await keyFor("state")];
    const browser = new Browser();
    const callback = await throughIssuer(await signInAt(browser, await linkFor(server, key), key));
    const forged = callback.replace(/(state=cnr_\w+\.)[0-9a-f]{8}/, "$1xxxxxxxx");
    expect((await browser.send(forged)).status).toBe(400);
    const second = new Browser();
    const again = await throughIssuer(await signInAt(second, await linkFor(server, key), key));
    const cookies = new Map(second.cookies);
    expect((await second.send(again)).status).toBe(200);
    for (const [name, value] of cookies) second.cookies.set(name, value);
    const replayed = await second.send(again);
    expect([replayed.status, await replayed.text()]).toEqual([400, expect.stringContaining(ENDED)]);
    expect((await server.log()).tokens).toHaveLength(1);
  });

  it.each([
    ["of another issuer", { iss: "other" as const }, "another issuer"],
    ["without the issuer that it announced", { iss: "none" as const, announcesIss: true }, "another issuer"],
    ["that denies", { denies: true }, "was denied"],
  ])("%s connects nothing", async (_, config, told) => {
    const [server, key] = [await protectedServer(config), await keyFor("issuer")];
    const page = await connect(server, key);
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining(told)]);
    expect(await connectionsOf(key)).toEqual([]);
    expect((await server.log()).tokens).toEqual([]);
  });

  it("whose code is not exchanged connects nothing, and a forgotten client is registered again", async () => {
    const [server, key] = [await protectedServer({ tokenError: "invalid_client" }), await keyFor("forgotten")];
    expect((await connect(server, key)).status).toBe(400);
    await server.change({ tokenError: null });
    expect((await connect(server, key)).status).toBe(200);
    expect((await server.log()).registrations).toHaveLength(2);
  });
});

describe("the entry of a server", () => {
  const askFor = async (name: string, key: string) => {
    const answer = await call("POST", `/api/v1/mcp-servers/${name}/connect`, { key, json: {} });
    const { code, detail } = await answer.json<{ code: string; detail: string }>();
    return `${answer.status} ${code} ${detail}`;
  };
  const putSecret = (name: string, hosts: string[], more: object = {}, key?: string) =>
    call("PUT", `/api/v1/secrets/${name}`, { ...(key ? { key } : {}), json: { value: SECRET, hosts, ...more } });
  const SECRET = "planted-secret-value";

  it("does not show users a secret: neither in its URL, nor in metadata that repeats a header", async () => {
    await putSecret("SHOWN", ["127.0.0.1"], { scope: "gateway" });
    const key = await keyFor("shown");
    const server = await protectedServer({ resource: { scopes_supported: [SECRET] } });
    await call("PUT", `/api/v1/mcp-servers/${server.name}`, { json: { url: `${server.url}?k=\${{secrets.SHOWN}}` } });
    expect(await askFor(server.name, key)).toContain("409 SIGN_IN_NOT_NEEDED");

    const headers = { "X-Key": `\${{secrets.SHOWN}}` };
    const repeating = await protectedServer({ issuer: { scopes_supported: [SECRET] } }, { headers });
    const refused = await askFor(repeating.name, key);
    expect(refused).toContain("409 SIGN_IN_UNAVAILABLE");
    expect(refused).toContain("its metadata contains a secret");
    expect(refused).not.toContain(SECRET);
  });

  it("sends the secret of its client to no endpoint that the secret is not for", async () => {
    await putSecret("CLIENT", ["127.0.0.1"], { scope: "gateway" });
    const oauth = { client_id: "named", client_secret: `\${{secrets.CLIENT}}` };
    const server = await protectedServer(
      { issuer: { revocation_endpoint: "https://victim.example/revoke" } },
      { oauth },
    );
    expect(await askFor(server.name, await keyFor("client"))).toContain(
      "409 SIGN_IN_NEEDS_CLIENT The client of the MCP server cannot be used: the secret 'CLIENT' is not bound to the host victim",
    );
  });

  it("of a group uses the secrets of the group only, not those of the user who connects", async () => {
    const group = `crew-${crypto.randomUUID().slice(0, 8)}`;
    const [owner, member] = [await keyFor(`${group}-owner`), await keyFor(`${group}-member`)];
    await call("POST", "/api/v1/groups", { json: { name: group } });
    for (const [user, role] of [
      ["owner", "Maintainer"],
      ["member", "Developer"],
    ])
      await call("PUT", `/api/v1/groups/${group}/members/${group}-${user}`, { json: { role } });
    const { url } = await protectedServer();
    const name = `${group}-server`;
    const entry = { url, headers: { "X-Key": `\${{secrets.PERSONAL}}` }, scope: "group", group_name: group };
    const made = await call("PUT", `/api/v1/servers/${name}`, { key: owner, json: entry });
    expect(made.status).toBe(201);
    await putSecret("PERSONAL", ["127.0.0.1"], {}, member);
    expect(await askFor(name, member)).toContain(`the secret 'PERSONAL' of the group '${group}' was not found`);
    await putSecret("PERSONAL", ["127.0.0.1"], { scope: "group", group_name: group }, owner);
    expect((await call("POST", `/api/v1/mcp-servers/${name}/connect`, { key: member, json: {} })).status).toBe(201);
  });
});

describe("the metadata of a server", () => {
  const connectTo = async (config: Parameters<typeof protectedServer>[0]) => {
    const server = await protectedServer(config);
    const answer = await call("POST", `/api/v1/mcp-servers/${server.name}/connect`, {
      key: await keyFor("metadata"),
      json: {},
    });
    return `${answer.status} ${(await answer.json<{ code: string; detail: string }>()).detail}`;
  };

  it("cannot name another resource, another issuer, or addresses that the host policy forbids", async () => {
    expect(await connectTo({ resource: { resource: "https://victim.example/mcp" } })).toContain(
      "409 The sign-in of the MCP server cannot be used: its metadata is for another resource",
    );
    expect(await connectTo({ issuer: { issuer: "https://victim.example" } })).toContain("names another issuer");
    for (const endpoint of ["authorization_endpoint", "token_endpoint"])
      expect(await connectTo({ issuer: { [endpoint]: "https://10.0.0.1/x" } })).toContain("is not allowed");
    expect(await connectTo({ issuer: { authorization_endpoint: "javascript:alert(1)" } })).toMatch(
      /not valid|not allowed/,
    );
    expect(await connectTo({ resource: { authorization_servers: ["https://metadata.internal"] } })).toContain(
      "is not allowed",
    );
  });
});

describe("a server with several addresses", () => {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } };

  it("receives no user's token if they have different origins, at none of them", async () => {
    const { server, key } = await connected();
    const elsewhere = server.url.replace("127.0.0.1", "localhost");
    expect(elsewhere).not.toBe(server.url);
    const callAt = async (urls: string[]) => {
      await addServer(server.name, { url: server.url, urls: urls.map((url) => ({ url })) });
      const before = (await server.log()).calls.length;
      const chat = await talk({ key });
      await connectedTurn(chat);
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const init = { method: "POST", headers, body: JSON.stringify(message) };
      // The address is chosen at random.
      for (let n = 0; n < 8; n++)
        await (await fetchWith(key)(`https://gateway.test/mcp/servers/${server.name}`, init)).text();
      await call("POST", `/api/v1/mcp-servers/${server.name}/test`);
      return (await server.log()).calls.slice(before).map(({ authorization }) => authorization !== "");
    };
    expect(await callAt([server.url, `${server.url}?second`])).toContain(true);
    const sent = await callAt([server.url, elsewhere]);
    expect(sent.length).toBeGreaterThan(8);
    expect(sent).not.toContain(true);
  });
});
