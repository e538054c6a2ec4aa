// Rows of the isolation matrix for scope paths: indexes, searches, marketplaces, plugins, and the routes of ClawHub clients.

import { zipSync } from "fflate";
import { call } from "../../support/call";
import { sha256, upload } from "../../support/clawhub";
import { perFile } from "../../support/per-file";
import { fresh, group, keyOfUser, skill, type Thing, userOf } from "./actors";
import { everybody, members, nothing, type Row, type Sent } from "./table";

type Of = "self" | "group" | "public";
const PLACES: Record<Of, string> = { self: "/s/own", group: "/s/group/{group}", public: "/s/public" };
const BEST = { self: "self", group: "Owner", public: "admin" } as const;
const INDEXES = ["/.well-known/agent-skills", "/.well-known/skills"];
const READ = "skills:read";
const PLUGIN_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const none = async () => ({});

const known = new Map<Of, Promise<Thing>>();
await perFile(() => known.clear());

/** Returns one skill per owner, shared by all rows, because reading does not change it. */
function shelved(of: Of): Promise<Thing> {
  const thing = known.get(of) ?? shelve(of);
  known.set(of, thing);
  return thing;
}

/** Creates a skill that appears in an index and a marketplace. Returns it with the archives that they link to. */
async function shelve(of: Of): Promise<Thing> {
  const thing = await skill(of);
  const key = await keyOfUser(BEST[of]);
  const place = PLACES[of].replace("{group}", thing.group ?? "");
  const read = async (path: string) => (await call("GET", `${place}${path}`, { key })).text();
  // Each archive is created when an index first links to it.
  const nameOf = (text: string) => new RegExp(`/-/${thing.skill}/([0-9a-f]{64}[.]zip)`).exec(`/${text}`)?.[1] ?? "none";
  const archive = nameOf((await read(`/${thing.skill}${INDEXES[0]}/index.json`)).replaceAll('"-/', '"/-/'));
  const plugin = nameOf(await read("/.claude-plugin/marketplace.json"));
  const owner = { self: userOf("self"), group: `group.${thing.group}`, public: "public" }[of];
  return { ...thing, archive, plugin, owner, name: thing.skill ?? "" };
}

/**
 * Returns rows for a route that shows one skill of the user, of a group and of the public scope. The skill is not open, so it requires a
 * key.
 */
function shown(route: (place: string) => string, query: Row["query"] = () => ""): Row[] {
  const mays = { self: { self: 200 }, group: members("Reporter", 200), public: everybody(200) };
  return (["self", "group", "public"] as const).map((of) => ({
    ...{ route: `GET ${route(PLACES[of])}`, of, scope: READ, best: BEST[of], may: mays[of], withoutKey: 404 },
    ...{ thing: () => shelved(of), spent: false, send: nothing, query },
  }));
}

/**
 * Returns rows for a route that shows a whole scope: the user's own, a group's for its members, and the open skills of the public scope for
 * all callers.
 */
function whole(rest: string): Row[] {
  const row = (of: Of, may: Row["may"], withoutKey: number): Row => ({
    ...{ route: `GET ${PLACES[of]}${rest}`, of: of === "group" ? of : "nobody", scope: READ, may, withoutKey },
    ...{ best: of === "group" ? "Owner" : "admin", thing: of === "group" ? () => group() : none },
    ...{ spent: of === "group", send: nothing },
  });
  return [
    row("self", everybody(200), 404),
    row("group", members("Reporter", 200), 404),
    row("public", everybody(200), 200),
  ];
}

/** Returns a row for a route without an owned resource. */
const open = (route: string, scope: string | null, status: number, more: Partial<Row> = {}): Row => ({
  ...{ route, of: "nobody", scope, best: "admin", may: everybody(status), thing: none, spent: false, send: nothing },
  ...more,
});

const plugin: Sent = () => {
  const name = fresh("plugin");
  const written = (text: string) => new TextEncoder().encode(text);
  const bytes = zipSync({
    "plugin.json": written(JSON.stringify({ $schema: PLUGIN_SCHEMA, name, version: "1.0.0" })),
    [`skills/${name}/SKILL.md`]: written(`---\nname: ${name}\ndescription: Shows how.\n---\n\nDo it.\n`),
  });
  const body = new FormData();
  body.append("files[]", new File([new Uint8Array(bytes)], `${name}.zip`));
  return { body };
};

const said = { path: "a.txt", size: 1, sha256: sha256("a") };
const C = "/api/v1/skills";
const ofOwner = (thing: Thing) => `?ownerHandle=${encodeURIComponent(thing.owner ?? "")}`;
const bySlug = (thing: Thing) => `${ofOwner(thing)}&slug=${thing.name}&hash=${"0".repeat(64)}`;

const CLAWHUB_ROWS: Row[] = [
  open("GET /api/v1/whoami", null, 200),
  open("GET /api/v1/search", READ, 200, { withoutKey: 200, query: () => "?q=how" }),
  open(`GET ${C}`, READ, 200, { withoutKey: 200 }),
  ...shown(() => `${C}/{name}`, ofOwner),
  ...["install", "moderation", "versions", "versions/1.0.0"].flatMap((rest) =>
    shown(() => `${C}/{name}/${rest}`, ofOwner),
  ),
  ...shown(
    () => `${C}/{name}/file`,
    (thing) => `${ofOwner(thing)}&path=SKILL.md`,
  ),
  ...shown(() => "/api/v1/resolve", bySlug),
  ...shown(() => "/api/v1/download", bySlug),
  open(`POST ${C}/-/upload-url`, "skills:write", 200, { send: () => ({ json: said }) }),
  // Callers with the scope receive the validation errors of the release.
  open(`POST ${C}`, "skills:write", 400, { send: () => ({ json: {} }) }),
  {
    ...{ route: `POST ${C}/-/uploads/{id}`, of: "self", scope: "skills:write", best: "self", may: { self: 200 } },
    thing: async () => ({ id: (await upload(await keyOfUser("self"), "a.txt", "a")).uploadTicket }),
    ...{ spent: false, send: () => ({ body: "a" }) },
  },
];

export const PLACE_ROWS: Row[] = [
  ...INDEXES.flatMap((index) => [
    ...whole(`${index}/index.json`),
    ...shown((place) => `${place}/{name}${index}/index.json`),
    ...["", "/{skill}"].flatMap((below) => [
      ...shown((place) => `${place}${below}${index}/-/{name}/{archive}`),
      ...shown((place) => `${place}${below}${index}/{name}/{path}`),
    ]),
  ]),
  ...whole("/api/search"),
  ...whole("/.claude-plugin/marketplace.json"),
  ...shown((place) => `${place}/.claude-plugin/-/{name}/{plugin}`),
  ...whole("/agent-plugin.zip"),
  ...whole("/agent-plugin.json"),
  open("POST /s/own/agent-plugin", "skills:write", 200, { spent: true, send: plugin }),
  {
    ...{ route: "POST /s/group/{group}/agent-plugin", of: "group", scope: "skills:write", best: "Owner" },
    ...{ may: members("Developer", 200), thing: () => group(), spent: true, send: plugin },
  },
  open("GET /api/search", READ, 200, { withoutKey: 200, query: () => "?q=how" }),
  ...["providers", "available", "search"].map((rest) => open(`GET /api/skill-market/${rest}`, READ, 200)),
  {
    ...open("GET /api/skill-market/download/{key}", READ, 200),
    thing: async () => ({ key: (await shelved("public")).name ?? "" }),
  },
  ...CLAWHUB_ROWS,
];
