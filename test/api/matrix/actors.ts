// Actors of the isolation matrix with their keys, and the resources that they request.

import { env } from "cloudflare:workers";
import { KEY_SCOPES } from "../../../src/domain/access/key-scope";
import { sha256Hex } from "../../../src/domain/digest";
import { call, keyFor } from "../../support/call";
import { COOKIE, ConsolePage } from "../../support/console";
import { signedIn } from "../../support/grants";
import { perFile } from "../../support/per-file";
import { form, skillZip } from "../../support/skill";

/** `self` owns the resources of `self`, the four roles belong to the row's group, and `foreigner` owns a different group. */
export const USERS = [
  "self",
  "stranger",
  "foreigner",
  "Reporter",
  "Developer",
  "Maintainer",
  "Owner",
  "admin",
] as const;
export type User = (typeof USERS)[number];

/**
 * Actors without a valid key. The revoked and the expired key belonged to the row's most privileged user. The last actor has only the
 * cookie of that user's console session.
 */
export const UNKNOWN = ["anonymous", "malformed", "revoked", "expired", "cookie only"] as const;
/** Restricted keys of the row's most privileged user, and a service that acts for that user. */
export const LIMITED = ["wrong scope", "scope only", "acting service"] as const;

export type Actor = User | (typeof UNKNOWN)[number] | (typeof LIMITED)[number];
export const ACTORS: readonly Actor[] = [...UNKNOWN, ...LIMITED, ...USERS];

export const userOf = (user: User) => `matrix-${user}`;
const roleOf = (user: User) => (user === "admin" ? { role: "admin" } : {});

const keys = new Map<string, Promise<string>>();
await perFile(() => keys.clear());
function once(name: string, make: () => Promise<string>): Promise<string> {
  const known = keys.get(name) ?? make();
  keys.set(name, known);
  return known;
}

export const keyOfUser = (user: User) => once(user, () => keyFor(userOf(user), roleOf(user)));

/** Returns the key of an actor. `best` is the row's most privileged user; `scope` is the scope that the row requires of a limited key. */
export function keyOf(actor: Actor, best: User, scope: string | null): Promise<string | null> {
  switch (actor) {
    case "anonymous":
      return Promise.resolve(null);
    case "cookie only":
      return Promise.resolve(null);
    case "malformed":
      return Promise.resolve("sgw_not-a-key");
    case "revoked":
      return once(`revoked ${best}`, async () => {
        const made = await call("POST", "/api/v1/keys", { json: { user_id: userOf(best), ...roleOf(best) } });
        const { id, key } = await made.json<{ id: string; key: string }>();
        await call("DELETE", `/api/v1/keys/${id}`);
        return key;
      });
    case "expired":
      return once(`expired ${best}`, () =>
        keyFor(userOf(best), { ...roleOf(best), expires_at: "2020-01-01T00:00:00Z" }),
      );
    case "wrong scope": {
      const scopes = KEY_SCOPES.filter((known) => known !== scope && known !== "act_as");
      return once(`${best} without ${scope}`, () => keyFor(userOf(best), { ...roleOf(best), scopes }));
    }
    case "scope only": {
      const scopes = [scope ?? "ghosts"];
      return once(`${best} with ${scope}`, () => keyFor(userOf(best), { ...roleOf(best), scopes }));
    }
    case "acting service":
      return once("service", () => keyFor("matrix-service", { role: "admin", scopes: ["act_as"] }));
    default:
      return keyOfUser(actor);
  }
}

/**
 * Returns the extra headers of an actor: for a browser, the console cookie of the row's most privileged user and the headers of the page.
 */
export async function marksOf(actor: Actor, best: User): Promise<Record<string, string>> {
  if (actor !== "cookie only") return {};
  const cookie = await once(`cookie of ${best}`, async () => {
    const { secret } = await new ConsolePage().signIn(await keyOfUser(best));
    return `${COOKIE}=${secret}`;
  });
  return { cookie, "x-skillgate-console": "1", "sec-fetch-site": "same-origin" };
}

/** Values for the `{…}` parameters of a route and for its body. */
export type Thing = Record<string, string>;

let made = 0;
export const fresh = (what: string) => `matrix-${what}-${++made}`;

/** Creates a group with one member of each role. Deletes earlier groups first, because the number of groups per user is limited. */
export async function group(name = fresh("group")): Promise<Thing> {
  const member = "INSERT INTO group_members (group_name, user_id, role, created_by) VALUES (?, ?, ?, 'matrix')";
  await env.DB.batch([
    env.DB.prepare("DELETE FROM groups WHERE name LIKE 'matrix-group-%'"),
    env.DB.prepare("INSERT INTO groups (name, folded, created_by) VALUES (?1, ?1, 'matrix')").bind(name),
    ...(["Reporter", "Developer", "Maintainer", "Owner"] as const).map((role) =>
      env.DB.prepare(member).bind(name, userOf(role), role),
    ),
  ]);
  return { name, group: name };
}

/** Creates a group with an extra member whose role is below every role that manages members. */
export async function membered(): Promise<Thing> {
  const thing = await group();
  const member =
    "INSERT INTO group_members (group_name, user_id, role, created_by) VALUES (?, ?, 'Reporter', 'matrix')";
  await env.DB.prepare(member).bind(thing.group, "matrix-extra").run();
  return { ...thing, user_id: "matrix-extra" };
}

let shared: Promise<Thing>;
let foreign: Promise<unknown>;
await perFile(() => {
  shared = group("matrix-shared");
  foreign = env.DB.batch([
    env.DB.prepare(
      "INSERT INTO groups (name, folded, created_by) VALUES ('matrix-foreign', 'matrix-foreign', 'matrix')",
    ),
    env.DB.prepare(
      "INSERT INTO group_members (group_name, user_id, role, created_by) VALUES ('matrix-foreign', 'matrix-foreigner', 'Owner', 'matrix')",
    ),
  ]);
});

/** A skill with two versions, the second one current. */
export async function skill(of: "self" | "group" | "public"): Promise<Thing> {
  const thing = await shared;
  await foreign;
  const name = fresh("skill");
  const key = await keyOfUser(of === "self" ? "self" : of === "group" ? "Owner" : "admin");
  const path = `/api/v1/kinds/skills/${of === "public" ? "public" : "upload"}`;
  const fields: Record<string, string> = of === "group" ? { namespace: thing.group! } : {};
  const publish = async (version: string) => {
    const answer = await call("POST", path, { key, body: form(skillZip({ name, version }), fields) });
    if (answer.status !== 201) throw new Error(await answer.text());
    return answer.json<{ metadata: { labels: { id: string } }; status: { version_id: string } }>();
  };
  const first = await publish("1.0.0");
  await publish("2.0.0");
  return {
    id: first.metadata.labels.id,
    version_id: first.status.version_id,
    path: "SKILL.md",
    skill: name,
    ...pick(thing),
  };
}

const pick = (thing: Thing) => ({ group: thing.group! });

/** A draft of `self`. */
export async function draft(): Promise<Thing> {
  const name = fresh("draft");
  const body = form(skillZip({ name }));
  const answer = await call("PUT", `/api/v1/kinds/skills/drafts/${name}`, { key: await keyOfUser("self"), body });
  if (answer.status !== 201) throw new Error(await answer.text());
  return { name };
}

/** A ghost of `self`, of the group at hand, or a public one. */
export async function ghost(of: "self" | "group" | "public" = "self"): Promise<Thing> {
  const thing = await shared;
  await foreign;
  const name = fresh("ghost");
  const namespace = { self: "default", group: thing.group!, public: "public" }[of];
  const key = await keyOfUser(of === "self" ? "self" : of === "group" ? "Owner" : "admin");
  const json = { metadata: { name, namespace }, spec: { systemPrompt: "" } };
  const answer = await call("POST", "/api/v1/kinds/ghosts", { key, json });
  if (answer.status !== 201) throw new Error(await answer.text());
  const { metadata } = await answer.json<{ metadata: { labels: { id: string } } }>();
  return { id: metadata.labels.id, ghost: name, ...pick(thing) };
}

/** Functions that create a resource, one for all rows, so that rows that only read can share a resource (`probe.ts`). */
export const READABLE = {
  skill: { self: () => skill("self"), group: () => skill("group"), public: () => skill("public") },
  ghost: { self: () => ghost("self"), group: () => ghost("group"), public: () => ghost("public") },
};

/** A skill, and a ghost of the same scope that uses it. */
export async function usedSkill(of: "self" | "group" | "public"): Promise<Thing> {
  const thing = await skill(of);
  const namespace = { self: "default", group: thing.group!, public: "public" }[of];
  const key = await keyOfUser(of === "self" ? "self" : of === "group" ? "Owner" : "admin");
  const json = { metadata: { name: fresh("using"), namespace }, spec: { skills: [thing.skill] } };
  const answer = await call("POST", "/api/v1/kinds/ghosts", { key, json });
  if (answer.status !== 201) throw new Error(await answer.text());
  const { metadata } = await answer.json<{ metadata: { labels: { id: string } } }>();
  return { ...thing, ghost_id: metadata.labels.id };
}

/** A conversation in its first turn, with a request to the browser that waits. */
export async function conversation(): Promise<Thing> {
  const key = await keyOfUser("self");
  const id = fresh("conversation");
  await call("POST", `/api/v1/conversations/${id}/turns`, { key, json: { conversation: {} } });
  const asked = await call("POST", `/api/v1/conversations/${id}/requests`, {
    key,
    json: { action: "draw", wait_ms: 0 },
  });
  const { request_id } = await asked.json<{ request_id: string }>();
  return { id, turn: "1", call_id: "none", request_id };
}

/** Creates a conversation with a file that one of its scripts stored. */
export async function keptFile(): Promise<Thing> {
  const thing = await conversation();
  const file_id = fresh("fil").replaceAll("-", "_");
  const object = `runs/matrix/call/${file_id}`;
  await env.PACKAGES.put(object, "left");
  await env.DB.prepare(
    "INSERT INTO run_files (id, user_id, conversation, object, path, size, created_at) VALUES (?, ?, ?, ?, '/workspace/a.txt', 4, ?)",
  )
    .bind(file_id, userOf("self"), thing.id, object, Date.now())
    .run();
  return { ...thing, file_id };
}

export async function ownKey(): Promise<Thing> {
  const answer = await call("POST", "/api/v1/keys", { json: { user_id: userOf("self"), scopes: ["keys"] } });
  return { id: (await answer.json<{ id: string }>()).id };
}

/** Creates an OAuth grant of `self` for an MCP host. */
export async function ownGrant(): Promise<Thing> {
  await signedIn({ userId: userOf("self") });
  const newest = env.DB.prepare("SELECT id FROM grants WHERE user_id = ? ORDER BY id DESC LIMIT 1").bind(
    userOf("self"),
  );
  return { id: (await newest.first<{ id: string }>())?.id ?? "" };
}

/** The proof of a pending connection. */
export const PROOF = "9f".repeat(32);

/** A connection of `self` to an MCP server. Its tokens cannot be decrypted, so nothing is revoked at its issuer. */
export async function ownConnection(state: "active" | "pending"): Promise<Thing> {
  const id = fresh("cnn");
  const proof = state === "pending" ? await sha256Hex(PROOF) : null;
  await env.DB.prepare(
    `INSERT INTO connections (id, user_id, scope, server, url, issuer, endpoints, key_id, iv, ciphertext, state, proof, proof_until)
      VALUES (?1, ?2, 'gateway', ?1, 'https://mcp.example.com/', 'https://mcp.example.com', ?3, 'k', '', '', ?4, ?5, ?6)`,
  )
    .bind(id, userOf("self"), "{}", state, proof, proof === null ? null : Date.now() + 600_000)
    .run();
  return { id };
}

/** A sign-in of `self` to the console. */
export async function ownSession(): Promise<Thing> {
  const { secret } = await new ConsolePage().signIn(await keyOfUser("self"));
  return { id: secret.split("_")[1] ?? "" };
}

/** A secret of `self`, of a group, or of the gateway. */
export async function storedSecret(of: string, owner: (thing: Thing) => Record<string, string>): Promise<Thing> {
  const thing = of === "group" ? await group() : {};
  const name = fresh("SECRET").replaceAll("-", "_");
  const key = await keyOfUser(of === "self" ? "self" : of === "group" ? "Owner" : "admin");
  const json = { value: "a secret value", hosts: ["api.example.com"], ...owner(thing) };
  const answer = await call("PUT", `/api/v1/secrets/${name}`, { key, json });
  if (answer.status !== 201) throw new Error(await answer.text());
  return { ...thing, name };
}

/** Stores a model of `self`, of a group or of the gateway. Its address is unreachable. */
export async function storedModel(of: string, owner: (thing: Thing) => Record<string, string>): Promise<Thing> {
  const thing = of === "group" ? await group() : {};
  const name = fresh("model");
  const key = await keyOfUser(of === "self" ? "self" : of === "group" ? "Owner" : "admin");
  const json = { ...MODEL, ...owner(thing) };
  const answer = await call("PUT", `/api/v1/models/${name}`, { key, json });
  if (answer.status !== 201) throw new Error(await answer.text());
  return { ...thing, name };
}

export const MODEL = { api: ["openai-chat"], base_url: "http://127.0.0.1:9/v1", model: "some-model" };

/** Stores a server of `self` or of a group. Its address is unreachable. */
export async function storedOwnServer(of: string, owner: (thing: Thing) => Record<string, string>): Promise<Thing> {
  const thing = of === "group" ? await group() : {};
  const name = fresh("server");
  await env.DB.prepare("DELETE FROM own_servers").run();
  const key = await keyOfUser(of === "self" ? "self" : "Owner");
  const json = { ...SERVER, ...owner(thing) };
  const answer = await call("PUT", `/api/v1/servers/${name}`, { key, json });
  if (answer.status !== 201) throw new Error(await answer.text());
  return { ...thing, name };
}

/** Stores a publisher of `self`, of a group, or of public skills. */
export async function storedPublisher(of: string, owner: (thing: Thing) => Record<string, string>): Promise<Thing> {
  const thing = of === "group" ? await group() : {};
  const name = fresh("publisher");
  await env.DB.prepare("DELETE FROM publishers").run();
  const key = await keyOfUser(of === "self" ? "self" : of === "group" ? "Owner" : "admin");
  const answer = await call("PUT", `/api/v1/publishers/${name}`, { key, json: { ...PUBLISHER, ...owner(thing) } });
  if (answer.status !== 201) throw new Error(await answer.text());
  return { ...thing, name };
}

export const PUBLISHER = { issuer: "https://ci.acme.dev", claims: { repository: "acme/skills" }, skills: ["poem"] };

export const SERVER = { url: "http://127.0.0.1:9/mcp", connect_timeout: 1 };

export const WEBHOOK = { url: "http://127.0.0.1:9/hook" };

/** Stores a webhook of `self`, of a group or of the gateway, with a delivery. Its address is unreachable. */
export async function storedWebhook(of: string, owner: (thing: Thing) => Record<string, string>): Promise<Thing> {
  const thing = of === "group" ? await group() : {};
  const name = fresh("hook");
  await env.DB.prepare("DELETE FROM webhooks").run();
  const key = await keyOfUser(of === "self" ? "self" : of === "group" ? "Owner" : "admin");
  const answer = await call("PUT", `/api/v1/webhooks/${name}`, { key, json: { ...WEBHOOK, ...owner(thing) } });
  if (answer.status !== 201) throw new Error(await answer.text());
  const query = new URLSearchParams(owner(thing));
  const tested = await call("POST", `/api/v1/webhooks/${name}/test?${query}`, { key });
  return { ...thing, name, id: (await tested.json<{ id: string }>()).id };
}

/** Stores one of the gateway's servers. Its address is unreachable. */
export async function storedServer(): Promise<Thing> {
  const name = fresh("server");
  await dropServers();
  await call("PUT", `/api/v1/mcp-servers/${name}`, { json: { url: "http://127.0.0.1:9/mcp" } });
  return { name };
}

/** Deletes all servers, because every conversation would try to connect to them. */
export async function dropServers(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("DELETE FROM mcp_servers"),
    env.DB.prepare("UPDATE counters SET value = value + 1 WHERE scope = 'public'"),
  ]);
}

/** Returns the same resource with ids that were never created. */
export function neverMade(thing: Thing): Thing {
  const absent: Thing = {
    id: "nothing-of-the-kind",
    version_id: "ver_nothing",
    request_id: "req_nothing",
    file_id: "fil_nothing",
    name: "NO_SUCH_NAME",
    group: "no-such-group",
    namespace: "no-such-group",
    skill: "no-such-skill",
  };
  return Object.fromEntries(Object.entries(thing).map(([field, value]) => [field, absent[field] ?? value]));
}
