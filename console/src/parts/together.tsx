// Shows the sections of a page together, once each has its first data, so that none moves another while it loads.

import { type Query, useIsFetching, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { t } from "../text/text";
import { Loads, Spinner } from "./loading";

/** The first request of a query that a section uses. */
const predicate = (query: Query): boolean => query.state.status === "pending" && query.getObserversCount() > 0;

export function Together({ children }: { children: ReactNode }): ReactNode {
  const client = useQueryClient();
  const [isComplete, complete] = useState(false);
  const [loading, setLoading] = useState(0);
  useIsFetching({ predicate });
  const begin = useCallback(() => {
    setLoading((count) => count + 1);
    return () => setLoading((count) => count - 1);
  }, []);
  useEffect(() => {
    if (isComplete || loading > 0) return;
    // Requests that follow from an answer begin in effects, of which some run after this one.
    const timer = setTimeout(() => {
      if (client.isFetching({ predicate }) === 0) complete(true);
    });
    return () => clearTimeout(timer);
  });
  return (
    <>
      {!isComplete && <Spinner what={t("the page")} />}
      <div className="sections" hidden={!isComplete}>
        <Loads value={begin}>{children}</Loads>
      </div>
    </>
  );
}
