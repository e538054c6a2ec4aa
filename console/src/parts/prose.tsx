// Shows Markdown of other users or a model: without HTML, with the targets of links, and with pictures only if the page provides them.

import type { ReactNode } from "react";
import Markdown from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { t } from "../text/text";
import { Away } from "./away";
import { visible } from "./text";

/** `link` and `picture` resolve URLs such as that of a file in the same package, or return `null`. */
export default function Prose({
  text,
  link,
  picture,
}: {
  text: string;
  link?: (to: string, children: ReactNode) => ReactNode | null;
  picture?: (src: string, alt: string) => ReactNode;
}): ReactNode {
  return (
    <article className="prose">
      <Markdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSanitize]}
        components={{
          a: ({ href = "", children }) => link?.(href, children) ?? <Away to={href}>{children}</Away>,
          img: ({ src, alt = "" }) => {
            const from = typeof src === "string" ? src : "";
            return picture === undefined ? (
              <em>{t("[picture: {name}]", { name: alt || from })}</em>
            ) : (
              picture(from, alt)
            );
          },
          // The page has its own `h1`.
          h1: ({ children }) => <h2>{children}</h2>,
          h2: ({ children }) => <h3>{children}</h3>,
          h3: ({ children }) => <h4>{children}</h4>,
          input: ({ checked }) => (
            <span role="img" aria-label={checked === true ? t("done") : t("open")}>
              {checked === true ? "☑" : "☐"}
            </span>
          ),
          pre: ({ children }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
            <pre tabIndex={0}>{children}</pre>
          ),
          table: ({ children }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
            <section className="scrolls" aria-label={t("Table")} tabIndex={0}>
              <table>{children}</table>
            </section>
          ),
        }}
      >
        {visible(text)}
      </Markdown>
    </article>
  );
}
