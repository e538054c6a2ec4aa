// Lists comments, decisions and pushes of a submission, oldest first.

import type { ReactNode } from "react";
import type { ReviewEvent } from "../../../sdk/src/generated/operations";
import { Card } from "../parts/card";
import { Plain, visible, When } from "../parts/text";
import { t } from "../text/text";

const TEXTS: Record<ReviewEvent["type"], string> = {
  submitted: t("submitted the draft"),
  changed: t("pushed other content"),
  commented: t("commented"),
  approved: t("approved it"),
  changes_requested: t("requested changes"),
  rejected: t("rejected it"),
  withdrawn: t("withdrew it"),
};

export function History({ events }: { events: readonly ReviewEvent[] }): ReactNode {
  return (
    <section aria-label={t("History")}>
      <Card title={t("History")}>
        <ul className="review-history">
          {events.map(({ id, type, user_id, comment, path, line, created_at }) => (
            <li key={id}>
              <p>
                <strong>
                  <Plain>{user_id}</Plain>
                </strong>{" "}
                {TEXTS[type]}{" "}
                <span className="soft">
                  <When at={created_at} />
                </span>
              </p>
              {path !== null && (
                <p>
                  <code>
                    <Plain>{line === null ? path : `${path}:${line}`}</Plain>
                  </code>
                </p>
              )}
              {comment !== null && (
                <blockquote dir="auto" className="comment">
                  {visible(comment)}
                </blockquote>
              )}
            </li>
          ))}
        </ul>
      </Card>
    </section>
  );
}
