// A link to another site.

import type { ReactNode } from "react";
import { visible } from "./text";

/** Shows the site beside the link. An address that is not one of a web site or of mail is shown as its text. */
export function Away({ to, children }: { to: string; children: ReactNode }): ReactNode {
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
