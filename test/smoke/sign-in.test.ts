// Hosts that have only a URL sign their user in at a gateway and call a tool, with the MCP SDKs of both generations and a scripted browser.
// Their tokens are valid for that URL only.

import {
  auth as authOfTwo,
  Client as ClientTwo,
  StreamableHTTPClientTransport as TransportTwo,
} from "@modelcontextprotocol/client";
import { auth as authOfOne } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientOne } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportOne } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeAll, describe, expect, it } from "vitest";
import { type Gateway, startShared } from "./launcher";
import { SignedInHost, Visitor } from "./visitor";

const BACK = "http://127.0.0.1:39001/callback";

let gateway: Gateway;
let key: string;

beforeAll(async () => {
  gateway = await startShared();
  key = (await made<{ key: string }>("POST", "/api/v1/keys", { user_id: "alice" })).key;
  const headers = { Authorization: `Bearer ${key}` };
  await made("PUT", "/api/v1/mcp-servers/itself", { url: `${gateway.url}/mcp`, type: "streamable-http", headers });
});
async function made<T>(method: string, path: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const answer = await gateway.fetch(path, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  expect(answer.status, text).toBeLessThan(300);
  return JSON.parse(text) as T;
}

/** The user's browser opens the page, signs in with a key and allows access. */
async function visit(url: string): Promise<URL> {
  const visitor = new Visitor(BACK);
  const page = (await visitor.go(url)).url.href;
  const consent = await visitor.post(page, { how: "key", key });
  expect(consent.text).toContain("as alice?");
  return (await visitor.post(page, { how: "approve" })).url;
}

const CALL = { name: "load_skill", arguments: { skill_name: "mermaid-diagram" } };

const GENERATIONS = {
  one: {
    signIn: async (host: SignedInHost, serverUrl: string) => {
      await authOfOne(host, { serverUrl });
      return authOfOne(host, { serverUrl, authorizationCode: host.code });
    },
    call: async (host: SignedInHost, url: string) => {
      const client = new ClientOne({ name: "one", version: "1.0.0" });
      await client.connect(new TransportOne(new URL(url), { authProvider: host }));
      const answer = await client.callTool(CALL);
      await client.close();
      return JSON.stringify(answer.content);
    },
  },
  two: {
    signIn: async (host: SignedInHost, serverUrl: string) => {
      await authOfTwo(host, { serverUrl });
      return authOfTwo(host, {
        serverUrl,
        authorizationCode: host.code,
        ...(host.iss === undefined ? {} : { iss: host.iss }),
      });
    },
    call: async (host: SignedInHost, url: string) => {
      const client = new ClientTwo({ name: "two", version: "1.0.0" });
      await client.connect(new TransportTwo(new URL(url), { authProvider: host }));
      const answer = await client.callTool(CALL);
      await client.close();
      return JSON.stringify(answer.content);
    },
  },
};

describe.each(["one", "two"] as const)("the SDK of generation %s", (generation) => {
  const { signIn, call } = GENERATIONS[generation];

  it.each(["/mcp", "/mcp/my-project", "/mcp/servers/itself"])(
    "signs in from %s alone, and in there only",
    async (path) => {
      const host = new SignedInHost(BACK, visit);
      expect(await signIn(host, gateway.url + path)).toBe("AUTHORIZED");
      expect(await call(host, gateway.url + path)).toContain("Mermaid");
      const bearer = host.tokens()?.access_token ?? "";
      for (const other of [
        "/mcp",
        "/mcp/my-project",
        "/mcp/other",
        "/mcp/servers/itself",
        "/api/v1/me",
        "/openai/v1/models",
      ]) {
        if (other === path) continue;
        const answer = await fetch(gateway.url + other, { headers: { authorization: `Bearer ${bearer}` } });
        expect([other, answer.status]).toEqual([other, 401]);
      }
    },
  );
});
