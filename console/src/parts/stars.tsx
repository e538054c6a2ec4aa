// Shows stars of a rating, with their number for screen readers.

import type { ReactNode } from "react";
import { t } from "../text/text";
import { figure } from "./text";

const MOST = 5;

/** `stars` can have decimals; the nearest whole number is drawn. */
export function Stars({ stars }: { stars: number }): ReactNode {
  const full = Math.round(stars);
  return (
    <span className="stars" role="img" aria-label={t("{stars} of 5 stars", { stars })}>
      {"★".repeat(full)}
      {"☆".repeat(MOST - full)}
    </span>
  );
}

/** The average of a skill and how many users rated it. */
export function StarsOfSkill({ average, count }: { average: number | null; count: number }): ReactNode {
  if (average === null) return <span className="soft">{t("not rated")}</span>;
  return (
    <span>
      <Stars stars={average} /> {average.toFixed(1)} <span className="soft">({figure(count)})</span>
    </span>
  );
}
