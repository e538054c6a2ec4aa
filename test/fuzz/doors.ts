// The doors for other clients, as the fuzzer reads routes: their protocols describe them, and the gateway's document does not.

import type { JsonSchema, ServedDocument } from "./document";

const text: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "integer", minimum: -1, maximum: 500 };
const sha256: JsonSchema = { anyOf: [{ type: "string", enum: ["0".repeat(64)] }, text] };
const owner: JsonSchema = {
  type: "string",
  enum: ["own", "public", "group.fuzz-group", "fuzz-a", "GROUP.x", "@public", "..", ""],
};
const version: JsonSchema = { type: "string", enum: ["1.0.0", "0.0.1", "0.0.9", "latest", "1.0.0-rc", "x", ""] };

const inPath = (...names: string[]) =>
  names.map((name) => ({ in: "path" as const, name, required: true, schema: text }));
const inQuery = (named: Record<string, JsonSchema>) =>
  Object.entries(named).map(([name, schema]) => ({ in: "query" as const, name, schema }));
const get = (path: string[], query: Record<string, JsonSchema> = {}) => ({
  get: { parameters: [...inPath(...path), ...inQuery(query)] },
});
const post = (schema: JsonSchema, type = "application/json") => ({
  post: { requestBody: { content: { [type]: { schema } } } },
});

const file: JsonSchema = {
  type: "object",
  required: ["path", "size", "sha256", "storageId", "uploadTicket"],
  properties: { path: text, size: number, sha256, storageId: text, uploadTicket: text },
};
const release: JsonSchema = {
  type: "object",
  required: ["slug", "version", "files"],
  properties: {
    ...{ slug: { type: "string", enum: ["fuzz-one", "fuzz-two", "-", "a b"] }, version, ownerHandle: owner },
    ...{ tags: { type: "array", items: text, maxItems: 2 }, files: { type: "array", items: file, maxItems: 3 } },
  },
};

/** The places of an index, each with what lies beside it. */
const places = ["/s/own", "/s/public", "/s/group/fuzz-group", "/s/group/{group}", "/t/{token}"];
const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
const indexes = ["", "/s/own", "/t/{token}", "/s/group/{group}/{name}"].flatMap((place) =>
  [".well-known/agent-skills", ".well-known/skills"].flatMap((index) =>
    ["index.json", "{name}/SKILL.md", "{name}/{path}", "-/{name}/{archive}"].map((rest) => `${place}/${index}/${rest}`),
  ),
);

const S = "/api/v1/skills";
const listed = { limit: number, cursor: text, ownerHandle: owner };

export const DOORS_DOCUMENT: ServedDocument = {
  components: { schemas: {} },
  paths: {
    ...Object.fromEntries(indexes.map((path) => [path, get([...new Set(namesIn(path))])])),
    ...Object.fromEntries(
      ["/api/search", ...places.map((place) => `${place}/api/search`)].map((path) => [
        path,
        get(namesIn(path), { q: text, limit: number }),
      ]),
    ),
    "/.well-known/clawhub.json": get([]),
    "/api/v1/whoami": get([]),
    "/api/v1/search": get([], {
      q: text,
      limit: number,
      mode: { type: "string", enum: ["exact", "x"] },
      ownerHandle: owner,
    }),
    "/api/v1/resolve": get([], { slug: text, hash: sha256, ownerHandle: owner }),
    "/api/v1/download": get([], { slug: text, version, tag: version, ownerHandle: owner }),
    [S]: {
      ...get([], { ...listed, prefix: text, sort: { type: "string", enum: ["createdAt", "updated"] } }),
      ...post(release),
    },
    [`${S}/-/upload-url`]: post({
      type: "object",
      required: ["path", "size", "sha256"],
      properties: { path: text, size: number, sha256 },
    }),
    [`${S}/-/uploads/{id}`]: {
      post: { parameters: inPath("id"), ...post({ type: "object" }, "application/octet-stream").post },
    },
    [`${S}/{name}`]: get(["name"], { ownerHandle: owner }),
    [`${S}/{name}/versions`]: get(["name"], listed),
    [`${S}/{name}/versions/{version}`]: get(["name", "version"], { ownerHandle: owner }),
    [`${S}/{name}/file`]: get(["name"], { path: text, version, tag: version, ownerHandle: owner }),
    [`${S}/{name}/moderation`]: get(["name"], { ownerHandle: owner }),
    [`${S}/{name}/install`]: get(["name"], { ownerHandle: owner }),
  },
};
