// Says that something loads, and reports it to the page around it.

import { LoaderCircle } from "lucide-react";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import { t } from "../text/text";

/** Reports that a section has begun to load. Returns a function that reports its end. */
export const Loads = createContext<(() => () => void) | null>(null);

export function Loading({ what }: { what: string }): ReactNode {
  const begin = useContext(Loads);
  useEffect(() => begin?.(), [begin]);
  return <Spinner what={what} />;
}

export function Spinner({ what }: { what: string }): ReactNode {
  return (
    <p className="waiting" role="status">
      <LoaderCircle size={16} aria-hidden="true" /> {t("Loading {what}…", { what })}
    </p>
  );
}
