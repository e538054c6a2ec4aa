// Contains the header of a page: breadcrumbs, title, description, actions and tabs. Also sets the title of the window.

import { Link, type LinkProps, useRouterState } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useMe } from "../gateway/session";
import { openTo, type Tab } from "../shell/places";
import { t } from "../text/text";
import { Tabs } from "./tabs";
import { Plain, visible } from "./text";
import { Together } from "./together";

/** A page above the current one. */
export interface Crumb {
  name: string;
  to: LinkProps["to"];
  search?: NonNullable<LinkProps["search"]>;
}

export function Page({
  title,
  lead,
  actions,
  crumbs = [],
  tabs = [],
  children,
}: {
  title: string;
  /** One or two sentences on what the page is for. */
  lead?: ReactNode;
  actions?: ReactNode;
  crumbs?: readonly Crumb[];
  /** Pages of the same subject. */
  tabs?: readonly Tab[];
  children: ReactNode;
}): ReactNode {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const me = useMe();
  const open = openTo(tabs, me);
  const tab = open.find(({ to }) => path.endsWith(to))?.name;
  const name = tab === undefined || tab === title ? title : `${tab} · ${title}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: two pages can have the same name
  useEffect(() => {
    document.title = `${visible(name)} · Skill Gateway`;
  }, [name, path]);
  return (
    <>
      <header className="page-head">
        {crumbs.length > 0 && (
          <nav className="crumbs" aria-label={t("Breadcrumbs")}>
            <ol>
              {crumbs.map(({ name: above, to, search }) => (
                <li key={above}>
                  <Link to={to} activeProps={{}} {...(search === undefined ? {} : { search })}>
                    {above}
                  </Link>
                  <ChevronRight size={14} aria-hidden="true" />
                </li>
              ))}
              <li aria-current="page">
                <Plain>{title}</Plain>
              </li>
            </ol>
          </nav>
        )}
        <div className="heading">
          <h1>
            <Plain>{title}</Plain>
          </h1>
          {actions !== undefined && <div className="actions">{actions}</div>}
        </div>
        {lead !== undefined && <div className="lead">{lead}</div>}
        {open.length > 1 && (
          <Tabs name={title} current={path}>
            {open.map(({ to, name: label }) => (
              <Link key={to} to={to} activeProps={{}} {...(label === tab ? { "aria-current": "page" as const } : {})}>
                {label}
              </Link>
            ))}
          </Tabs>
        )}
      </header>
      <Together>{children}</Together>
    </>
  );
}
