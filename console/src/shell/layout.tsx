// Contains the frame of every page: the sign-in without a session, otherwise the navigation and the drop area for packages.

import { useQuery } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, type LinkProps, Outlet } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { isSomebody, type Somebody, session, signOut, WithMe } from "../gateway/session";
import { Button } from "../parts/controls";
import { Empty, Loading, Trouble } from "../parts/state";
import { Plain } from "../parts/text";
import { useDrop } from "../publish/drop";
import { SignIn } from "./sign-in";

interface Place {
  to: LinkProps["to"];
  name: string;
  /** Whether the user has access to the page. */
  may?: (me: Somebody) => boolean;
}

/** The main pages of the console. */
const PAGES: readonly Place[] = [
  { to: "/", name: "Library" },
  { to: "/publish", name: "Publish", may: ({ rights }) => rights.namespaces.some(({ publish }) => publish) },
  { to: "/drafts", name: "Drafts", may: ({ rights }) => rights.namespaces.some(({ publish }) => publish) },
  { to: "/try", name: "Try it", may: ({ tries }) => tries },
  { to: "/ghosts", name: "Ghosts" },
  { to: "/conversations", name: "Conversations" },
];

/** The pages for operating the gateway. */
const OPERATE: readonly Place[] = [
  { to: "/servers", name: "Servers" },
  { to: "/connections", name: "Connections" },
  { to: "/models", name: "Models" },
  { to: "/secrets", name: "Secrets" },
  { to: "/keys", name: "Keys" },
  { to: "/sessions", name: "Sign-ins" },
  { to: "/grants", name: "Apps" },
  { to: "/groups", name: "Groups" },
  { to: "/limits", name: "Limits" },
  { to: "/health", name: "Health" },
  { to: "/users", name: "Users", may: ({ rights }) => rights.operate },
  { to: "/audit", name: "Audit", may: ({ rights }) => rights.operate },
];

export function Layout(): ReactNode {
  const { data: me, error, refetch } = useQuery(session);
  if (me === undefined)
    return (
      <main>
        {error === null ? <Loading what="the console" /> : <Trouble error={error} again={() => void refetch()} />}
      </main>
    );
  return isSomebody(me) ? (
    <WithMe value={me}>
      <Shell me={me} />
    </WithMe>
  ) : (
    <SignIn issuer={me.issuer} />
  );
}

function Shell({ me }: { me: Somebody }): ReactNode {
  const { isOver, error } = useDrop();
  return (
    <>
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <header className="top">
        <strong>Skill Gateway</strong>
        <nav className="places" aria-label="Console">
          <Places of={PAGES} me={me} />
          <Places of={OPERATE} me={me} />
        </nav>
        <div className="who">
          <span>
            <Plain>{me.user_id}</Plain>
            {me.role === "admin" && <span className="tag">admin</span>}
          </span>
          <SignOut />
        </div>
      </header>
      <main id="page" tabIndex={-1}>
        {error !== null && <Trouble error={error} />}
        <Outlet />
      </main>
      {isOver && (
        <div className="over" aria-hidden="true">
          Drop a skill: its folder or its ZIP
        </div>
      )}
    </>
  );
}

function Places({ of, me }: { of: readonly Place[]; me: Somebody }): ReactNode {
  return (
    <div className="tabs">
      {of
        .filter(({ may }) => may?.(me) ?? true)
        .map(({ to, name }) => (
          <Link key={name} to={to} activeOptions={{ exact: to === "/", includeSearch: false }}>
            {name}
          </Link>
        ))}
    </div>
  );
}

function SignOut(): ReactNode {
  const [error, setError] = useState<Error | null>(null);
  return (
    <>
      <Button onPress={() => void signOut().catch(setError)}>Sign out</Button>
      {error !== null && <Trouble error={error} />}
    </>
  );
}

export function Nowhere(): ReactNode {
  return (
    <Empty title="There is no such page">
      <p>
        <Link to="/">Go to the library</Link>
      </p>
    </Empty>
  );
}

export function Broken({ error, reset }: ErrorComponentProps): ReactNode {
  return <Trouble error={error instanceof Error ? error : new Error(String(error))} again={reset} />;
}
