// Measures one request of a row: with a user's key, a service's key that acts for a user, an external token, or an OAuth access token of an
// MCP host; in an isolate with an empty cache, in one that has cached the caller, and with a replica that lacks the resource.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { vi } from "vitest";
import { wholeApp } from "../../src/edges";
import { keyOf, type Thing, userOf } from "../api/matrix/actors";
import type { Row } from "../api/matrix/table";
import { signedIn } from "../support/grants";
import { AUDIENCE, claims, ISSUER, Issuer, sign } from "../support/issuer";
import { at, isolate, journeyOf } from "../support/world/pool";
import type { Journey } from "../support/world/trip";
import type { World } from "../support/world/world";

export const CREDENTIALS = ["key", "act_as", "token", "grant"] as const;
export type Credential = (typeof CREDENTIALS)[number];

export const STATES = ["cold", "warm", "lagging"] as const;
export type State = (typeof STATES)[number];

const ORIGIN = "https://gateway.test";
const app = await wholeApp();

/** Changes no data, but every conversation must check its view. */
const dropViews = () => env.DB.prepare("UPDATE counters SET value = value + 1 WHERE scope = 'public'").run();

/**
 * Whether the route accepts this kind of credential. Services cannot manage keys or admin resources, and links and imports require a key.
 */
export function takes(row: Row, credential: Credential): boolean {
  // If an issuer signs users in, the gateway's own sign-in page does not.
  if (credential === "token" && /^(POST \/api\/v1\/sign-ins|PUT \/api\/v1\/oauth-clients)/.test(row.route))
    return false;
  // A grant opens its one URL, and is never an admin's.
  if (credential === "grant") return row.route.startsWith("POST /mcp") && (row.best === "self" || row.of === "nobody");
  if (credential === "act_as") return row.scope !== "keys" && row.scope !== "admin" && row.best !== "admin";
  if (credential === "token" && (row.route === "POST /api/v1/links" || row.route === "POST /api/v1/imports"))
    return false;
  return credential === "key" || row.best === "self" || row.of === "nobody";
}

export interface Travelled {
  status: number;
  text: string;
  journey: Journey;
}

function pathOf({ route }: Row, thing: Thing): string {
  const [, template = ""] = route.split(" ");
  return template.replace(/\{([^}]+)\}/g, (_, field: string) => thing[field] ?? field);
}

export class Traveller {
  #made = 0;
  readonly #later: Promise<void>[] = [];
  #issuer: { issuer: Issuer; pair: Awaited<ReturnType<Issuer["add"]>> } | null = null;

  constructor(readonly world: World) {}

  /** Sends it to an isolate of its own. */
  async go(row: Row, credential: Credential, state: State, thing: Thing): Promise<Travelled> {
    const name = `isolate-${++this.#made}`;
    const headers = await this.#credentials(row, credential, pathOf(row, thing));
    const ask = () => this.#sendRequest(name, credential, row, headers, thing);
    // The isolates of a test share the views of MCP conversations.
    if (row.route.startsWith("POST /mcp ")) await dropViews();
    if (state === "warm") {
      await this.#warm(name, credential, headers, row, thing);
      if (!row.spent) await (await ask()).arrayBuffer();
      await this.world.settle();
    }
    const { answer, text, journey } = await journeyOf(this.world, ask);
    await Promise.all(this.#later.splice(0));
    return { status: answer.status, text, journey };
  }

  /** Creates the keys of a row in advance, so that the replica contains them before it starts to lag. */
  async prepare(row: Row): Promise<void> {
    for (const credential of CREDENTIALS) if (credential !== "grant") await this.#credentials(row, credential, "");
  }

  /** The isolate has just answered this caller, and has done what it left for later. */
  async #warm(
    name: string,
    credential: Credential,
    headers: Record<string, string>,
    row: Row,
    thing: Thing,
  ): Promise<void> {
    const isGrant = credential === "grant";
    const open = isGrant ? await this.#credentials(row, "key", "") : headers;
    for (const path of ["/api/v1/kinds/skills?limit=1", "/api/v1/kinds/skills?limit=1"]) {
      const answer = await this.#send(name, credential, new Request(ORIGIN + path, { headers: open }));
      await answer.text();
      await this.world.settle();
    }
    if (!isGrant) return;
    const ping: Row = { ...row, route: `POST ${row.route.split(" ")[1]} ping`, params: () => ({}) };
    await (await this.#sendRequest(name, credential, ping, headers, thing)).text();
    await this.world.settle();
  }

  /** @param path what a grant is for */
  async #credentials(row: Row, credential: Credential, path: string): Promise<Record<string, string>> {
    const bearer = (key: string | null) => ({ authorization: `Bearer ${key}` });
    if (credential === "grant") {
      const { access_token } = await signedIn({ userId: userOf(row.best), resource: ORIGIN + path });
      return bearer(access_token);
    }
    if (credential === "key") return bearer(await keyOf(row.best, row.best, row.scope));
    if (credential === "act_as") {
      return { ...bearer(await keyOf("acting service", row.best, row.scope)), "on-behalf-of": userOf(row.best) };
    }
    const { pair } = await this.#issuing();
    const roles = row.best === "admin" ? { roles: "admin" } : {};
    return bearer(await sign(pair, claims({ sub: userOf(row.best), ...roles })));
  }

  async #issuing() {
    if (this.#issuer === null) {
      const issuer = new Issuer();
      this.#issuer = { issuer, pair: await issuer.add("world") };
      const real = globalThis.fetch;
      vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
        String(input) === issuer.keysUrl ? issuer.fetch(String(input)) : real(input, init),
      );
    }
    return this.#issuer;
  }

  #sendRequest(
    name: string,
    credential: Credential,
    row: Row,
    credentials: Record<string, string>,
    thing: Thing,
  ): Promise<Response> {
    const [method = "", , what = ""] = row.route.split(" ");
    const path = pathOf(row, thing);
    const { json, body } = row.send(thing);
    const message = row.params && { jsonrpc: "2.0", id: 1, method: what, params: row.params(thing) };
    const said = message ?? json;
    const headers = new Headers(credentials);
    if (said !== undefined) headers.set("content-type", "application/json");
    if (message !== undefined) {
      headers.set("accept", "application/json, text/event-stream");
      headers.set("mcp-protocol-version", "2025-11-25");
    }
    const content = said === undefined ? body : JSON.stringify(said);
    const url = ORIGIN + path + (row.query?.(thing) ?? "");
    return this.#send(name, credential, new Request(url, { method, headers, ...(content && { body: content }) }));
  }

  async #send(name: string, credential: Credential, request: Request): Promise<Response> {
    if (credential !== "token") {
      const headers = new Headers([...request.headers, ...Object.entries(at(name))]);
      return exports.default.fetch(new Request(request, { headers }));
    }
    const { issuer } = await this.#issuing();
    const context = createExecutionContext();
    const settings = {
      JWT_ISSUER: ISSUER,
      JWT_AUDIENCE: `${AUDIENCE}, ${ORIGIN}`,
      JWT_ALGORITHMS: "ES256",
      JWT_ROLE_CLAIM: "roles",
      JWT_JWKS_URL: issuer.keysUrl,
    };
    const answer = await app.fetch(request, { ...env, ...isolate(name), ...settings }, context);
    // Background work is awaited at the end of the measurement, after the response.
    this.#later.push(waitOnExecutionContext(context));
    return answer;
  }
}
