// The catalog: pages of open skills for everybody, without sign-in. They exist only if the operator turns them on.

import type { Context as HonoContext } from "hono";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, HTTP_STATUS } from "../../domain/errors";
import { settingsFrom } from "../../domain/settings/settings";
import { publicOrigin } from "../../domain/sign-in/resource";
import { anonymousContext } from "../../edge/anonymous";
import type { Edge, HttpEnv } from "../../edge/edge";
import { answerError, pathNotFound } from "../../edge/errors";
import { namesTag, tagOf } from "../../edge/etag";
import { html } from "../../edge/html";
import { router } from "../../edge/router";
import {
  type MonthlyLoads,
  type OpenEntry,
  readCatalog,
  readCatalogSkill,
  readMonthlyLoads,
  searchCatalog,
} from "../../services/compat/catalog-pages";
import { openViewer } from "../../services/compat/viewers";
import { plainOrigin } from "./install";
import { catalogHeaders, catalogHtml, type PageFacts } from "./layout";
import { entryTitle, listBody, listPath, metaText, readListQuery, skillPath } from "./list";
import { type CatalogPage, catalogMemory, remembered } from "./memory";

const CACHED = `public, max-age=${COMPAT_LIMITS.catalogMs / 1_000}`;
const ABOUT = "Skills for agents that this gateway shares with everybody.";

/** A request for the catalog of a gateway that has one. */
interface Visit {
  c: HonoContext<HttpEnv>;
  /** Of links and commands: that of the setting, otherwise that of the request. */
  origin: string;
  /** Whether search engines can list the pages. */
  isIndexed: boolean;
}

/** Answers with `show`, or like an unknown path if the catalog is off or the host of the request is no plain host name. */
function visiting(show: (visit: Visit) => Response | Promise<Response>) {
  return (c: HonoContext<HttpEnv>): Response | Promise<Response> => {
    const settings = settingsFrom(c.env);
    const origin = plainOrigin(publicOrigin(settings, c.req.url));
    if (settings.PUBLIC_CATALOG === "off" || origin === null) return pathNotFound(c);
    return show({ c, origin, isIndexed: settings.PUBLIC_CATALOG === "index" });
  };
}

const viewerOf = ({ c }: Visit) => openViewer(anonymousContext(c));

function entriesOf(visit: Visit): Promise<readonly OpenEntry[]> {
  return remembered(catalogMemory(visit.c.env).entries, "all", () => readCatalog(viewerOf(visit)));
}

/** Counted once an hour, like the loads themselves. */
function loadsOf(visit: Visit, entries: readonly OpenEntry[]): Promise<MonthlyLoads> {
  const read = () => readMonthlyLoads(viewerOf(visit), entries, Date.now());
  return remembered(catalogMemory(visit.c.env).loads, "all", read, COMPAT_LIMITS.catalogLoadsMs);
}

const showList = async (visit: Visit): Promise<Response> => {
  const query = readListQuery(new URL(visit.c.req.url).searchParams);
  const path = listPath(query);
  return answerPage(visit, path, async () => {
    const entries = await entriesOf(visit);
    const found = query.q === "" ? entries : await searchCatalog(viewerOf(visit), entries, query.q);
    const loads = await loadsOf(visit, entries);
    const isWhole = query.q === "" && query.tag === "" && query.sort === "name";
    const facts = { title: "Skills", description: ABOUT, url: isWhole ? `${visit.origin}${path}` : null };
    return { facts, body: listBody(entries, found, loads, query), isListed: isWhole };
  });
};

const showSkill = async (visit: Visit): Promise<Response> => {
  const name = (visit.c.req.param("name") ?? "").normalize("NFC");
  // The list decides, so a skill that is not open causes the same work as one that does not exist.
  const entry = (await entriesOf(visit)).find((one) => one.name === name);
  if (entry === undefined) return answerMissing();
  return answerPage(visit, skillPath(name), async () => {
    const entries = await entriesOf(visit);
    const skill = await readCatalogSkill(viewerOf(visit), entries, entry);
    if (skill === null) return null;
    const loads = await loadsOf(visit, entries);
    // Loaded with the first page of a skill, because Markdown is large.
    const { skillBody, skillData } = await import("./skill");
    const url = `${visit.origin}${skillPath(name)}`;
    const isSigned = settingsFrom(visit.c.env).SECRETS_KEY !== undefined;
    const facts = { title: metaText(entryTitle(entry)), description: metaText(entry.description), url };
    return {
      facts: { ...facts, data: skillData(skill, url) },
      body: skillBody(skill, { origin: visit.origin, isSigned, loads }),
      isListed: true,
    };
  });
};

/** A page before it is written. */
interface Written {
  facts: Omit<PageFacts, "isIndexed">;
  body: Parameters<typeof catalogHtml>[1];
  /** Whether search engines can list it, if the operator allows it. */
  isListed: boolean;
}

async function answerPage(visit: Visit, path: string, write: () => Promise<Written | null>): Promise<Response> {
  const { c, origin, isIndexed } = visit;
  const page = await remembered(
    catalogMemory(c.env).pages,
    `${origin}${path}`,
    async (): Promise<CatalogPage | null> => {
      const written = await write();
      if (written === null) return null;
      const body = catalogHtml({ ...written.facts, isIndexed: isIndexed && written.isListed }, written.body);
      return { body, etag: tagOf(await sha256Hex(body)) };
    },
  );
  if (page === null) return answerMissing();
  return answerText(c, page, await catalogHeaders());
}

/** Returns a text that everybody can cache, or 304 if the client has it. */
function answerText(c: HonoContext<HttpEnv>, { body, etag }: CatalogPage, given: Record<string, string>): Response {
  const { "content-type": type = "", ...headers } = { ...given, etag, "cache-control": CACHED };
  if (namesTag(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, "content-type": type } });
}

/** The page for everything that the catalog does not show. */
function answerMissing(): Promise<Response> {
  return answerProblem(404, "Page not found", "This gateway has no such page, or does not share it with everybody.");
}

async function answerProblem(status: number, title: string, text: string): Promise<Response> {
  const body = catalogHtml(
    { title, description: text, url: null, isIndexed: false },
    html`<h1>${title}</h1><p>${text}</p><p><a href="/skills">Show all skills</a></p>`,
  );
  const headers = { ...(await catalogHeaders()), "cache-control": "no-store" };
  return new Response(body, { status, headers });
}

/** Browsers show a page instead of a problem document. It does not read the settings, which may be the problem. */
async function answerCatalogError(error: unknown, c: HonoContext<HttpEnv>): Promise<Response> {
  const problem = answerError(error, c);
  if (!(error instanceof GatewayError) || !(c.req.header("accept") ?? "").includes("text/html")) return problem;
  const status = HTTP_STATUS[error.code];
  const page = await answerProblem(status, "The catalog is not available", error.message);
  const wait = problem.headers.get("retry-after");
  if (wait !== null) page.headers.set("retry-after", wait);
  return page;
}

const answerRobots = async ({ c, origin, isIndexed }: Visit): Promise<Response> => {
  // Crawlers must read a page to see that it asks not to be listed, so it is allowed in both cases.
  const lines = [
    "User-agent: *",
    "Allow: /skills",
    "Disallow: /",
    ...(isIndexed ? [`Sitemap: ${origin}/sitemap.xml`] : []),
  ];
  const body = `${lines.join("\n")}\n`;
  return answerText(c, { body, etag: tagOf(await sha256Hex(body)) }, { "content-type": "text/plain; charset=utf-8" });
};

/** One sitemap is enough: it can have 50,000 entries, more than the open list. */
const answerSitemap = async (visit: Visit): Promise<Response> => {
  if (!visit.isIndexed) return pathNotFound(visit.c);
  const entries = await entriesOf(visit);
  const urls = entries.map(
    ({ name, updatedAt }) =>
      html`<url><loc>${visit.origin}${skillPath(name)}</loc><lastmod>${new Date(updatedAt).toISOString()}</lastmod></url>\n`,
  );
  const { text: body } = html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${visit.origin}/skills</loc></url>
${urls}</urlset>
`;
  const page = { body, etag: tagOf(await sha256Hex(body)) };
  return answerText(visit.c, page, { "content-type": "application/xml; charset=utf-8" });
};

/** An edge of pages that everybody can read. Pages below its prefix that do not exist are not found. */
function catalogAt(prefix: Edge["prefix"], add: (open: ReturnType<typeof router>) => void): Edge {
  const open = router();
  add(open);
  open.all(`${prefix}/*`, visiting(answerMissing));
  return { prefix, cors: [], open, routes: router(), errors: answerCatalogError };
}

export const CATALOG_EDGES = {
  "/skills": catalogAt("/skills", (open) => {
    open.get("/skills", visiting(showList));
    open.get("/skills/:name", visiting(showSkill));
  }),
  "/robots.txt": catalogAt("/robots.txt", (open) => open.get("/robots.txt", visiting(answerRobots))),
  "/sitemap.xml": catalogAt("/sitemap.xml", (open) => open.get("/sitemap.xml", visiting(answerSitemap))),
} satisfies Record<string, Edge>;
