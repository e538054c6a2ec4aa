// Hostile names, texts and requests: nothing an author or a visitor writes runs, loads, misleads or takes long.

import { describe, expect, it } from "vitest";
import { COMPAT_LIMITS } from "../../../src/domain/compat/limits";
import { markdownHtml } from "../../../src/pages/catalog/markdown";
import { askWith } from "../../support/app";
import { pageAt, publishOpened, visit } from "../../support/catalog";

const PAYLOADS = [
  "<script>alert(1)</script>",
  "</script><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  "<!-- <b> --!> <b onmouseover=alert(1)>",
  "</title></style></textarea><iframe src=javascript:alert(1)>",
  "&lt;script&gt;",
  "{{7*7}} <%= 1 %>",
];
const MARKDOWN = [
  "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,<script>1</script>) [d](vbscript:x) [e](//evil.example)",
  "[f](&#106;avascript:alert(1)) [g](\tjavascript:alert(1)) <javascript:alert(1)> [h](file:///etc/passwd) [i](https:evil.example)",
  "![x](https://tracker.example/p.png) ![y](javascript:alert(1)) ![z](data:image/svg+xml,<svg onload=alert(1)>)",
  '[k](https://ok.example "onmouseover=alert(1)") [l](https://ok.example/"onclick="alert(1))',
  "<details open ontoggle=alert(1)>\n\n<style>*{display:none}</style>\n\n<base href=//evil.example>\n\n<!-- hidden orders -->",
  "```html\n</code></pre><script>alert(1)</script>\n```\n\n    </code><script>alert(1)</script>",
  "[m]: javascript:alert(1)\n\n[m] [https://bank.example](https://evil.example)",
];

/** What a browser would run or load. */
function dangersOf(page: string): string[] {
  const own = page.replace(/<style>[\s\S]*?<\/style>/, "").replace(/<script type="module">[\s\S]*?<\/script>/, "");
  // Values of other attributes are texts.
  const tags = [...own.matchAll(/<[a-z!/][^>]*>/gi)].map(([tag]) =>
    tag.replace(/(content|value|aria-label)="[^"]*"/g, "$1"),
  );
  return tags.filter(
    (tag) =>
      /^<(script(?! type="application\/ld\+json">$)|img|iframe|svg|style|base|object|embed|video|details|!--)/i.test(
        tag,
      ) ||
      /\s(on\w+|style|src|srcset)\s*=/i.test(tag) ||
      /(href|action)="(?!https?:\/\/|\/|data:,")/i.test(tag),
  );
}

describe("texts of authors", () => {
  it("are shown as text in the list, the page of the skill and what is meant for programs", async () => {
    const frontmatter = [
      `displayName: ${JSON.stringify(PAYLOADS[0])}`,
      `author: ${JSON.stringify(PAYLOADS[1])}`,
      `license: ${JSON.stringify(PAYLOADS[2])}`,
      `tags: ${JSON.stringify(PAYLOADS)}`,
      `mcpServers: { ${JSON.stringify(PAYLOADS[3])}: { type: streamable-http, url: "https://a.example/mcp" } }`,
    ].join("\n");
    const files = { "ref/<img src=x onerror=alert(1)>.txt": "x" };
    const description = PAYLOADS.join(" ");
    await publishOpened({ name: "hostile-texts", description, frontmatter, body: MARKDOWN.join("\n\n"), files });
    for (const path of ["/skills", "/skills/hostile-texts", `/skills?q=${encodeURIComponent(PAYLOADS.join(" "))}`]) {
      const page = await pageAt(path, { PUBLIC_CATALOG: "index" });
      expect([path, dangersOf(page)]).toEqual([path, []]);
      for (const block of page.matchAll(/<script type="application\/ld\+json">([\s\S]*?)<\/script>/g))
        expect(() => JSON.parse(block[1] ?? "")).not.toThrow();
    }
    const map = await (await visit("/sitemap.xml", { PUBLIC_CATALOG: "index" })).text();
    expect(map).not.toContain("<script");
  });

  it("cannot reorder or hide text with invisible characters", async () => {
    const trick = "safe\u202Etxt.exe\u2066\u200B\u00AD\u{E0041}";
    await publishOpened({
      name: "hostile-bidi",
      description: trick,
      body: `# ${trick}`,
      frontmatter: `author: "${trick}"`,
    });
    for (const path of ["/skills", "/skills/hostile-bidi"]) {
      const page = await pageAt(path);
      expect(page).toContain("safe⟨U+202E⟩txt.exe⟨U+2066⟩");
      expect(page).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B\u00AD\u{E0000}-\u{E007F}]/u);
    }
  });
});

describe("Markdown of authors", () => {
  it("has links to web addresses only, each with its host, and no pictures", () => {
    for (const text of MARKDOWN) expect([text, dangersOf(markdownHtml(text).content.text)]).toEqual([text, []]);
    expect(markdownHtml("[https://bank.example](https://evil.example/x)").content.text).toBe(
      '<p><a href="https://evil.example/x" rel="nofollow noopener noreferrer ugc">https://bank.example</a> <span class="host">(evil.example)</span></p>\n',
    );
    expect(markdownHtml("[a](https://bank.example@evil.example/)").content.text).toContain("(evil.example)");
    expect(markdownHtml("![a](https://t.example/p.png)").content.text).toBe("<p><em>[picture: a]</em></p>\n");
    expect(markdownHtml("<!-- orders --> <b>x</b>").content.text).toContain(
      "&lt;!-- orders --&gt; &lt;b&gt;x&lt;/b&gt;",
    );
  });

  const repeat = (text: string) => text.repeat(Math.ceil(1_048_576 / text.length)).slice(0, 1_048_576);
  it.each([
    ...[
      ">",
      "> ",
      "- ",
      "1. ",
      "[",
      "![",
      "[a](",
      "*",
      "*a ",
      "**a *b ",
      "***a** ",
      "_a_ ",
      "`",
      "``a`",
      "<",
      "<!--",
      "<a ",
    ],
    ...[
      "<![CDATA[",
      "[a](<",
      "~~a",
      "|",
      "|a",
      "|a\n",
      "[a]: b\n",
      "[a][b]",
      "&",
      "&#x",
      "\\",
      " ",
      "\n",
      "\t- ",
      "# ",
      "a\n=\n",
    ],
    ...["```\n", "*_`[<", "> - ", "a**b", "[a\n", "(", "[a](b '\\'", "https://a.b/ ", "\u202E", "\ud800", "👩‍", "[^1]"],
  ])("of 1 MB of %j is cut, and its page is not much larger", (part) => {
    const { content, isCut } = markdownHtml(repeat(part));
    expect(isCut).toBe(true);
    expect(content.text.length).toBeLessThan(COMPAT_LIMITS.catalogTextChars * 20);
    expect(dangersOf(content.text)).toEqual([]);
  });

  it("cannot make a page large with one long address that many links use", () => {
    const address = `https://a.example/${"x".repeat(8_000)}`;
    const { content } = markdownHtml(`[a]: ${address}\n\n${"[a]".repeat(15_000)}`);
    expect(content.text.length).toBeLessThan(1_000_000);
    expect(content.text.split(`href="${address}"`).length - 1).toBe(4);
  });

  it("nests without end and stays a page", () => {
    const deep = Array.from({ length: 2_000 }, (_, n) => `${" ".repeat(n)}- a`).join("\n");
    expect(markdownHtml(deep).content.text.match(/<ul>/g)?.length ?? 0).toBeLessThan(100);
    expect(markdownHtml(`${"> ".repeat(10_000)}a`).content.text.length).toBeLessThan(1_000);
  });
});

it("a title cannot hide which skill it is", async () => {
  await publishOpened({ name: "trusted-tool", frontmatter: "displayName: Trusted tool" });
  await publishOpened({ name: "evil-tool", frontmatter: "displayName: Trusted tool" });
  const page = await pageAt("/skills");
  for (const name of ["trusted-tool", "evil-tool"]) {
    expect(page).toContain(`<code><bdi>${name}</bdi></code>`);
    expect(await pageAt(`/skills/${name}`)).toContain(`<code><bdi>${name}</bdi></code>`);
  }
});

describe("requests", () => {
  it("cannot write another host into the pages: commands need a plain host name, and the setting wins", async () => {
    await publishOpened({ name: "host-tides" });
    const at = (origin: string, settings: Record<string, string> = {}) =>
      askWith({ PUBLIC_CATALOG: "on", ...settings }, "/skills/host-tides", {}, origin);
    for (const host of ["a.example;id", "a$(id).example", "a`id`.example", "a'b.example", 'a"b.example', "a&b.example"])
      expect([host, (await at(`https://${host}`)).status]).toEqual([host, 404]);
    const page = await (await at("https://evil.example", { PUBLIC_ORIGIN: "https://gateway.example" })).text();
    expect(page).toContain("npx skills add https://gateway.example/s/public/host-tides");
    expect(page).not.toContain("evil.example");
    const forwarded = await visit(
      "/skills/host-tides",
      {},
      {
        ...{
          host: "evil.example",
          "x-forwarded-host": "evil.example",
          "x-forwarded-proto": "http",
          forwarded: "host=evil.example",
        },
        "x-original-url": "/skills/evil",
      },
    );
    expect(await forwarded.text()).not.toContain("evil");
  });

  it("keep headers whole, and accept only reading", async () => {
    const answer = await visit(`/skills?q=${encodeURIComponent("a\r\nset-cookie: x=1")}&tag=%0d%0ax`);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null]);
    for (const method of ["POST", "PUT", "DELETE", "PATCH"])
      expect([method, (await askWith({ PUBLIC_CATALOG: "on" }, "/skills", { method })).status]).toEqual([method, 404]);
    const head = await askWith({ PUBLIC_CATALOG: "on" }, "/skills", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("have a policy under which only the pages' own style and script apply", async () => {
    const answer = await visit("/skills");
    const page = await answer.text();
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src data:; /);
    for (const part of ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    for (const [, text = ""] of page.matchAll(/<(?:style|script type="module")>([\s\S]*?)<\/(?:style|script)>/g)) {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
      expect(policy).toContain(`'sha256-${btoa(String.fromCharCode(...digest))}'`);
    }
  });

  it("fail with a page for browsers and a problem document for programs, also if a setting is wrong", async () => {
    const settings = { PUBLIC_CATALOG: "maybe" };
    const page = await visit("/skills", settings, { accept: "text/html" });
    expect([page.status, page.headers.get("content-type"), page.headers.get("cache-control")]).toEqual([
      ...[503, "text/html; charset=utf-8", "no-store"],
    ]);
    const problem = await visit("/skills", settings);
    expect([problem.status, (await problem.json<{ code: string }>()).code]).toEqual([503, "MISCONFIGURED"]);
  });

  it("with long or odd queries are ordinary searches", async () => {
    const odd = [
      "a".repeat(5_000),
      '"',
      "'",
      "*",
      "a OR b NOT c",
      "NEAR(a b)",
      "{name} : x",
      "-",
      "\ud800",
      "\u0000",
      "100%",
      "𝕏 你好",
    ];
    for (const words of odd)
      expect([
        words.slice(0, 20),
        (await visit(`/skills?q=${encodeURIComponent(words.toWellFormed())}`)).status,
      ]).toEqual([words.slice(0, 20), 200]);
  });
});
