// Servers at which the gateway itself has an account: it gets tokens with the client of the entry, without a user's sign-in.

import { afterEach, beforeEach, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { connectedTurn, talk, textOf } from "../support/chat-turns";
import { holdClock, pass, releaseClock } from "../support/clock";
import { connected, connectionsOf, type ProtectedServer, protectedServer } from "../support/connections";
import { fetchWith } from "../support/proxy";
import { gatewayServers } from "../support/servers";
import type { SignInServer } from "../support/upstream-server/oauth";

beforeEach(() => gatewayServers({}));
afterEach(releaseClock);

const SECRET = "the-secret-of-a-machine";

/** A server of the gateway whose entry names a client for client credentials. */
async function machineServer(config: SignInServer = {}, more: object = {}): Promise<ProtectedServer> {
  const secret = { value: SECRET, hosts: ["127.0.0.1"], scope: "gateway" };
  await call("PUT", "/api/v1/secrets/MACHINE", { json: secret });
  const oauth = { grant: "client_credentials", client_id: "machine", client_secret: `\${{secrets.MACHINE}}`, ...more };
  return protectedServer({ registers: false, clients: { machine: SECRET }, ...config }, { oauth });
}

async function proxied(server: ProtectedServer, key: string): Promise<string> {
  const answer = await fetchWith(key)(`https://gateway.test/mcp/servers/${server.name}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } }),
  });
  return answer.text();
}

it("is called by every user with one token, in conversations and through the proxy", async () => {
  const server = await machineServer({}, { scopes: ["one", "two"] });
  const [ann, ben] = [await keyFor("machine-ann"), await keyFor("machine-ben")];
  for (const key of [ann, ben]) {
    const chat = await talk({ key });
    await connectedTurn(chat);
    expect(textOf(await chat.use(`${server.name}__whoami`))).toBe("you are machine");
    expect(textOf(await chat.use(`${server.name}__leak`))).toBe(
      `your token is Bearer [secret token of ${server.name}]`,
    );
    expect(await proxied(server, key)).toContain("you are machine");
    expect(await connectionsOf(key)).toEqual([]);
  }
  const { tokens, authorizations, registrations } = await server.log();
  expect([authorizations, registrations]).toEqual([[], []]);
  const requests = tokens.map(({ grant_type, scope, resource }) => ({ grant_type, scope, resource }));
  expect(requests).toEqual([{ grant_type: "client_credentials", scope: "one two", resource: server.url }]);
  const answer = await call("POST", `/api/v1/mcp-servers/${server.name}/connect`, { key: ann, json: {} });
  expect(await answer.json()).toMatchObject({ code: "SIGN_IN_NOT_NEEDED" });
});

it("gets another token if the server has forgotten one, but not if it rejects a new one", async () => {
  const server = await machineServer();
  const key = await keyFor("machine-rejected");
  holdClock();
  expect(await proxied(server, key)).toContain("you are machine");
  const { calls } = await server.log();
  const body = new URLSearchParams({ token: (calls.at(-1)?.authorization ?? "").replace("Bearer ", "") });
  await (await fetch(server.url.replace(/\/mcp$/, "/revoke"), { method: "POST", body })).text();
  pass(60_001);
  expect(await proxied(server, key)).toContain("you are machine");
  expect((await server.log()).tokens).toHaveLength(2);

  await server.change({ rejects: true });
  for (let n = 0; n < 3; n++) expect(await proxied(server, key)).toContain("rejects the access tokens of its client");
  expect((await server.log()).tokens).toHaveLength(2);
});

it("reports an issuer that issues no token, and asks it again only after a while", async () => {
  const server = await machineServer({ tokenError: "unauthorized_client" });
  const key = await keyFor("machine-refused");
  for (let n = 0; n < 3; n++)
    expect(await proxied(server, key)).toContain(
      "gets no access token: the issuer returned the error unauthorized_client",
    );
  expect((await server.log()).tokens).toHaveLength(1);
  const other = await machineServer();
  await call("PUT", "/api/v1/secrets/MACHINE", { json: { value: SECRET, hosts: ["x.example"], scope: "gateway" } });
  expect(await proxied(other, await keyFor("machine-bound"))).toContain(
    "the secret 'MACHINE' is not bound to the host",
  );
});

it("is refused without a secret", async () => {
  const { url } = await protectedServer();
  const json = { url, oauth: { grant: "client_credentials", client_id: "machine" } };
  expect((await call("PUT", "/api/v1/mcp-servers/machine-without", { json })).status).toBe(400);
});

it("is tested and approved with the machine's token, and other servers with the admin's connection", async () => {
  const server = await machineServer();
  const tested = await call("POST", `/api/v1/mcp-servers/${server.name}/test`);
  expect(await tested.json()).toMatchObject({ reachable: true, tools: [{ name: "whoami" }, { name: "leak" }] });

  const { server: signedIn } = await connected();
  const refused = await call("POST", `/api/v1/mcp-servers/${signedIn.name}/test`);
  expect(await refused.json()).toMatchObject({ reachable: false, error: expect.stringContaining("sign in") });
});
