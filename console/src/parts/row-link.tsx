// A link in a row of a long table. The router's own link subscribes to every navigation, which hundreds of rows would notice.

import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** `path`: the address of a page without the base of the console. */
export function RowLink({ path, title, children }: { path: string; title: string; children: ReactNode }): ReactNode {
  const router = useRouter();
  return (
    <a
      href={router.basepath + path}
      title={title}
      onClick={(event) => {
        // Another button or key opens a new tab or window.
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        router.history.push(router.basepath + path);
      }}
    >
      {children}
    </a>
  );
}
