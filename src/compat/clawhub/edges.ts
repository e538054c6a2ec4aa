// The endpoints of ClawHub's clients: fixed paths, each a row of the table of edges. Errors are plain text, because the clients print them.

import type { Context as HonoContext } from "hono";
import { settingsFrom } from "../../domain/settings/settings";
import { publicOrigin } from "../../domain/sign-in/resource";
import { authenticate } from "../../edge/auth";
import type { Edge, HttpEnv } from "../../edge/edge";
import { answerError } from "../../edge/errors";
import { principalRate } from "../../edge/rate";
import type { router } from "../../edge/router";
import { openRoutesAt, withKeyIfAny } from "../open-routes";
import {
  answerDownload,
  answerInstall,
  answerModeration,
  answerResolve,
  answerSlug,
  answerSlugFile,
  answerSlugSearch,
  answerSlugs,
  answerVersion,
  answerVersions,
  answerWhoami,
} from "./answers";

type Handler = (c: HonoContext<HttpEnv>) => Response | Promise<Response>;

/** Loaded with the first publish, because most clients only install. */
let publishing: typeof import("./publishing") | null = null;
const publisher = async () => {
  publishing ??= await import("./publishing");
  return publishing;
};

const originOf = (c: HonoContext<HttpEnv>) => publicOrigin(settingsFrom(c.env), c.req.url);

/** Returns the message of an error as plain text. */
async function answerText(error: unknown, c: HonoContext<HttpEnv>): Promise<Response> {
  const answer = answerError(error, c);
  const { detail } = await answer.json<{ detail: string }>();
  const headers = new Headers(answer.headers);
  headers.set("content-type", "text/plain; charset=utf-8");
  return new Response(detail, { status: answer.status, headers });
}

const clawhubAt = (prefix: Edge["prefix"], add: (open: ReturnType<typeof router>) => void) =>
  openRoutesAt(prefix, add, answerText);

/** A fixed read-only path, with or without a key. */
const reading = (prefix: Edge["prefix"], answer: Handler) =>
  clawhubAt(prefix, (open) => {
    open.use(prefix, withKeyIfAny);
    open.get(prefix, answer);
  });

const SKILLS = "/api/v1/skills";

export const CLAWHUB = {
  "/.well-known/clawhub.json": clawhubAt("/.well-known/clawhub.json", (open) => {
    open.get("/.well-known/clawhub.json", (c) => c.json({ apiBase: originOf(c) }));
  }),
  "/api/v1/whoami": clawhubAt("/api/v1/whoami", (open) => {
    open.use("/api/v1/whoami", authenticate, principalRate);
    open.get("/api/v1/whoami", answerWhoami);
  }),
  "/api/v1/search": reading("/api/v1/search", answerSlugSearch),
  "/api/v1/resolve": reading("/api/v1/resolve", answerResolve),
  "/api/v1/download": reading("/api/v1/download", answerDownload),
  "/api/v1/skills": clawhubAt(SKILLS, (open) => {
    open.on("GET", [SKILLS, `${SKILLS}/*`], withKeyIfAny);
    open.on("POST", [SKILLS, `${SKILLS}/*`], authenticate, principalRate);
    open.get(SKILLS, answerSlugs);
    open.post(SKILLS, async (c) => (await publisher()).answerPublish(c));
    open.post(`${SKILLS}/-/upload-url`, async (c) => (await publisher()).answerTicket(c, originOf(c)));
    open.post(`${SKILLS}/-/uploads/:id`, async (c) => (await publisher()).answerUpload(c, c.req.param("id")));
    open.get(`${SKILLS}/:slug`, answerSlug);
    open.get(`${SKILLS}/:slug/install`, (c) => answerInstall(c, originOf(c)));
    open.get(`${SKILLS}/:slug/moderation`, answerModeration);
    open.get(`${SKILLS}/:slug/file`, answerSlugFile);
    open.get(`${SKILLS}/:slug/versions`, answerVersions);
    open.get(`${SKILLS}/:slug/versions/:version`, answerVersion);
  }),
} satisfies Record<string, Edge>;
