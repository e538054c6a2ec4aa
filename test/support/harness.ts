// Runs the built gateway in its own process, for external tests: SDKs, examples, the README.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildGateway } from "../../scripts/build/worker.mjs";
import { openGateway } from "../../scripts/local/gateway.mjs";
import { applyMigrations } from "../../scripts/local/migrate.mjs";
import { anyPort } from "../../scripts/local/port.mjs";
import { form, type SkillFixture, skillZip } from "./skill";

export const root = path.join(import.meta.dirname, "../..");
export const KEY = "sgw_admin_key_of_the_harness_for_tests";

let built: ReturnType<typeof buildGateway> | undefined;

/** Builds the gateway once per worker: checking that its sources are unchanged takes half a second of CPU. */
function build() {
  built ??= buildGateway();
  return built;
}

export interface Published {
  id: string;
  version_id: string;
}

/** Base class for tests that call a gateway in another process. */
export abstract class Outside {
  url = "";

  abstract start(): Promise<void>;
  abstract close(): Promise<void>;

  async send(method: string, route: string, body?: FormData | object, user?: string): Promise<Response> {
    const json = body !== undefined && !(body instanceof FormData);
    const response = await fetch(`${this.url}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${KEY}`,
        ...(user === undefined ? {} : { "on-behalf-of": user }),
        ...(json ? { "content-type": "application/json" } : {}),
      },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
    return response;
  }

  /** Publishes a public skill, or a new version of it. */
  async publish(skill: SkillFixture, id?: string): Promise<Published> {
    const route = id === undefined ? "/api/v1/kinds/skills/public" : `/api/v1/kinds/skills/${id}`;
    const answer = await this.send(id === undefined ? "POST" : "PUT", route, form(skillZip(skill)));
    const made = (await answer.json()) as { metadata: { labels: { id: string } } };
    const known = made.metadata.labels.id;
    const versions = await this.send("GET", `/api/v1/kinds/skills/${known}/versions`);
    const { items } = (await versions.json()) as { items: { version_id: string }[] };
    return { id: known, version_id: items[0]!.version_id };
  }
}

/** The gateway as `npm start` runs it, without its lock and its own skills. */
export class Harness extends Outside {
  #state = "";
  #gateway: Awaited<ReturnType<typeof openGateway>> | null = null;

  /** @param settings in addition to the key */
  constructor(private readonly settings: Record<string, string> = {}) {
    super();
  }

  async start(): Promise<void> {
    const [{ modules }, state, port] = await Promise.all([
      build(),
      mkdtemp(path.join(tmpdir(), "skill-gateway-harness-")),
      anyPort(),
    ]);
    this.#state = state;
    const variables = { GATEWAY_ADMIN_KEY: KEY, ...this.settings };
    const none = () => undefined;
    this.#gateway = await openGateway({
      modules,
      variables,
      state,
      port,
      owner: "harness",
      onRuntime: none,
      onLost: none,
    });
    await this.#gateway.ready();
    await applyMigrations(await this.#gateway.database());
    this.url = `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    await this.#gateway?.stop();
    await rm(this.#state, { recursive: true, force: true });
  }
}
