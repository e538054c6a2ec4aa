// Contains the frame of every page: the sign-in without a session, otherwise the navigation, the palette and the drop area for packages.

import { useQuery } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, Outlet } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { isSomebody, type Somebody, session, WithMe } from "../gateway/session";
import { Loading } from "../parts/loading";
import { Page } from "../parts/page";
import { Empty, Trouble } from "../parts/state";
import { Toasts } from "../parts/toast";
import { useDrop } from "../publish/drop";
import { t } from "../text/text";
import { Sidebar, Topbar, useNarrow } from "./sidebar";
import { SignIn } from "./sign-in";

const Palette = lazy(() => import("./palette"));

export function Layout(): ReactNode {
  const { data: me, error, refetch } = useQuery(session);
  if (me === undefined)
    return (
      <main className="page">
        {error === null ? <Loading what={t("the console")} /> : <Trouble error={error} again={() => void refetch()} />}
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
  const [isNarrow, setNarrow] = useNarrow();
  const [isJumping, setJumping] = useJump();
  const jump = () => setJumping(true);
  return (
    <div className="shell" data-narrow={isNarrow ? "" : undefined}>
      <a className="skip" href="#page">
        {t("Skip to content")}
      </a>
      <Topbar me={me} onJump={jump} />
      <Sidebar me={me} onJump={jump} isNarrow={isNarrow} onNarrow={setNarrow} />
      <main id="page" className="page" tabIndex={-1}>
        {error !== null && <Trouble error={error} />}
        <Outlet />
      </main>
      {isJumping && (
        <Suspense>
          <Palette me={me} onClose={() => setJumping(false)} />
        </Suspense>
      )}
      <Toasts />
      {isOver && (
        <div className="over" aria-hidden="true">
          {t("Drop a skill folder or ZIP")}
        </div>
      )}
    </div>
  );
}

/** Returns whether the palette is open. ⌘K and Ctrl-K open and close it. */
function useJump(): [isOpen: boolean, set: (isOpen: boolean) => void] {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return [isOpen, setOpen];
}

export function NotFound(): ReactNode {
  return (
    <Page title={t("Page not found")}>
      <Empty icon={Compass} title={t("No page has this address")}>
        <p>
          <Link to="/">{t("Go to the overview")}</Link>
        </p>
      </Empty>
    </Page>
  );
}

export function Broken({ error, reset }: ErrorComponentProps): ReactNode {
  return <Trouble error={error instanceof Error ? error : new Error(String(error))} again={reset} />;
}
