// The instructions as Markdown, which somebody else has written: no HTML, links that say where they lead, pictures of the package only.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import Markdown from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import type { Skill } from "../../../sdk/src/generated/operations";
import { visible } from "../parts/text";
import { Picture } from "./files";
import { contentOf } from "./versions-of";

const route = getRouteApi("/skills/$id");

export default function Instructions({ skill }: { skill: Skill }): ReactNode {
  const { prompt } = skill.spec;
  if (prompt.trim() === "") return <p className="soft">It has no instructions.</p>;
  return (
    <article className="prose">
      <Markdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSanitize]}
        components={{
          a: ({ href, children }) => <Away to={href ?? ""}>{children}</Away>,
          img: ({ src, alt = "" }) => (
            <PictureOf version={skill.status.version_id} src={typeof src === "string" ? src : ""} alt={alt} />
          ),
          // The page has its own heading above it.
          h1: ({ children }) => <h2>{children}</h2>,
          h2: ({ children }) => <h3>{children}</h3>,
          h3: ({ children }) => <h4>{children}</h4>,
          input: ({ checked }) => (
            <span role="img" aria-label={checked === true ? "done" : "open"}>
              {checked === true ? "☑" : "☐"}
            </span>
          ),
          pre: ({ children }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
            <pre tabIndex={0}>{children}</pre>
          ),
          table: ({ children }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
            <section className="scrolls" aria-label="Table" tabIndex={0}>
              <table>{children}</table>
            </section>
          ),
        }}
      >
        {visible(prompt)}
      </Markdown>
    </article>
  );
}

/** A link to another site says which; one of the package opens the file here; any other is its text. */
function Away({ to, children }: { to: string; children: ReactNode }): ReactNode {
  const file = pathIn(to);
  if (file !== null)
    return (
      <Link from="/skills/$id" to="/skills/$id" search={{ view: "files", file }}>
        {children}
      </Link>
    );
  const url = URL.canParse(to) ? new URL(to) : null;
  if (url === null || !["http:", "https:", "mailto:"].includes(url.protocol)) return children;
  return (
    <>
      <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>{" "}
      <span className="soft">({visible(url.host || url.pathname)})</span>
    </>
  );
}

function PictureOf({ version, src, alt }: { version: string; src: string; alt: string }): ReactNode {
  const { id } = route.useParams();
  const path = pathIn(src);
  const { data } = useQuery({ ...contentOf(id, version, path ?? ""), enabled: path !== null });
  return data?.kind === "picture" ? <Picture blob={data.blob} alt={alt} /> : <em>[picture: {alt || src}]</em>;
}

/** The path of a file of the package, or `null` where the address leads anywhere else. */
function pathIn(address: string): string | null {
  if (address === "" || /^(?:[a-z][a-z\d+.-]*:|[/\\#?])/i.test(address)) return null;
  // The parser of addresses takes `.` and `..` away, and nothing gets above its root.
  const { pathname } = new URL(address, "https://package.example/");
  try {
    return decodeURIComponent(pathname).slice(1) || null;
  } catch {
    return null;
  }
}
