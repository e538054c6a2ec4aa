// The content of `/`: the texts and links for both people and programs, and the page for people. It needs no script.

/** A link on `/`. */
export interface FrontLink {
  name: string;
  /** The visible name. */
  label: string;
  path: string;
  says: string;
}

export const FRONT_TITLE = "Skill Gateway";
export const FRONT_TEXT =
  "This gateway gives the models of a chat or an agent their skills on demand: instructions, files and tools that enter the " +
  "prompt when the model asks for them, and leave it again. A back end uses it over HTTP and an agent over MCP, and a page in " +
  "a browser can answer what a skill asks.";

/** The links of `/`. */
export const FRONT_LINKS: readonly FrontLink[] = [
  {
    name: "reference",
    label: "API reference",
    path: "/docs/",
    says: "Every operation, with its schemas and an example.",
  },
  { name: "api", label: "API", path: "/docs/api/README.md", says: "The HTTP API, route by route." },
  { name: "front-end", label: "Front end", path: "/docs/front-end.md", says: "A page that answers what a skill asks." },
  { name: "mcp", label: "MCP", path: "/docs/mcp.md", says: "The gateway as an MCP server, and before others." },
  {
    name: "skill-code",
    label: "Skills with code",
    path: "/docs/skill-code.md",
    says: "Skills that bring tools and scripts.",
  },
  { name: "settings", label: "Settings", path: "/docs/settings.md", says: "What an operator may set." },
  { name: "openapi", label: "OpenAPI", path: "/openapi.json", says: "Every route as an OpenAPI document." },
  { name: "health", label: "Health", path: "/health", says: "Whether the gateway and its storage work." },
];

/** The only style of the page. Its digest is in the content security policy, so no other style applies. */
export const FRONT_STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2330, #e6e9ef);
  --soft: light-dark(#5b6475, #9aa4b5);
  --line: light-dark(#d9dee7, #333c4b);
  --accent: light-dark(#3451c6, #8fa5ff);
  font: 16px / 1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#f5f6f9, #12161d); color: var(--ink); }
main { max-width: 42rem; margin: 0 auto; padding: 10vh 1rem 2rem; }
h1 { margin: 0 0 0.75rem; font-size: 1.75rem; line-height: 1.2; }
p { margin: 0 0 1.5rem; font-size: 1.05rem; }
ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
li { border-bottom: 1px solid var(--line); }
a { display: block; padding: 0.7rem 0.25rem; color: var(--ink); text-decoration: none; }
a strong { display: block; color: var(--accent); text-decoration: underline; text-underline-offset: 0.2em; }
a span { color: var(--soft); }
a:hover strong { text-decoration-thickness: 2px; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
`;

/** The page. Every part is constant, so nothing needs escaping. */
export function frontPage(): string {
  const items = FRONT_LINKS.map(
    ({ label, path, says }) => `        <li><a href="${path}"><strong>${label}</strong><span>${says}</span></a></li>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${FRONT_TITLE}</title>
    <link rel="icon" href="data:,">
    <style>${FRONT_STYLE}</style>
  </head>
  <body>
    <main>
      <h1>${FRONT_TITLE}</h1>
      <p>${FRONT_TEXT}</p>
      <nav aria-label="Where to go on">
        <ul>
${items.join("\n")}
        </ul>
      </nav>
    </main>
  </body>
</html>
`;
}
