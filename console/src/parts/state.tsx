// Shows error and empty states of a page, and the state of a query.

import type { UseQueryResult } from "@tanstack/react-query";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Issue } from "../../../sdk/src/generated/operations";
import { Refusal } from "../gateway/refusal";
import { t } from "../text/text";
import { Button } from "./controls";
import { Loading } from "./loading";
import { SignInAgain } from "./sign-in-again";
import { Coded, Plain, visible } from "./text";

/** Shows an error, its solution, and all details from the gateway. */
export function Trouble({ error, again }: { error: Error; again?: () => void }): ReactNode {
  const refusal = error instanceof Refusal ? error : null;
  return (
    <div className="note bad" role="alert">
      <p>
        <strong>{titleOf(error)}</strong> <Plain>{error.message}</Plain>
      </p>
      {refusal !== null && <Issues issues={refusal.issues} />}
      {refusal !== null && (
        <p className="soft">
          {refusal.code}
          {refusal.requestId !== null && ` · ${t("request {id}", { id: refusal.requestId })}`}
        </p>
      )}
      {refusal?.code === "SIGN_IN_TOO_OLD" && <SignInAgain />}
      {again !== undefined && <Button onPress={again}>{t("Try again")}</Button>}
    </div>
  );
}

function titleOf(error: Error): string {
  if (!(error instanceof Refusal)) return t("Error in the console.");
  if (error.status === 0) return t("No connection.");
  if (error.status === 403) return t("Not allowed.");
  if (error.status === 404) return t("Not found.");
  if (error.status === 429) return t("Too many requests.");
  return error.status >= 500 ? t("Gateway error.") : t("Request rejected.");
}

/** Lists the issues of a package or a request with their location. */
export function Issues({ issues }: { issues: readonly Issue[] }): ReactNode {
  if (issues.length === 0) return null;
  return (
    <ul className="issues">
      {issues.map(({ code, message, path, line, severity }, n) => (
        // Two may be the same in every word.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown once and never sorted
        <li key={n}>
          {path !== undefined && (
            <code>
              <Plain>{line === undefined ? path : `${path}:${line}`}</Plain>
            </code>
          )}{" "}
          <Coded>{message}</Coded>{" "}
          <span className="soft">
            {code}
            {severity !== undefined && ` · ${severity}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Says what belongs on a page that has nothing yet, and offers the first action. */
export function Empty({
  icon: Icon,
  title,
  children,
}: {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
}): ReactNode {
  return (
    <div className="empty">
      <Icon size={28} strokeWidth={1.5} aria-hidden="true" />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Shows the state of a query: its data, loading, or the reason why there is no data or no newer data. */
export function Answer<T>({
  of: { data, error, refetch },
  what,
  children,
}: {
  of: Pick<UseQueryResult<T>, "data" | "error"> & { refetch: () => unknown };
  what: string;
  children: (data: T) => ReactNode;
}): ReactNode {
  if (data === undefined && error === null) return <Loading what={what} />;
  // Earlier data stays visible and is marked as outdated.
  return (
    <>
      {error !== null && <Trouble error={error} again={() => void refetch()} />}
      {data !== undefined && children(data)}
    </>
  );
}

/** The same for one value among others, which are shown meanwhile. */
export function Later<T>({
  of: { data, error },
  children,
}: {
  of: Pick<UseQueryResult<T>, "data" | "error">;
  children: (data: T) => ReactNode;
}): ReactNode {
  if (data !== undefined) return children(data);
  return error === null ? (
    "…"
  ) : (
    <span className="soft">{t("unknown: {message}", { message: visible(error.message) })}</span>
  );
}
