// The catalog pages as a visitor reads them: list, search, categories, pages, and the page of a skill.

import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { COMPAT_LIMITS } from "../../../src/domain/compat/limits";
import { beginWith } from "../../support/app";
import { call } from "../../support/call";
import { pageAt, publishOpened, titlesOf, visit } from "../../support/catalog";
import { publishPublic } from "../../support/chat-turns";
import { holdClock, pass, releaseClock } from "../../support/clock";

afterEach(releaseClock);

describe("the catalog", () => {
  it("does not exist unless the operator turns it on: every path is like an unknown one", async () => {
    await publishOpened({ name: "catalog-off" });
    const unknown = await visit("/no-such-path", { PUBLIC_CATALOG: "off" });
    const expected = await unknown.json<{ request_id: string }>();
    for (const path of ["/skills", "/skills/catalog-off", "/skills/a/b", "/robots.txt", "/sitemap.xml"]) {
      const answer = await visit(path, { PUBLIC_CATALOG: "off" });
      const { request_id, ...body } = await answer.json<{ request_id: string }>();
      expect([path, answer.status, body]).toEqual([path, 404, expect.objectContaining({ code: "NOT_FOUND" })]);
      expect(Object.keys(body).sort()).toEqual(
        Object.keys(expected)
          .filter((name) => name !== "request_id")
          .sort(),
      );
    }
  });

  it("lists open skills by name with their categories, and a search ranks them like find_skill", async () => {
    await publishOpened({ name: "list-tides", description: "Predicts tides.", frontmatter: "tags: [Sea, maps]" });
    await publishOpened({ name: "list-harbors", description: "Lists harbors.", frontmatter: "tags: [sea]" });
    await publishOpened({ name: "list-clouds", description: "Names clouds over the sea.", frontmatter: "tags: [sky]" });
    const page = await pageAt("/skills");
    expect(titlesOf(page).filter((title) => title.startsWith("list-"))).toEqual([
      "list-clouds",
      "list-harbors",
      "list-tides",
    ]);
    expect(page).toContain('<a href="/skills?tag=sea"><bdi>sea</bdi> <span class="soft">2</span></a>');
    expect(titlesOf(await pageAt("/skills?tag=SEA"))).toEqual(["list-harbors", "list-tides"]);
    expect(titlesOf(await pageAt("/skills?q=tides"))).toEqual(["list-tides"]);
    const ranked = titlesOf(await pageAt("/skills?q=sea"));
    const found = await (await call("GET", "/api/v1/kinds/skills?q=sea")).json<{
      items: { metadata: { name: string } }[];
    }>();
    expect(ranked.length).toBe(3);
    expect(ranked).toEqual(found.items.map(({ metadata }) => metadata.name).filter((name) => ranked.includes(name)));
    expect(titlesOf(await pageAt("/skills?q=sea&tag=sky"))).toEqual(["list-clouds"]);
    const empty = await pageAt("/skills?q=zebra");
    expect(empty).toContain("No skill matches.");
    expect(empty).toContain("0 skills for “<bdi>zebra</bdi>”");
  });

  it("has pages of a fixed size", async () => {
    const made = Array.from({ length: COMPAT_LIMITS.catalogPage + 1 }, (_, n) => `paged-${String(n).padStart(2, "0")}`);
    for (const name of made) await publishOpened({ name, frontmatter: "tags: [paged]" });
    const first = await pageAt("/skills?tag=paged");
    expect(titlesOf(first)).toEqual(made.slice(0, -1));
    expect(first).toContain('<a href="/skills?tag=paged&amp;page=2" rel="next">');
    const last = await pageAt("/skills?tag=paged&page=2");
    expect([titlesOf(last), last.includes('rel="next"'), last.includes('rel="prev"')]).toEqual([
      made.slice(-1),
      false,
      true,
    ]);
    expect(await pageAt("/skills?tag=paged&page=99")).toContain("This page is empty.");
    for (const page of ["0", "-1", "1e9", "x", "1.5"])
      expect(titlesOf(await pageAt(`/skills?tag=paged&page=${page}`))).toEqual(made.slice(0, -1));
  });
});

describe("the page of a skill", () => {
  it("shows what it does, what it may do, its files, versions and dependencies, and how to install it", async () => {
    await publishOpened({ name: "page-base" });
    await publishPublic({ name: "page-hidden-base" });
    const skill = {
      name: "page-tides",
      description: "Predicts tides.",
      version: "1.0.0",
      frontmatter: [
        "author: Ada",
        "license: MIT",
        "tags: [sea]",
        "dependencies: [page-base@*, page-hidden-base@*]",
        "network: [api.example.org]",
        "mcpServers: { harbor: { type: streamable-http, url: https://harbor.example/mcp } }",
      ].join("\n"),
      body: "# Tides\n\nRead the **table**.\n\n| Port | High |\n|:---|---:|\n| Kiel | 3 |\n",
      files: { "scripts/tide.py": "print(1)\n", "ref/ü b.txt": "x" },
    };
    await publishOpened(skill);
    await publishPublic({ ...skill, version: "1.1.0", body: `${skill.body}\nNewer.` });
    const page = await pageAt("/skills/page-tides");
    expect(page).toContain("<h1><bdi>page-tides</bdi></h1>");
    expect(page).toContain("<h3>Tides</h3>");
    expect(page).toContain("<strong>table</strong>");
    expect(page).toMatch(/<td>Kiel<\/td>\s*<td>3<\/td>/);
    for (const fact of [
      "Ada",
      "MIT",
      "harbor (harbor.example)",
      "api.example.org",
      "scripts/tide.py",
      "1.0.0",
      "1.1.0",
    ])
      expect(page).toContain(`<bdi>${fact}</bdi>`);
    expect(page).toContain('<a href="/skills/page-base">');
    expect(page).not.toContain("page-hidden-base");
    for (const command of [
      "npx skills add https://gateway.test/s/public/page-tides",
      "claude plugin install page-tides@public-gateway-test",
      "skillgate add https://gateway.test/s/public/page-tides",
    ])
      expect(page).toContain(command);
    // Every link of the page exists, without a key.
    const links = [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, link = ""]) => link);
    expect(links).toEqual(
      expect.arrayContaining([expect.stringMatching(/\/-\/page-tides\/[0-9a-f]{64}\.json$/), "/skills?tag=sea"]),
    );
    for (const link of new Set(links)) expect([link, (await visit(link)).status]).toEqual([link, 200]);
    const [zip] = /https:\/\/gateway\.test\/\.well-known\/\S+\.zip/.exec(page) ?? [];
    expect((await visit(new URL(zip ?? "").pathname)).status).toBe(200);
    const [, json = ""] = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(page) ?? [];
    expect(JSON.parse(json)).toMatchObject({ name: "page-tides", version: "1.1.0", author: { name: "Ada" } });
  });

  it("offers no commands for a skill that clients of registries cannot use", async () => {
    await publishOpened({ name: "Grüße" });
    const page = await pageAt(`/skills/${encodeURIComponent("Grüße")}`);
    expect(page).toContain("cannot install this skill");
    expect(page).not.toContain("npx skills");
    expect(titlesOf(await pageAt("/skills"))).toContain("Grüße");
  });

  it("does not show versions that an admin blocked", async () => {
    const { id, version_id } = await publishOpened({ name: "page-blocked", version: "1.0.0" });
    await publishPublic({ name: "page-blocked", version: "2.0.0", body: "Two." });
    const block = await call("PUT", `/api/v1/kinds/skills/${id}/versions/${version_id}/verdict`, {
      json: { blocked: true, reason: "Harmful." },
    });
    expect(block.status).toBeLessThan(300);
    const page = await pageAt("/skills/page-blocked");
    expect(page).toContain("<bdi>2.0.0</bdi>");
    expect(page).not.toContain("<bdi>1.0.0</bdi>");
  });
});

describe("search engines", () => {
  it("are asked not to list the pages unless the setting allows it", async () => {
    await publishOpened({ name: "engine-tides" });
    for (const path of ["/skills", "/skills/engine-tides"]) {
      expect(await pageAt(path)).toContain('<meta name="robots" content="noindex">');
      const page = await pageAt(path, { PUBLIC_CATALOG: "index" });
      expect(page).not.toContain("noindex");
      expect(page).toContain(`<link rel="canonical" href="https://gateway.test${path}">`);
      expect(page).toContain(`<meta property="og:url" content="https://gateway.test${path}">`);
    }
    expect(await pageAt("/skills?q=x", { PUBLIC_CATALOG: "index" })).toContain("noindex");
  });

  it("read a sitemap and a robots.txt with the gateway's public origin", async () => {
    await publishOpened({ name: "engine-map" });
    await publishPublic({ name: "engine-hidden" });
    const settings = { PUBLIC_CATALOG: "index", PUBLIC_ORIGIN: "https://skills.example" };
    expect(await (await visit("/robots.txt")).text()).toBe("User-agent: *\nAllow: /skills\nDisallow: /\n");
    expect(await (await visit("/robots.txt", settings)).text()).toContain(
      "Sitemap: https://skills.example/sitemap.xml",
    );
    const map = await (await visit("/sitemap.xml", settings)).text();
    expect(map).toContain("<loc>https://skills.example/skills/engine-map</loc>");
    expect(map).not.toContain("engine-hidden");
    expect((await visit("/sitemap.xml")).status).toBe(404);
    expect(COMPAT_LIMITS.openSkills).toBeLessThan(50_000);
  });
});

describe("caching", () => {
  it("revalidates with an entity tag, and shows a change within half a minute", async () => {
    holdClock();
    const bindings = { ...env, PUBLIC_CATALOG: "on" };
    const { wholeApp } = await import("../../../src/edges");
    const app = await wholeApp();
    const get = (path: string, headers: Record<string, string> = {}) =>
      app.fetch(new Request(`https://gateway.test${path}`, { headers }), bindings, {
        waitUntil: () => undefined,
        passThroughOnException: () => undefined,
        props: {},
      } as unknown as ExecutionContext);
    const { id } = await publishOpened({ name: "cached-tides" });
    const first = await get("/skills/cached-tides");
    const etag = first.headers.get("etag") ?? "";
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "public, max-age=30"]);
    const again = await get("/skills/cached-tides", { "if-none-match": etag });
    expect([again.status, await again.text()]).toEqual([304, ""]);

    expect((await call("DELETE", `/api/v1/open-skills/${id}`)).status).toBe(204);
    expect((await get("/skills/cached-tides")).status).toBe(200);
    pass(COMPAT_LIMITS.catalogMs + 1);
    expect((await get("/skills/cached-tides")).status).toBe(404);
    expect(await (await get("/skills")).text()).not.toContain("cached-tides");
  });

  it("reads the list, the ratings and the use once for visitors at the same time", async () => {
    await publishOpened({ name: "crowd-tides" });
    let statements = 0;
    const counting = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(object, name) {
          const member: unknown = Reflect.get(object, name, object);
          if (typeof member !== "function") return member;
          return (...given: unknown[]) => {
            if (name === "prepare") statements++;
            const result: unknown = Reflect.apply(member, object, given);
            return name === "withSession" ? counting(result as object) : result;
          };
        },
      });
    const settings = { ...env, PUBLIC_CATALOG: "on", DB: counting(env.DB) };
    const { wholeApp } = await import("../../../src/edges");
    const app = await wholeApp();
    const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
    const get = () =>
      app.fetch(new Request("https://gateway.test/skills"), settings, context as unknown as ExecutionContext);
    const answers = await Promise.all(Array.from({ length: 10 }, get));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(statements).toBe(3);
    expect((await beginWith({ PUBLIC_CATALOG: "on" }, "/skills")).status).toBe(200);
  });
});
