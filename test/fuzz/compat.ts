// The endpoints for other clients, as routes of the fuzzer: the vendors' protocols define them, and the gateway's document does not.

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

/** A form with a skill's files, as vendors' clients send it. */
const form = (fields: Record<string, JsonSchema> = {}) =>
  post({ type: "object", properties: { "files[]": text, ...fields } }, "multipart/form-data").post;

const PLACES = ["/s/own", "/s/public", "/s/group/{group}", "/t/{token}"];
const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
const reading = (path: string, query: Record<string, JsonSchema> = {}) => ({ [path]: get(namesIn(path), query) });
const several = (paths: readonly string[], query: Record<string, JsonSchema> = {}) =>
  Object.assign({}, ...paths.map((path) => reading(path, query)));
const indexes = ["", ...PLACES, ...PLACES.map((place) => `${place}/{skill}`)].flatMap((place) =>
  [".well-known/agent-skills", ".well-known/skills"].flatMap((index) =>
    ["index.json", "{name}/{path}", "-/{name}/{archive}"].map((rest) => `${place}/${index}/${rest}`),
  ),
);
const besidePlaces = PLACES.flatMap((place) =>
  ["agent-plugin.json", ".claude-plugin/marketplace.json", ".claude-plugin/-/{name}/{archive}"].map(
    (rest) => `${place}/${rest}`,
  ),
);

/** A vendor's API below one base URL. */
function vendor(base: string, called: JsonSchema, list: Record<string, JsonSchema>): ServedDocument["paths"] {
  const [skill, one] = [`${base}/{id}`, `${base}/{id}/versions/{version}`];
  const at = (path: string) =>
    namesIn(path).map((name) => ({
      in: "path" as const,
      ...{ name, required: true, schema: name === "version" ? called : text },
    }));
  const posting = (path: string, operation: ReturnType<typeof form>) => ({
    post: { parameters: at(path), ...operation },
  });
  const paged = (path: string, query: Record<string, JsonSchema>) => ({
    get: { parameters: [...at(path), ...inQuery(query)] },
  });
  const plain = (path: string) => ({ parameters: at(path) });
  return {
    [base]: { ...paged(base, list), ...posting(base, form()) },
    [skill]: { get: plain(skill), delete: plain(skill) },
    [`${skill}/versions`]: { ...paged(skill, list), ...posting(skill, form({ default: text })) },
    [one]: { get: plain(one), delete: plain(one) },
    [`${one}/content`]: { get: plain(one) },
  };
}

const ofAnthropic = (base: string) =>
  vendor(base, { anyOf: [text, { type: "string", enum: ["latest"] }] }, { limit: number, page: text, source: text });
function ofOpenai(base: string): ServedDocument["paths"] {
  const called: JsonSchema = { type: "string", enum: ["1", "2", "3", "0", "latest", "-1", "1e3"] };
  const order: JsonSchema = { type: "string", enum: ["asc", "desc", "up"] };
  const paths = vendor(base, called, { limit: number, after: text, order });
  const parameters = inPath(...namesIn(`${base}/{id}`));
  const change = post({ type: "object", required: ["default_version"], properties: { default_version: called } });
  return {
    ...paths,
    [`${base}/{id}`]: { ...paths[`${base}/{id}`], post: { parameters, ...change.post } },
    [`${base}/{id}/content`]: { get: { parameters } },
  };
}

const S = "/api/v1/skills";
const listed = { limit: number, cursor: text, ownerHandle: owner };

export const DOORS_DOCUMENT: ServedDocument = {
  components: { schemas: {} },
  paths: {
    ...several(indexes),
    ...several(besidePlaces, { skills: text }),
    ...several(["/api/search", ...PLACES.map((place) => `${place}/api/search`)], { q: text, limit: number }),
    ...several(
      PLACES.map((place) => `${place}/agent-plugin.zip`),
      { skills: { type: "string", enum: ["fuzz-one", "fuzz-one,fuzz-two", "", "none"] } },
    ),
    "/s/own/agent-plugin": { post: form() },
    "/s/group/{group}/agent-plugin": { post: { parameters: inPath("group"), ...form() } },
    ...ofAnthropic("/anthropic/v1/skills"),
    ...ofAnthropic("/s/group/{group}/anthropic/v1/skills"),
    ...ofOpenai("/openai/v1/skills"),
    ...ofOpenai("/s/group/{group}/openai/v1/skills"),
    "/api/skill-market/providers": get([]),
    "/api/skill-market/available": get([]),
    "/api/skill-market/search": get([], { provider: text, keyword: text, tags: text, page: number, pageSize: number }),
    "/api/skill-market/download/{key}": get(["key"], { provider: text }),
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
