// Sets the title of a page.

import { useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { Plain, visible } from "./text";

/** The heading of the page, and the title of the window. */
export function Title({ children }: { children: string }): ReactNode {
  const place = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page of the same name at another place is another page
  useEffect(() => {
    document.title = `${visible(children)} · Skill Gateway`;
  }, [children, place]);
  return (
    <h1>
      <Plain>{children}</Plain>
    </h1>
  );
}
