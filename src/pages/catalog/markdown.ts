// Writes Markdown of authors as HTML that cannot run or load anything: HTML is shown as text, pictures are named, and links show their host.

import MarkdownIt, { type Token } from "markdown-it";
import * as z from "zod";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { Html, html, visibleText } from "../../edge/html";

const hostSchema = z.object({ host: z.string() });

/** Nested lists, quotes and emphasis beyond this depth are shown as text. */
const DEPTH = 20;

// The preset "default" without raw HTML, and without turning text into links.
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: DEPTH });
markdown.validateLink = (target) => isWebLink(target);

// The page has its own headings of the first two levels.
const headingTag = (tag: string) => `h${Math.min(Number(tag.slice(1)) + 2, 6)}`;
const { rules } = markdown.renderer;
rules.heading_open = (tokens, at) => `<${headingTag(tokens[at]?.tag ?? "h1")}>`;
rules.heading_close = (tokens, at) => `</${headingTag(tokens[at]?.tag ?? "h1")}>\n`;
rules.link_open = (tokens, at) => {
  const target = tokens[at]?.attrGet("href") ?? null;
  return target === null ? "<span>" : html`<a href="${target}" rel="nofollow noopener noreferrer ugc">`.text;
};
rules.link_close = (tokens, at) => {
  const host = hostSchema.safeParse(tokens[at]?.meta);
  return host.success ? html`</a> <span class="host">(${host.data.host})</span>`.text : "</span>";
};
rules.image = (tokens, at) => {
  const name = tokens[at]?.content ?? "";
  return html`<em>[picture${name === "" ? "" : `: ${name}`}]</em>`.text;
};
// Regions that scroll must be reached by the keyboard.
const preformatted = (text: string) => html`<pre tabindex="0"><code>${text}</code></pre>`.text;
rules.fence = (tokens, at) => preformatted(tokens[at]?.content ?? "");
rules.code_block = (tokens, at) => preformatted(tokens[at]?.content ?? "");
rules.table_open = () => '<div class="scrolls" tabindex="0"><table>\n';
rules.table_close = () => "</table></div>\n";

/**
 * Returns the HTML of a text. Long texts are cut.
 * @returns `isCut`: whether the end of the text is missing
 */
export function markdownHtml(text: string): { content: Html; isCut: boolean } {
  const isCut = text.length > COMPAT_LIMITS.catalogTextChars;
  const shown = visibleText(isCut ? text.slice(0, COMPAT_LIMITS.catalogTextChars) : text);
  const env = {};
  const tokens = markdown.parse(shown, env);
  let room: number = COMPAT_LIMITS.catalogLinkChars;
  for (const token of tokens) {
    // The alignment of columns is an inline style, which the policy of the page blocks.
    if (token.type === "th_open" || token.type === "td_open") token.attrs = null;
    if (token.children !== null) room = readyLinks(token.children, room);
  }
  return { content: new Html(markdown.renderer.render(tokens, markdown.options, env)), isCut };
}

/**
 * Writes the host of each link to the token that ends it. A definition can be used by many links, so all targets together are limited;
 * further links are only text.
 * @returns the characters that are left
 */
function readyLinks(tokens: readonly Token[], room: number): number {
  let left = room;
  const open: (string | null)[] = [];
  for (const token of tokens) {
    if (token.type === "link_open") {
      const target = `${token.attrGet("href") ?? ""}`;
      left -= target.length;
      const host = left < 0 ? null : (URL.parse(target)?.host ?? null);
      token.attrs = host === null ? null : [["href", target]];
      open.push(host);
    } else if (token.type === "link_close") {
      const host = open.pop() ?? null;
      token.meta = host === null ? null : { host };
    }
  }
  return left;
}

/** Only absolute web addresses. Others, such as files of the package, are text. */
function isWebLink(target: string): boolean {
  return /^https?:\/\/[^/?#\\]/i.test(target) && URL.canParse(target);
}
