// The frame of every catalog page: head, style, script, and headers.

import { Html, hashSource, html } from "../../edge/html";

/** The colors, sizes and radii of the console (`console/src/style/tokens.css`). A test compares them. */
const STYLE = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#fbfbfc, #0e1014);
  --panel: light-dark(#fff, #15181e);
  --hover: light-dark(#f4f5f7, #1c2028);
  --plain: light-dark(#f1f2f4, #222732);
  --line: light-dark(#e6e8ec, #262b34);
  --line-strong: light-dark(#d3d7de, #353c48);
  --text: light-dark(#14171c, #eceef2);
  --muted: light-dark(#5a6371, #98a2b3);
  --accent: light-dark(#3b5bdb, #8ea6ff);
  --accent-soft: light-dark(#eef1fd, #1d2440);
  --on-accent: light-dark(#fff, #0d1222);
  --brand: light-dark(#7048e8, #b197fc);
  --good: light-dark(#0f7353, #4fd1a5);
  --warn: light-dark(#8f5400, #f0b455);
  --s1: 4px; --s2: 8px; --s3: 12px; --s4: 16px; --s5: 24px; --s6: 32px;
  --text-xs: 0.75rem; --text-s: 0.8125rem; --text-m: 0.875rem; --text-l: 1rem; --text-xl: 1.25rem; --text-2xl: 1.5rem;
  --sans: inter, system-ui, sans-serif;
  --mono: ui-monospace, "SF Mono", menlo, consolas, monospace;
  --radius-s: 6px; --radius: 8px;
  --shadow: 0 1px 2px light-dark(#0f172a0d, #0006);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: var(--text-m) / 1.5 var(--sans); overflow-wrap: anywhere; }
header, main, footer { max-width: 1120px; margin: 0 auto; padding: 0 var(--s5); }
header { display: flex; align-items: center; gap: var(--s2); min-height: 56px; }
.mark { width: 20px; height: 20px; border-radius: var(--radius-s); background: linear-gradient(135deg, var(--accent), var(--brand)); }
.brand { display: inline-flex; align-items: center; gap: var(--s2); min-height: 44px; color: var(--text); font-weight: 600; text-decoration: none; }
footer { padding-block: var(--s6); color: var(--muted); font-size: var(--text-s); }
h1 { margin: var(--s3) 0; font-size: var(--text-2xl); line-height: 1.25; }
h2 { margin: 0 0 var(--s3); font-size: var(--text-l); }
h3, h4, h5, h6 { margin: var(--s4) 0 var(--s2); font-size: var(--text-m); }
p { margin: 0 0 var(--s3); }
a { color: var(--accent); }
ul, ol { margin: 0 0 var(--s3); padding-inline-start: var(--s5); }
code, pre { font-family: var(--mono); font-size: var(--text-s); }
.soft { color: var(--muted); }
.small { font-size: var(--text-s); }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); padding: var(--s4) var(--s5); margin: 0 0 var(--s4); }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr)); gap: var(--s4); list-style: none; margin: 0 0 var(--s5); padding: 0; }
.grid .card { display: flex; flex-direction: column; margin: 0; padding: var(--s4); position: relative; }
.grid h2 { margin: 0 0 var(--s1); font-size: var(--text-m); }
.grid h2 a { color: var(--text); text-decoration: none; }
.grid h2 a::after { content: ""; position: absolute; inset: 0; border-radius: var(--radius); }
.grid .card:hover { background: var(--hover); border-color: var(--line-strong); }
.grid p { color: var(--muted); display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }
.grid .facts { margin-top: auto; }
.facts { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s3); color: var(--muted); font-size: var(--text-s); }
.chips { display: flex; flex-wrap: wrap; gap: var(--s2); list-style: none; margin: 0 0 var(--s4); padding: 0; }
.chips a { display: inline-flex; align-items: center; gap: var(--s1); min-height: 32px; padding: 0 var(--s3); border: 1px solid var(--line); border-radius: 16px; background: var(--panel); color: var(--text); text-decoration: none; font-size: var(--text-s); }
.chips a:hover { background: var(--hover); }
.chips a[aria-current] { background: var(--accent-soft); border-color: var(--accent); color: var(--accent); }
.find { display: flex; flex-wrap: wrap; gap: var(--s2); margin: 0 0 var(--s4); }
.find input { flex: 1 1 240px; min-width: 0; min-height: 44px; font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line-strong); border-radius: var(--radius); padding: 0 var(--s3); }
button { min-height: 44px; font: inherit; font-weight: 500; border-radius: var(--radius); border: 1px solid var(--line-strong); background: var(--panel); color: var(--text); padding: 0 var(--s4); cursor: pointer; }
.find button { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.pages { display: flex; justify-content: space-between; gap: var(--s4); }
.pages a { display: inline-flex; align-items: center; min-height: 44px; }
.two { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 var(--s4); }
@media (min-width: 900px) { .two { grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); } .two > .aside { grid-column: 2; grid-row: 1; } }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--s1) var(--s4); margin: 0; }
dt { color: var(--muted); }
dd { margin: 0; }
table { border-collapse: collapse; min-width: 100%; }
th, td { text-align: start; padding: var(--s2) var(--s3) var(--s2) 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 500; color: var(--muted); font-size: var(--text-s); }
.scrolls { overflow-x: auto; margin: 0 0 var(--s3); }
.scrolls th, .scrolls td { overflow-wrap: normal; }
pre { margin: 0 0 var(--s3); padding: var(--s3); background: var(--plain); border-radius: var(--radius-s); overflow-x: auto; overflow-wrap: normal; }
p code, li code, td code { background: var(--plain); border-radius: var(--s1); padding: 0 var(--s1); }
blockquote { margin: 0 0 var(--s3); padding-inline-start: var(--s3); border-inline-start: 3px solid var(--line-strong); color: var(--muted); }
.host { color: var(--muted); font-size: var(--text-s); }
.command { margin: 0 0 var(--s4); }
.command pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; user-select: all; }
.command h3 { margin: 0; }
.line { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--s3); min-height: 44px; }
.line button { min-height: 32px; font-size: var(--text-s); padding: 0 var(--s3); }
details summary { cursor: pointer; min-height: 32px; color: var(--accent); }
.tags { display: flex; flex-wrap: wrap; gap: var(--s1); list-style: none; margin: 0; padding: 0; }
.stars { color: var(--warn); letter-spacing: 1px; }
.above { margin: 0 0 var(--s4); }
.orders { margin: 0; }
.lines { white-space: pre-line; margin: var(--s2) 0 0; }
.review { border-top: 1px solid var(--line); padding: var(--s3) 0; }
.review blockquote { margin: var(--s2) 0 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: var(--s1); }
`;

/** Adds a button to each command that copies it. Without scripts, a click on a command selects it. */
const SCRIPT = `
for (const box of document.querySelectorAll(".command")) {
  const button = box.querySelector("button");
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(box.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}
`;

/** Not in a template itself: bundlers rewrite a template with this text into a call of a helper. */
const END_OF_SCRIPT = new Html("</script>");

/** What a page says about itself to search engines and to programs that show links. */
export interface PageFacts {
  title: string;
  description: string;
  /** The canonical URL; `null`: the page has none, such as results of a search. */
  url: string | null;
  /** Facts in the form of https://schema.org. */
  data?: object;
  isIndexed: boolean;
}

/** A whole page. */
export function catalogHtml({ title, description, url, data, isIndexed }: PageFacts, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isIndexed ? null : html`<meta name="robots" content="noindex">`}
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${url === null ? null : html`<link rel="canonical" href="${url}"><meta property="og:url" content="${url}">`}
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
${data === undefined ? null : html`<script type="application/ld+json">${jsonInHtml(data)}${END_OF_SCRIPT}`}
</head>
<body>
<header><a class="brand" href="/skills"><span class="mark"></span>Skill Gateway</a></header>
<main>
${body}
</main>
<footer>Skills that this gateway shares with everybody.</footer>
<script type="module">${new Html(SCRIPT)}${END_OF_SCRIPT}
</body>
</html>
`.text;
}

/** JSON inside a script element: a text cannot end the element. */
function jsonInHtml(value: object): Html {
  const escapes: Record<string, string> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };
  return new Html(JSON.stringify(value).replace(/[<>&]/g, (letter) => escapes[letter] ?? letter));
}

let headers: Promise<Record<string, string>> | null = null;

/** The headers of every catalog page. Only the style and the script above apply, and nothing is loaded. */
export function catalogHeaders(): Promise<Record<string, string>> {
  headers ??= Promise.all([hashSource(STYLE), hashSource(SCRIPT)]).then(([style, script]) => ({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src ${style}; script-src ${script}; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
  }));
  return headers;
}
