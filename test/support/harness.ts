// The built gateway in a process of its own, for tests that come from outside: SDKs, examples, the README.

import path from "node:path";
import { createTestHarness } from "wrangler";
import { form, type SkillFixture, skillZip } from "./skill";

export const root = path.join(import.meta.dirname, "../..");
export const KEY = "sgw_admin_key_of_the_harness_for_tests";

export interface Published {
  id: string;
  version_id: string;
}

export class Harness {
  private readonly server: ReturnType<typeof createTestHarness>;
  url = "";

  /** @param settings besides the key */
  constructor(settings: Record<string, string> = {}) {
    const secrets = { GATEWAY_ADMIN_KEY: KEY, ...settings };
    this.server = createTestHarness({ root, workers: [{ configPath: "wrangler.toml", secrets }] });
  }

  async start(): Promise<void> {
    this.url = String((await this.server.listen()).url).replace(/\/$/, "");
    await this.server.getWorker().applyD1Migrations("DB");
  }

  close(): Promise<void> {
    return this.server.close();
  }

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

  /** Publishes a public skill, or another version of one. */
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
