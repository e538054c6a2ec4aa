// Writes sign-in pages: HTML without scripts, with all external text escaped.

import { Html, hashSource, html } from "../edge/html";

/** The only style. Its digest is in the content security policy, so no other style applies. */
const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2330, #e6e9ef);
  --soft: light-dark(#4d5668, #a5aebe);
  --line: light-dark(#c5ccd8, #3d4757);
  --card: light-dark(#ffffff, #1a2029);
  --accent: light-dark(#3049b0, #93a8ff);
  --on-accent: light-dark(#ffffff, #10141c);
  --warn: light-dark(#7a3d00, #ffc48a);
  font: 16px / 1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#f1f3f7, #10141a); color: var(--ink); }
main { max-width: 34rem; margin: 0 auto; padding: 4vh 1rem 2rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; padding: 1.25rem; }
h1 { margin: 0 0 0.75rem; font-size: 1.4rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 1.25rem 0 0.5rem; font-size: 1rem; }
p { margin: 0 0 0.75rem; }
dl { margin: 0 0 1rem; }
dt { color: var(--soft); font-size: 0.875rem; }
dd { margin: 0 0 0.6rem; overflow-wrap: anywhere; }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
.note { color: var(--soft); font-size: 0.9rem; }
.warn { border-left: 4px solid var(--warn); padding-left: 0.75rem; color: var(--warn); }
form { margin: 0 0 0.75rem; }
label { display: block; font-weight: 600; margin: 0 0 0.25rem; }
input { width: 100%; font: inherit; padding: 0.6rem; color: inherit; background: transparent; border: 1px solid var(--soft); border-radius: 0.5rem; }
button { width: 100%; font: inherit; font-weight: 600; padding: 0.65rem 1rem; margin-top: 0.5rem; border-radius: 0.5rem; border: 1px solid var(--accent); background: transparent; color: var(--accent); cursor: pointer; }
button.main { background: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** A whole page. */
export function signInHtml(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<div class="card">
${body}
</div>
</main>
</body>
</html>
`.text;
}

let headers: Promise<Record<string, string>> | null = null;

/**
 * The headers of every sign-in page. There is no `form-action`, because Chrome applies it to the whole chain of redirects after a form, and
 * only the first is under our control. There is no opener policy, because it would disconnect a program that opened the page in its own
 * window and waits for it.
 */
export function pageHeaders(): Promise<Record<string, string>> {
  headers ??= hashSource(STYLE).then((style) => ({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src ${style}; img-src data:; base-uri 'none'; frame-ancestors 'none'`,
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
  }));
  return headers;
}
