// The links that choose the period of a page with figures.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { t } from "../text/text";

/** `periods`: days, as in the address, with their names. */
export function Periods({
  to,
  periods,
  chosen,
}: {
  to: "/" | "/insights";
  periods: readonly (readonly [days: string, name: string])[];
  chosen: string;
}): ReactNode {
  return (
    <nav className="segments" aria-label={t("Period")}>
      {periods.map(([days, name]) => (
        <Link
          key={days}
          to={to}
          search={{ days }}
          activeProps={{}}
          {...(days === chosen ? { "aria-current": "true" as const } : {})}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
