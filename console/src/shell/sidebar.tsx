// Shows the navigation: a sidebar that can be collapsed, and a drawer on phones.

import { Link, useRouterState } from "@tanstack/react-router";
import { Menu, PanelLeft, Search, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import type { Somebody } from "../gateway/session";
import { IconButton } from "../parts/controls";
import { t } from "../text/text";
import { Account } from "./account";
import { isSidebarNarrow, setSidebarNarrow } from "./kept";
import { GROUPS, isWithin, openTo } from "./places";

/** The shortcut of the palette, as the user's system writes it. */
export const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K";

interface Parts {
  me: Somebody;
  /** Opens the command palette. */
  onJump: () => void;
}

/** Returns whether the sidebar is narrow, and a function that changes it. */
export function useNarrow(): [isNarrow: boolean, set: (isNarrow: boolean) => void] {
  const [isNarrow, set] = useState(isSidebarNarrow);
  return [
    isNarrow,
    (next) => {
      set(next);
      setSidebarNarrow(next);
    },
  ];
}

export function Sidebar({
  me,
  onJump,
  isNarrow,
  onNarrow,
}: Parts & { isNarrow: boolean; onNarrow: (isNarrow: boolean) => void }): ReactNode {
  const name = isNarrow ? t("Expand the sidebar") : t("Collapse the sidebar");
  return (
    <div className="sidebar">
      <div className="brand">
        <span className="logo" aria-hidden="true" />
        {!isNarrow && "Skill Gateway"}
        <IconButton icon={PanelLeft} label={name} onPress={() => onNarrow(!isNarrow)} />
      </div>
      <Contents me={me} onJump={onJump} isNarrow={isNarrow} />
    </div>
  );
}

function Contents({ me, onJump, isNarrow = false }: Parts & { isNarrow?: boolean }): ReactNode {
  return (
    <>
      <button
        type="button"
        className="jump"
        onClick={onJump}
        {...(isNarrow ? { "aria-label": t("Search") } : { "aria-keyshortcuts": "Meta+K Control+K" })}
      >
        <Search size={16} aria-hidden="true" />
        {!isNarrow && (
          <>
            {t("Search…")} <kbd>{SHORTCUT}</kbd>
          </>
        )}
      </button>
      <Places me={me} isNarrow={isNarrow} />
      <div className="account">
        <Account me={me} isNarrow={isNarrow} />
      </div>
    </>
  );
}

function Places({ me, isNarrow }: { me: Somebody; isNarrow: boolean }): ReactNode {
  const path = usePath();
  return (
    <nav className="places" aria-label={t("Console")}>
      {GROUPS.map(({ name: group, places }) => (
        <PlaceGroup key={group} name={group}>
          {openTo(places, me).map((place) => {
            const { to, name, icon: Icon } = place;
            return (
              <Link
                key={name}
                to={to}
                activeProps={{}}
                {...(isWithin(place, path) ? { "aria-current": "page" as const } : {})}
                {...(isNarrow ? { title: name, "aria-label": name } : {})}
              >
                <Icon size={16} aria-hidden="true" />
                {!isNarrow && name}
              </Link>
            );
          })}
        </PlaceGroup>
      ))}
    </nav>
  );
}

function PlaceGroup({ name, children }: { name: string | null; children: ReactNode }): ReactNode {
  return (
    <>
      {name !== null && <h2>{name}</h2>}
      {children}
    </>
  );
}

/** The address of the page, without the base of the console and without a slash at the end. */
function usePath(): string {
  return useRouterState({ select: ({ location }) => location.pathname.replace(/^\/console/, "").replace(/\/$/, "") });
}

/** The bar above the page on a phone, and the drawer that it opens. */
export function Topbar({ me, onJump }: Parts): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const path = usePath();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer
  useEffect(() => setOpen(false), [path]);
  return (
    <header className="topbar">
      <IconButton icon={Menu} label={t("Open the navigation")} onPress={() => setOpen(true)} />
      <span className="logo" aria-hidden="true" />
      Skill Gateway
      <IconButton icon={Search} label={t("Search")} onPress={onJump} />
      <ModalOverlay isOpen={isOpen} onOpenChange={setOpen} isDismissable className="drawer">
        <Modal>
          <Dialog aria-label={t("Navigation")} className="sidebar">
            <div className="brand">
              <span className="logo" aria-hidden="true" />
              Skill Gateway
              <IconButton icon={X} label={t("Close the navigation")} onPress={() => setOpen(false)} />
            </div>
            <Contents
              me={me}
              onJump={() => {
                setOpen(false);
                onJump();
              }}
            />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </header>
  );
}
