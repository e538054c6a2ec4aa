// Navigates a list that is requested page by page. The URL contains the current page.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { t } from "../text/text";

/** `cursor` belongs to the current page, `undefined` for the first. `next` belongs to the next page. */
export function Pages({
  cursor,
  next,
  older = t("Next page"),
}: {
  cursor: string | undefined;
  next: string | null;
  older?: string;
}): ReactNode {
  if (cursor === undefined && next === null) return null;
  return (
    <nav className="row" aria-label={t("Pages")}>
      {cursor !== undefined && (
        <Link className="button plain" to="." search={({ cursor: _, ...words }) => words}>
          {t("First page")}
        </Link>
      )}
      {next !== null && (
        <Link className="button plain" to="." search={(words) => ({ ...words, cursor: next })}>
          {older}
        </Link>
      )}
    </nav>
  );
}
