// An MCP server behind OAuth, for trials: an issuer that grants every request at once, and a proxy that requires its access tokens.

import { createHash, randomUUID } from "node:crypto";
import { createServer, request as forward } from "node:http";

/**
 * Starts the issuer and the proxy on one port.
 * @param {string} upstream the URL of the MCP server
 * @param {{ seconds?: number, tokens?: string[] }} [options] lifetime of access tokens; `tokens`: tokens that are always accepted
 * @returns {Promise<{ url: string, counts: Record<string, number>, close(): void }>} the URL of the protected server, and what was requested
 */
export async function startOauthProxy(upstream, { seconds = 3_600, tokens = [] } = {}) {
  const state = {
    codes: new Map(),
    access: new Map(tokens.map((token) => [token, Number.POSITIVE_INFINITY])),
    refresh: new Map(),
    clients: new Map(),
  };
  const counts = { register: 0, authorize: 0, token: 0, refresh: 0, revoke: 0, calls: 0, refused: 0 };
  const server = createServer((asked, response) => {
    answer(asked, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const protectedUrl = `${issuer}/mcp`;

  async function answer(asked, response) {
    const url = new URL(asked.url, issuer);
    const send = (value, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    const routes = {
      "/.well-known/oauth-protected-resource/mcp": () =>
        send({ resource: protectedUrl, authorization_servers: [issuer], scopes_supported: ["mcp"] }),
      "/.well-known/oauth-authorization-server": () => send(metadataOf(issuer)),
      "/register": async () => send(register(JSON.parse(await textOf(asked))), 201),
      "/authorize": () => authorize(url.searchParams, response),
      "/token": async () => send(...token(new URLSearchParams(await textOf(asked)), asked.headers.authorization)),
      "/revoke": async () => send(revoke(new URLSearchParams(await textOf(asked)))),
      "/mcp": () => call(asked, response),
    };
    const route = routes[url.pathname];
    if (route === undefined) send({ error: "not_found" }, 404);
    else await route();
  }

  function register(metadata) {
    counts.register++;
    const [client_id, client_secret] = [randomUUID(), randomUUID()];
    state.clients.set(client_id, client_secret);
    return { ...metadata, client_id, client_secret, client_secret_expires_at: 0 };
  }

  function authorize(query, response) {
    counts.authorize++;
    const [code, back] = [randomUUID(), new URL(query.get("redirect_uri"))];
    state.codes.set(code, { challenge: query.get("code_challenge"), clientId: query.get("client_id") });
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state"));
    back.searchParams.set("iss", issuer);
    response.writeHead(302, { location: back.href }).end();
  }

  /** Checks the client (secret in the body or in the header) and the PKCE verifier; refresh tokens rotate. */
  function token(form, header = "") {
    const basic = Buffer.from(header.replace(/^Basic /, ""), "base64")
      .toString()
      .split(":")
      .map(decodeURIComponent);
    const [clientId, secret] = header === "" ? [form.get("client_id"), form.get("client_secret")] : basic;
    if (!state.clients.has(clientId) || state.clients.get(clientId) !== secret)
      return [{ error: "invalid_client" }, 401];
    if (form.get("grant_type") === "client_credentials") return [issued(clientId, false)];
    if (form.get("grant_type") === "refresh_token") {
      counts.refresh++;
      const known = state.refresh.get(form.get("refresh_token"));
      state.refresh.delete(form.get("refresh_token"));
      return known === clientId ? [issued(clientId, true)] : [{ error: "invalid_grant" }, 400];
    }
    counts.token++;
    const code = state.codes.get(form.get("code"));
    state.codes.delete(form.get("code"));
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isValid = code?.clientId === clientId && code.challenge === challenge;
    return isValid && form.get("resource") === protectedUrl
      ? [issued(clientId, true)]
      : [{ error: "invalid_grant" }, 400];
  }

  function issued(clientId, renews) {
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    state.access.set(access_token, Date.now() + seconds * 1_000);
    if (renews) state.refresh.set(refresh_token, clientId);
    return { access_token, token_type: "Bearer", expires_in: seconds, ...(renews ? { refresh_token } : {}) };
  }

  function revoke(form) {
    counts.revoke++;
    state.access.delete(form.get("token"));
    state.refresh.delete(form.get("token"));
    return {};
  }

  /** Forwards a request with a valid access token, without the token. */
  function call(asked, response) {
    const access = (asked.headers.authorization ?? "").replace(/^Bearer /, "");
    if ((state.access.get(access) ?? 0) < Date.now()) {
      counts.refused++;
      const at = `${issuer}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${at}"` }).end();
      asked.resume();
      return;
    }
    counts.calls++;
    const { authorization: _, host: __, ...headers } = asked.headers;
    const onwards = forward(upstream, { method: asked.method, headers }, (given) => {
      response.writeHead(given.statusCode, given.headers);
      given.pipe(response);
    });
    onwards.on("error", () => response.destroy());
    response.on("close", () => onwards.destroy());
    asked.pipe(onwards);
  }

  return {
    url: protectedUrl,
    counts,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function metadataOf(issuer) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    authorization_response_iss_parameter_supported: true,
  };
}

async function textOf(asked) {
  let text = "";
  for await (const part of asked) text += part;
  return text;
}
