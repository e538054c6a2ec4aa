// The doors for clients that people already have, and the edges that they are behind. They take a key where one is sent, and show what
// is open where none is: so each decides itself, and what is below their prefixes and no door is not there.

import type { Context as HonoContext } from "hono";
import { createMiddleware } from "hono/factory";
import { authenticate } from "../edge/auth";
import { crossOrigin } from "../edge/cors";
import type { Edge } from "../edge/edge";
import type { HttpEnv } from "../edge/env";
import { answerError } from "../edge/errors";
import { principalRate } from "../edge/rate";
import { router } from "../edge/router";
import { nothingThere } from "../services/doors/shelf";
import type { Whose } from "../services/doors/viewers";
import { answerArchive, answerFile, answerIndex, answerSearch } from "./well-known/answers";
import { type Look, lookByLink, lookOpenly, lookWithKey } from "./well-known/looking";

type Handler = (c: HonoContext<HttpEnv>) => Look | Promise<Look>;

/** The two places where clients look for an index. */
const INDEXES = ["/.well-known/agent-skills", "/.well-known/skills"] as const;
const ARCHIVE = /^([0-9a-f]{64})\.zip$/;

/** A key that is sent counts, and a bad one is refused; without one nobody is known. */
const withKeyIfAny = createMiddleware<HttpEnv>((c, next) =>
  c.req.header("authorization") === undefined
    ? next()
    : authenticate(c, async () => {
        await principalRate(c, next);
      }),
);

function doorsAt(prefix: Edge["prefix"], add: (open: ReturnType<typeof router>) => void): Edge {
  const open = router();
  add(open);
  open.all(`${prefix}/*`, () => {
    throw nothingThere();
  });
  return { prefix, cors: [crossOrigin], open, routes: router(), errors: answerError };
}

/** The routes of an index that lies in this folder. */
function indexIn(open: ReturnType<typeof router>, folder: string, look: Handler): void {
  open.get(`${folder}/index.json`, async (c) => answerIndex(c, await look(c)));
  open.get(`${folder}/-/:name/:archive`, async (c) => {
    const { name, sha256 } = { name: c.req.param("name"), sha256: ARCHIVE.exec(c.req.param("archive"))?.[1] };
    const seen = await look(c);
    if (sha256 === undefined || (seen.skill ?? name) !== name) throw nothingThere();
    return answerArchive(c, seen, name, sha256);
  });
  open.get(`${folder}/:name/:path{.+}`, async (c) => {
    const { name, path } = { name: c.req.param("name"), path: c.req.param("path") };
    const seen = await look(c);
    if ((seen.skill ?? name) !== name) throw nothingThere();
    return answerFile(c, seen, name, path);
  });
}

/** A place of many skills, and below it a place of each. */
function placeAt(
  open: ReturnType<typeof router>,
  base: string,
  look: (c: HonoContext<HttpEnv>, skill?: string) => Look | Promise<Look>,
): void {
  for (const index of INDEXES) {
    indexIn(open, `${base}${index}`, (c) => look(c));
    indexIn(open, `${base}/:skill${index}`, (c) => look(c, c.req.param("skill")));
  }
  open.get(`${base}/api/search`, async (c) => answerSearch(c, await look(c)));
}

const keyed = (whose: (c: HonoContext<HttpEnv>) => Whose) => (c: HonoContext<HttpEnv>, skill?: string) =>
  lookWithKey(c, whose(c), skill);

/** The edge at the root of an index: the open list, whoever asks. */
const atRoot = (prefix: (typeof INDEXES)[number]): Edge =>
  doorsAt(prefix, (open) => indexIn(open, prefix, (c) => lookOpenly(c)));

export const DOORS = {
  "/.well-known/agent-skills": atRoot("/.well-known/agent-skills"),
  "/.well-known/skills": atRoot("/.well-known/skills"),
  "/s": doorsAt("/s", (open) => {
    open.use("/s/*", withKeyIfAny);
    placeAt(
      open,
      "/s/own",
      keyed(() => ({ kind: "own" })),
    );
    placeAt(
      open,
      "/s/public",
      keyed(() => ({ kind: "public" })),
    );
    placeAt(
      open,
      "/s/group/:group",
      keyed((c) => ({ kind: "group", group: c.req.param("group") ?? "" })),
    );
  }),
  "/t": doorsAt("/t", (open) => {
    placeAt(open, "/t/:token", (c, skill) => lookByLink(c, c.req.param("token") ?? "", skill));
  }),
  "/api/search": doorsAt("/api/search", (open) => {
    open.use("/api/search", withKeyIfAny);
    open.get("/api/search", async (c) => answerSearch(c, lookWithKey(c, { kind: "all" })));
  }),
} satisfies Record<string, Edge>;
