// Connects MCP servers as a user's browser does, at the servers of `upstream-server/oauth.ts`.

import { call, keyFor } from "./call";
import { addServer } from "./proxy";
import { Browser } from "./sign-in";
import { faults } from "./upstream";
import type { SignInLog, SignInServer } from "./upstream-server/oauth";

/** A server of the gateway that requires a sign-in. */
export interface ProtectedServer {
  name: string;
  url: string;
  /** Changes its behaviour and keeps what it issued. */
  change(config: SignInServer): Promise<void>;
  log(): Promise<SignInLog>;
}

/** Creates a server with its issuer, and adds it to the gateway. */
export async function protectedServer(config: SignInServer = {}, entry: object = {}): Promise<ProtectedServer> {
  // Test files that run at the same time share the state of the servers.
  const name = `protected-${crypto.randomUUID().slice(0, 8)}`;
  const at = `${faults}/signin/${name}`;
  const put = async (body: object) => {
    await (await fetch(at, { method: "PUT", body: JSON.stringify(body) })).text();
  };
  await put(config);
  const url = `${at}/mcp`;
  await addServer(name, { url, ...entry });
  return {
    name,
    url,
    change: (change) => put({ ...change, keep: true }),
    log: async () => (await fetch(`${at}/log`)).json(),
  };
}

/** Asks for a link. Returns the path of the page. */
export async function linkFor(server: ProtectedServer, key: string, body: object = {}): Promise<string> {
  const answer = await call("POST", `/api/v1/mcp-servers/${server.name}/connect`, { key, json: body });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  const { url } = await answer.json<{ url: string }>();
  return new URL(url).pathname;
}

/** Opens a link and signs in to the gateway with a key. Returns the response: a redirect to the issuer, or a page. */
export async function signInAt(browser: Browser, path: string, key: string): Promise<Response> {
  await (await browser.send(path)).text();
  return browser.post(path, { how: "key", key });
}

/** Follows the redirect to the issuer, which redirects back at once. Returns the path of the gateway's callback. */
export async function throughIssuer(redirect: Response): Promise<string> {
  const location = redirect.headers.get("location");
  if (location === null) throw new Error(`${redirect.status} ${await redirect.text()}`);
  const back = await fetch(location, { redirect: "manual" });
  await back.body?.cancel();
  const { pathname, search } = new URL(back.headers.get("location") ?? "");
  return pathname + search;
}

/** Connects a server as its user. Returns the last page. */
export async function connect(server: ProtectedServer, key: string, browser = new Browser()): Promise<Response> {
  const redirect = await signInAt(browser, await linkFor(server, key), key);
  return browser.send(await throughIssuer(redirect));
}

export interface ConnectionBody {
  id: string;
  server: string;
  state: string;
  ended_by?: string;
  url: string;
  issuer: string;
  granted: string[];
  expires_at: string | null;
}

export async function connectionsOf(key: string): Promise<ConnectionBody[]> {
  const answer = await call("GET", "/api/v1/connections", { key });
  return (await answer.json<{ items: ConnectionBody[] }>()).items;
}

/** A user with a connected server. */
export async function connected(
  config: SignInServer = {},
  user = `user-${crypto.randomUUID()}`,
): Promise<{ server: ProtectedServer; key: string; user: string; id: string }> {
  const [server, key] = [await protectedServer(config), await keyFor(user)];
  const page = await connect(server, key);
  if (page.status !== 200) throw new Error(await page.text());
  await page.text();
  const [connection] = await connectionsOf(key);
  return { server, key, user, id: connection?.id ?? "" };
}
