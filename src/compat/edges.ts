// The edges for clients of other registries. They accept a key if one is sent, and show open skills otherwise, so each decides access
// itself. Unknown paths below their prefixes are not found.

import type { Context as HonoContext } from "hono";
import { createMiddleware } from "hono/factory";
import { limitBody } from "../edge/body";
import { crossOriginChat } from "../edge/cors";
import type { Edge, HttpEnv } from "../edge/edge";
import { answerError } from "../edge/errors";
import { router } from "../edge/router";
import { notInIndex } from "../services/compat/published-index";
import type { ViewerScope } from "../services/compat/viewers";
import { versionPlugins } from "../storage/d1/schema/compat";
import { addAnthropicSkills, answerAnthropicRefusal } from "./anthropic-skills/routes";
import { openRoutesAt, withKey, withKeyIfAny } from "./open-routes";
import { addOpenaiSkills, answerOpenaiRefusal } from "./openai-skills/routes";
import { answerAgentPlugin, answerMarketplace, answerPlugin, publishPlugin } from "./plugins/answers";
import { marketEdge } from "./skill-market/edge";
import { answerArchive, answerAttestation, answerFile, answerIndex, answerSearch } from "./well-known/answers";
import { type ViewRequest, viewByLink, viewOpenly, viewWithKey } from "./well-known/viewer";

/** The vendors' Skills APIs below a group's scope path. They require a key and use the vendor's error format. */
const OF_VENDOR = /^\/s\/group\/[^/]+\/(anthropic|openai)\/v1\/skills(?:\/|$)/;

type Handler = (c: HonoContext<HttpEnv>) => ViewRequest | Promise<ViewRequest>;

/** The two locations where clients search for an index. */
const INDEXES = ["/.well-known/agent-skills", "/.well-known/skills"] as const;
const ARCHIVE = /^([0-9a-f]{64})\.zip$/;
const ATTESTATION = /^([0-9a-f]{64})\.json$/;

/** At a scope path, anybody can read open skills; writing and the vendors' APIs require a key. */
const atPlaces = createMiddleware<HttpEnv>((c, next) =>
  OF_VENDOR.test(c.req.path) || c.req.method === "POST" ? withKey(c, next) : withKeyIfAny(c, next),
);

function answerInItsWords(error: unknown, c: HonoContext<HttpEnv>): Response {
  const vendor = OF_VENDOR.exec(c.req.path)?.[1];
  if (vendor === undefined) return answerError(error, c);
  return vendor === "anthropic" ? answerAnthropicRefusal(error, c) : answerOpenaiRefusal(error, c);
}

/** The edge of a vendor's API in the caller's own scope. */
function vendorAt(
  prefix: Edge["prefix"],
  add: (routes: ReturnType<typeof router>, base: string) => void,
  errors: Edge["errors"],
): Edge {
  const routes = router();
  add(routes, prefix);
  return { prefix, cors: [crossOriginChat], routes, errors };
}

/** Adds the routes of an index in this folder. */
function indexIn(open: ReturnType<typeof router>, folder: string, look: Handler): void {
  open.get(`${folder}/index.json`, async (c) => answerIndex(c, await look(c)));
  open.get(`${folder}/-/:name/:archive`, async (c) => {
    const { name, archive } = c.req.param();
    const seen = await look(c);
    if ((seen.skill ?? name) !== name) throw notInIndex();
    const [sha256, signed] = [ARCHIVE, ATTESTATION].map((pattern) => pattern.exec(archive)?.[1]);
    if (signed !== undefined) return answerAttestation(c, seen, name, signed);
    if (sha256 === undefined) throw notInIndex();
    return answerArchive(c, seen, name, sha256);
  });
  open.get(`${folder}/:name/:path{.+}`, async (c) => {
    const { name, path } = { name: c.req.param("name"), path: c.req.param("path") };
    const seen = await look(c);
    if ((seen.skill ?? name) !== name) throw notInIndex();
    return answerFile(c, seen, name, path);
  });
}

/** Adds the routes of a scope path and of each skill below it. `whatOf` describes the scope path. */
function placeAt(
  open: ReturnType<typeof router>,
  base: string,
  whatOf: (c: HonoContext<HttpEnv>) => string,
  look: (c: HonoContext<HttpEnv>, skill?: string) => ViewRequest | Promise<ViewRequest>,
): void {
  for (const index of INDEXES) {
    indexIn(open, `${base}${index}`, (c) => look(c));
    indexIn(open, `${base}/:skill${index}`, (c) => look(c, c.req.param("skill")));
  }
  open.get(`${base}/api/search`, async (c) => answerSearch(c, await look(c)));
  open.get(`${base}/.claude-plugin/marketplace.json`, async (c) => answerMarketplace(c, await look(c), whatOf(c)));
  open.get(`${base}/.claude-plugin/-/:name/:archive`, async (c) => {
    const [name, archive] = [c.req.param("name") ?? "", c.req.param("archive") ?? ""];
    const [sha256, signed] = [ARCHIVE, ATTESTATION].map((pattern) => pattern.exec(archive)?.[1]);
    if (signed !== undefined) return answerAttestation(c, await look(c), name, signed, versionPlugins);
    if (sha256 === undefined) throw notInIndex();
    return answerPlugin(c, await look(c), name, sha256);
  });
  open.get(`${base}/agent-plugin.zip`, async (c) => answerAgentPlugin(c, await look(c), whatOf(c), "zip"));
  open.get(`${base}/agent-plugin.json`, async (c) => answerAgentPlugin(c, await look(c), whatOf(c), "report"));
}

const keyed = (whose: (c: HonoContext<HttpEnv>) => ViewerScope) => (c: HonoContext<HttpEnv>, skill?: string) =>
  viewWithKey(c, whose(c), skill);

/** The edge at the root of an index: the open list for every caller. */
const atRoot = (prefix: (typeof INDEXES)[number]): Edge =>
  openRoutesAt(prefix, (open) => indexIn(open, prefix, (c) => viewOpenly(c)));

export const COMPAT_EDGES = {
  "/.well-known/agent-skills": atRoot("/.well-known/agent-skills"),
  "/.well-known/skills": atRoot("/.well-known/skills"),
  "/s": openRoutesAt(
    "/s",
    (open) => {
      open.use("/s/*", atPlaces);
      open.post("/s/own/agent-plugin", limitBody, (c) => publishPlugin(c, undefined));
      open.post("/s/group/:group/agent-plugin", limitBody, (c) => publishPlugin(c, c.req.param("group")));
      addAnthropicSkills(open, "/s/group/:group/anthropic/v1/skills");
      addOpenaiSkills(open, "/s/group/:group/openai/v1/skills");
      placeAt(
        open,
        "/s/own",
        () => "own",
        keyed(() => ({ kind: "own" })),
      );
      placeAt(
        open,
        "/s/public",
        () => "public",
        keyed(() => ({ kind: "public" })),
      );
      placeAt(
        open,
        "/s/group/:group",
        (c) => `group ${c.req.param("group") ?? ""}`,
        keyed((c) => ({ kind: "group", group: c.req.param("group") ?? "" })),
      );
    },
    answerInItsWords,
  ),
  "/t": openRoutesAt("/t", (open) => {
    // Two links are two marketplaces. The token's id distinguishes them and grants no access.
    const whatOf = (c: HonoContext<HttpEnv>) => `link ${(c.req.param("token") ?? "").split("_")[1] ?? ""}`;
    placeAt(open, "/t/:token", whatOf, (c, skill) => viewByLink(c, c.req.param("token") ?? "", skill));
  }),
  "/api/skill-market": marketEdge,
  "/api/search": openRoutesAt("/api/search", (open) => {
    open.use("/api/search", withKeyIfAny);
    open.get("/api/search", async (c) => answerSearch(c, viewWithKey(c, { kind: "all" })));
  }),
  "/anthropic/v1/skills": vendorAt("/anthropic/v1/skills", addAnthropicSkills, answerAnthropicRefusal),
  "/openai/v1/skills": vendorAt("/openai/v1/skills", addOpenaiSkills, answerOpenaiRefusal),
} satisfies Record<string, Edge>;
