// Hosts that know only a URL sign their user in at a running gateway, with the MCP SDKs of both generations and a scripted browser, and call
// a tool; what they get opens that URL alone.

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

/** What a host keeps. Its user's browser opens the page, signs in with a key and allows it. */
class Host {
  tokens_: { access_token: string; token_type: string } | undefined;
  private client: { client_id: string } | undefined;
  private verifier = "";
  code = "";
  iss = "";
  readonly redirectUrl = BACK;
  readonly clientMetadata = { client_name: "An SDK", redirect_uris: [BACK] };
  clientInformation = () => this.client;
  saveClientInformation = (client: { client_id: string }) => {
    this.client = client;
  };
  tokens = () => this.tokens_;
  saveTokens = (tokens: { access_token: string; token_type: string }) => {
    this.tokens_ = tokens;
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
  redirectToAuthorization = async (url: URL) => {
    const opened = await fetch(url, { redirect: "manual" });
    const page = opened.headers.get("location") ?? "";
    const [cookie = ""] = (opened.headers.get("set-cookie") ?? "").split(";");
    const post = (form: Record<string, string>) =>
      fetch(page, { method: "POST", redirect: "manual", headers: { cookie }, body: new URLSearchParams(form) });
    expect((await post({ how: "key", key })).status).toBe(303);
    const allowed = await post({ how: "approve" });
    const answer = new URL(allowed.headers.get("location") ?? "").searchParams;
    this.code = answer.get("code") ?? "";
    this.iss = answer.get("iss") ?? "";
  };
}

const CALL = { name: "load_skill", arguments: { skill_name: "mermaid-diagram" } };

const GENERATIONS = {
  one: {
    signIn: async (host: Host, serverUrl: string) => {
      await authOfOne(host, { serverUrl });
      return authOfOne(host, { serverUrl, authorizationCode: host.code });
    },
    call: async (host: Host, url: string) => {
      const client = new ClientOne({ name: "one", version: "1.0.0" });
      await client.connect(new TransportOne(new URL(url), { authProvider: host }));
      const answer = await client.callTool(CALL);
      await client.close();
      return JSON.stringify(answer.content);
    },
  },
  two: {
    signIn: async (host: Host, serverUrl: string) => {
      await authOfTwo(host, { serverUrl });
      return authOfTwo(host, { serverUrl, authorizationCode: host.code, iss: host.iss });
    },
    call: async (host: Host, url: string) => {
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
      const host = new Host();
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
