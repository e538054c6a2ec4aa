// Approves hosts and sets values in D1 directly, and imitates the hosts that skill code calls.

import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { PUBLIC_SCOPE, userScope } from "../../src/domain/access/access";
import { isLoopback } from "../../src/domain/loopback";
import { seal } from "../../src/services/secrets/encryption";
import { skillEnvPlace } from "../../src/services/secrets/skill-env";
import { openDatabase } from "../../src/storage/d1/database";
import { putSkillEnv } from "../../src/storage/d1/registry/skill-env";
import { putApprovedNetwork } from "../../src/storage/d1/registry/skill-network";
import { keyFor } from "./call";
import { publishPublic, type Result, talk } from "./chat-turns";
import { forgetting } from "./isolate";
import type { SkillFixture } from "./skill";
import { faults } from "./upstream";

const db = () => openDatabase(env.DB.withSession("first-primary"), { storage: 0 }, forgetting);

export const approve = (skillId: string, ...hosts: string[]) =>
  putApprovedNetwork(db(), { id: skillId, scope: PUBLIC_SCOPE }, hosts);

/** Stores a value of a user, or with `null` one that all users of the skill share. */
export async function setEnv(user: string | null, skillId: string, name: string, value: string, hosts: string[]) {
  const scope = user === null ? "gateway" : userScope(user);
  const row = { scope, skillId, name, hosts };
  const sealed = await seal({ SECRETS_KEY: env.SECRETS_KEY, SECRETS_KEYS_PREVIOUS: [] }, skillEnvPlace(row), value);
  await putSkillEnv(db(), [{ id: `env_${crypto.randomUUID()}`, ...row, ...sealed, createdBy: user ?? "admin" }], 256);
}

/** A request that left the gateway. */
export interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Answers requests of the gateway until the mocks are restored. Returns the list of what was sent.
 * @param first answers requests that are not for a host, such as those to an executor
 */
export function imitateHosts(first?: (request: Request) => Promise<Response | null>): Sent[] {
  const all: Sent[] = [];
  const fetchThere = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    // Work of an earlier request in the same isolate, such as an event for a webhook of another test.
    const { origin, hostname, pathname } = new URL(request.url);
    const isOfTests = origin === new URL(faults).origin || pathname.startsWith("/scripted/");
    if (isLoopback(hostname) && isOfTests) return fetchThere(request);
    const answer = await first?.(request);
    if (answer != null) return answer;
    const sent = {
      url: request.url,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    };
    all.push(sent);
    return respond(sent);
  });
  return all;
}

export const VALUE = "ghp-Secret+Value/0123456789";
export const HOSTS = ["api.example.org", "files.example.org"];
export const NETWORK = `network: [${HOSTS.join(", ")}, new.example.org]\nenv: [TOKEN, OTHER]`;

/** What the host received last. */
let kept = "";

/** A host that returns what it received, in several forms. */
function respond({ url, headers, body }: Sent): Response {
  const { pathname, host } = new URL(url);
  const received = headers.authorization ?? headers["x-key"] ?? "nothing";
  if (received !== "nothing") kept = received;
  const redirect = (location: string) => new Response(null, { status: 302, headers: { location } });
  switch (pathname) {
    case "/json":
      return Response.json({ host, headers, body });
    case "/base64":
      return new Response(btoa(received));
    case "/percent":
      return new Response(encodeURIComponent(received));
    case "/escaped":
      return new Response(
        received.replaceAll(/./g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
      );
    case "/binary":
      return new Response(new Uint8Array([0xff, 0, ...new TextEncoder().encode(received), 0xfe]));
    case "/header":
      return new Response("see the header", { headers: { "x-received": received } });
    case "/first-half":
      return new Response(received.slice(0, 18));
    case "/second-half":
      return new Response(received.slice(18));
    case "/kept":
      return new Response(kept);
    case "/out":
      return redirect("https://evil.example.com/steal");
    case "/to-files":
      return redirect("https://files.example.org/json");
    case "/to-http":
      return redirect("http://api.example.org/json");
    case "/within":
      return redirect("/json");
    case "/large":
      return new Response(new Uint8Array(9 * 1024 * 1024));
    case "/fails":
      throw new TypeError(`connect failed with ${received}`);
    default:
      return new Response("nothing here", { status: 404 });
  }
}

let people = 0;

interface Place {
  user: string;
  key: string;
  id: string;
  run(source: string, path?: string): Promise<Result>;
}

let skills = 0;
export const nextName = () => `caller-${++skills}`;

/** A user with a value, and a public skill that runs the source it is given. */
export async function place(
  more: { name?: string; value?: string | null; frontmatter?: string; hosts?: string[] } = {},
): Promise<Place> {
  const { name = nextName(), value = VALUE, frontmatter = NETWORK, hosts = HOSTS } = more;
  const user = `networker-${++people}`;
  const key = await keyFor(user);
  const files = { "scripts/main.mjs": "", "scripts/main.py": "", "scripts/main.sh": "#!/bin/bash\n" };
  const { id } = await publishPublic({ name, frontmatter, files });
  await approve(id, ...hosts);
  if (value !== null) await setEnv(user, id, "TOKEN", value, HOSTS.slice(0, 1));
  const chat = await talk({ key });
  return {
    ...{ user, key, id },
    async run(source, path = "scripts/main.mjs") {
      const version = { name, frontmatter, files: { ...files, [path]: source } } satisfies SkillFixture;
      await publishPublic(version);
      return chat.use("execute_skill_script", { skill_name: name, script_path: path });
    },
  };
}

export const said = (result: Result) =>
  `${result.structuredContent?.stdout ?? ""}${result.structuredContent?.stderr ?? ""}`;
export const bearer = `{ headers: { authorization: "Bearer " + process.env.TOKEN } }`;
export const printed = (url: string, init = bearer) =>
  `const answer = await fetch(${JSON.stringify(url)}, ${init}); console.log(answer.status, await answer.text());`;

/** The forms in which the value could leave. */
const FORMS = [VALUE, btoa(VALUE), encodeURIComponent(VALUE), [...VALUE].reverse().join("")];

export function expectNoValue(of: unknown): void {
  const text = typeof of === "string" ? of : JSON.stringify(of);
  for (const form of FORMS) expect(text).not.toContain(form);
}

/** Requests that carry the value went to the host that it is bound to, in a header. */
export function expectOnlyBoundHost(sent: readonly Sent[]): void {
  for (const { url, headers, body } of sent) {
    expectNoValue([url, body]);
    const { hostname, protocol, port } = new URL(url);
    if (FORMS.some((form) => JSON.stringify(headers).includes(form)))
      expect([protocol, hostname, port]).toEqual(["https:", "api.example.org", ""]);
  }
}
