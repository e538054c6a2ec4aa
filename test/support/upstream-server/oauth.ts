// MCP servers that require a sign-in, each with its own authorization server: `/signin/<name>`. A test configures one with PUT and reads
// what it received with `/signin/<name>/log`.

import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** The behaviour of one server. */
export interface SignInServer {
  /** Lifetime of access tokens in seconds; `null`: the issuer does not tell. */
  expiresIn?: number | null;
  /** Whether each refresh replaces the refresh token, and rejects the old one. */
  rotates?: boolean;
  /** Whether a refresh token is issued at all. */
  refreshes?: boolean;
  /** The `iss` of the response: its own, another, or none; and whether the metadata announces it. */
  iss?: "own" | "other" | "none";
  announcesIss?: boolean;
  /** How the gateway can register. */
  registers?: boolean;
  readsDocuments?: boolean;
  /** Additional members of the metadata of the resource and of the issuer. */
  resource?: Record<string, unknown>;
  issuer?: Record<string, unknown>;
  /** The issuer denies, or the token endpoint returns this error. */
  denies?: boolean;
  tokenError?: string | null;
  /** The token endpoint is unavailable. */
  tokenStatus?: number | null;
  /** The server rejects every token. */
  rejects?: boolean;
  /** A scope that calls of tools require in addition; `ever`: another one each time. */
  requires?: string;
  /** Milliseconds until the token endpoint answers. */
  delay?: number;
  /** The account that signs in. */
  account?: string;
  /** Clients that exist from the beginning, with their secrets. */
  clients?: Record<string, string>;
  /** No metadata of the resource. */
  plain?: boolean;
}

interface Granted {
  account: string;
  resource: string;
  scope: string;
}

interface State {
  config: SignInServer;
  codes: Map<string, Granted & { challenge: string; redirectUri: string; clientId: string }>;
  access: Map<string, Granted & { until: number }>;
  refresh: Map<string, Granted>;
  clients: Map<string, string | null>;
  log: SignInLog;
}

/** What a server received. */
export interface SignInLog {
  authorizations: Record<string, string>[];
  tokens: Record<string, string>[];
  revoked: string[];
  registrations: object[];
  /** The authorization headers of calls, and their methods. */
  calls: { method: string; authorization: string }[];
}

const servers = new Map<string, State>();

function stateOf(name: string): State {
  const known = servers.get(name) ?? {
    config: {},
    codes: new Map(),
    access: new Map(),
    refresh: new Map(),
    clients: new Map(),
    log: { authorizations: [], tokens: [], revoked: [], registrations: [], calls: [] },
  };
  servers.set(name, known);
  return known;
}

/** Answers a request below `/signin/<name>` or for its metadata. Returns `false` if it is for something else. */
export async function answerSignIn(
  path: string,
  body: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const [, known, , wellKnown = ""] = /^\/\.well-known\/((oauth-[a-z-]+))\/signin\/([^/]+)/.exec(path) ?? [];
  const [, plainName = "", rest = ""] = /^\/signin\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const name = wellKnown || plainName;
  if (name === "") return false;
  const state = stateOf(name);
  const origin = `http://${request.headers.host}`;
  const issuer = `${origin}/signin/${name}`;
  const { config } = state;
  const send = (value: unknown, status = 200, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
    return true;
  };
  if (known === "oauth-protected-resource")
    return config.plain === true
      ? send({ error: "none" }, 404)
      : send({
          resource: `${issuer}/mcp`,
          authorization_servers: [issuer],
          scopes_supported: ["tools"],
          ...config.resource,
        });
  if (known === "oauth-authorization-server")
    return send({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      ...(config.registers === false ? {} : { registration_endpoint: `${issuer}/register` }),
      ...(config.readsDocuments === true ? { client_id_metadata_document_supported: true } : {}),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "none"],
      ...(config.announcesIss === true ? { authorization_response_iss_parameter_supported: true } : {}),
      ...config.issuer,
    });
  if (request.method === "PUT") {
    const before = stateOf(name);
    servers.delete(name);
    const made = stateOf(name);
    const change: { keep?: boolean } & SignInServer = JSON.parse(body);
    if (change.keep === true) {
      servers.set(name, { ...before, config: { ...before.config, ...change } });
    } else {
      made.config = change;
      made.clients = new Map(Object.entries(change.clients ?? {}));
    }
    return send({});
  }
  if (rest === "/log") return send(state.log);
  if (rest.startsWith("/authorize")) return authorize(state, issuer, request, response);
  if (rest === "/token") {
    if (config.delay !== undefined) await new Promise((resolve) => setTimeout(resolve, config.delay));
    return token(state, request, body, send);
  }
  if (rest === "/register") {
    const metadata: { redirect_uris?: string[]; token_endpoint_auth_method?: string } = JSON.parse(body);
    const [id, secret] = [`client-${randomUUID()}`, `secret-${randomUUID()}`];
    state.clients.set(id, secret);
    state.log.registrations.push(metadata);
    return send({ ...metadata, client_id: id, client_secret: secret, client_secret_expires_at: 0 }, 201);
  }
  if (rest === "/revoke") {
    const revoked = new URLSearchParams(body).get("token") ?? "";
    state.log.revoked.push(revoked);
    state.access.delete(revoked);
    state.refresh.delete(revoked);
    response.writeHead(200).end();
    return true;
  }
  if (rest === "/mcp") return mcp(state, issuer, request, body, response);
  return false;
}

function authorize(state: State, issuer: string, request: IncomingMessage, response: ServerResponse): boolean {
  const query = new URL(request.url ?? "/", issuer).searchParams;
  const { config, log, codes } = state;
  log.authorizations.push(Object.fromEntries(query));
  const redirectUri = query.get("redirect_uri") ?? "";
  const code = randomUUID();
  codes.set(code, {
    challenge: query.get("code_challenge") ?? "",
    redirectUri,
    clientId: query.get("client_id") ?? "",
    resource: query.get("resource") ?? "",
    scope: query.get("scope") ?? "",
    account: config.account ?? "account",
  });
  const back = new URL(redirectUri);
  if (config.denies === true) back.searchParams.set("error", "access_denied");
  else back.searchParams.set("code", code);
  back.searchParams.set("state", query.get("state") ?? "");
  const { iss = "own" } = config;
  if (iss !== "none") back.searchParams.set("iss", iss === "own" ? issuer : "https://another-issuer.example");
  response.writeHead(302, { location: back.href }).end();
  return true;
}

type Send = (value: unknown, status?: number) => boolean;

function token(state: State, request: IncomingMessage, body: string, send: Send): boolean {
  const { config, log, codes, refresh, clients } = state;
  const form = Object.fromEntries(new URLSearchParams(body));
  log.tokens.push(form);
  if (typeof config.tokenStatus === "number") return send({ error: "server_error" }, config.tokenStatus);
  if (typeof config.tokenError === "string") return send({ error: config.tokenError }, 400);
  const [id = form.client_id ?? "", secret = null] = basic(request.headers.authorization);
  if ((clients.get(id) ?? null) !== secret) return send({ error: "invalid_client" }, 401);
  if (form.grant_type === "authorization_code") {
    const found = codes.get(form.code ?? "");
    codes.delete(form.code ?? "");
    const challenge = createHash("sha256")
      .update(form.code_verifier ?? "")
      .digest("base64url");
    const isValid =
      found !== undefined &&
      found.challenge === challenge &&
      found.redirectUri === form.redirect_uri &&
      found.clientId === id &&
      found.resource === (form.resource ?? "");
    if (!isValid) return send({ error: "invalid_grant" }, 400);
    return send(issue(state, found, true));
  }
  if (form.grant_type === "client_credentials")
    return send(issue(state, { account: id, resource: form.resource ?? "", scope: form.scope ?? "" }, false));
  const known = refresh.get(form.refresh_token ?? "");
  if (known === undefined) return send({ error: "invalid_grant" }, 400);
  if (config.rotates === true) refresh.delete(form.refresh_token ?? "");
  return send(issue(state, known, config.rotates === true));
}

function issue({ config, access, refresh }: State, { account, resource, scope }: Granted, isNew: boolean) {
  const { expiresIn = 3_600, refreshes = true } = config;
  const [accessToken, refreshToken] = [`at-${randomUUID()}`, `rt-${randomUUID()}`];
  access.set(accessToken, { account, resource, scope, until: Date.now() + (expiresIn ?? 3_600) * 1_000 });
  const renews = refreshes && isNew;
  if (renews) refresh.set(refreshToken, { account, resource, scope });
  return {
    access_token: accessToken,
    token_type: "Bearer",
    ...(expiresIn === null ? {} : { expires_in: expiresIn }),
    ...(renews ? { refresh_token: refreshToken } : {}),
  };
}

function basic(header: string | undefined): string[] {
  const [, encoded] = /^Basic (.+)$/.exec(header ?? "") ?? [];
  return encoded === undefined ? [] : Buffer.from(encoded, "base64").toString().split(":");
}

function mcp(state: State, issuer: string, request: IncomingMessage, body: string, response: ServerResponse): boolean {
  const { config, access, log } = state;
  const message: { id?: unknown; method?: string; params?: { name?: string } } = body === "" ? {} : JSON.parse(body);
  const authorization = request.headers.authorization ?? "";
  log.calls.push({ method: message.method ?? request.method ?? "", authorization });
  const shown = access.get(authorization.replace(/^Bearer /, ""));
  if (config.rejects === true || shown === undefined || shown.until < Date.now()) {
    const at = issuer.replace("/signin/", "/.well-known/oauth-protected-resource/signin/");
    response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${at}/mcp", scope="tools read"` }).end();
    return true;
  }
  const { requires } = config;
  const isCall = message.method === "tools/call";
  if (isCall && requires !== undefined && (requires === "ever" || !shown.scope.split(" ").includes(requires))) {
    const scope = requires === "ever" ? `more-${randomUUID().slice(0, 8)}` : requires;
    response.writeHead(403, { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` }).end();
    return true;
  }
  const result = (value: object) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: value }));
    return true;
  };
  switch (message.method) {
    case "initialize":
      return result({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "signed in", version: "1" },
      });
    case "tools/list":
      return result({ tools: ["whoami", "leak"].map((name) => ({ name, inputSchema: { type: "object" } })) });
    case "tools/call": {
      const text = message.params?.name === "leak" ? `your token is ${authorization}` : `you are ${shown.account}`;
      return result({ content: [{ type: "text", text }] });
    }
    default:
      if (message.id === undefined) response.writeHead(202).end();
      else {
        response.writeHead(400, { "content-type": "application/json" });
        const error = { code: -32601, message: "Method not found" };
        response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
      }
      return true;
  }
}
