// Links to the views of a subject. On a narrow screen they scroll, and the current one is visible.

import { type ReactNode, useEffect, useRef } from "react";

/** `current` changes with the current view. */
export function Tabs({ name, current, children }: { name: string; current: string; children: ReactNode }): ReactNode {
  const place = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view is the reason to scroll
  useEffect(() => {
    const bar = place.current;
    if (bar === null) return;
    // Also when the page becomes visible, and when the window changes.
    const observer = new ResizeObserver(() => {
      const link = bar.querySelector<HTMLElement>("[aria-current]");
      if (link !== null) bar.scrollLeft = link.offsetLeft - (bar.clientWidth - link.offsetWidth) / 2;
    });
    observer.observe(bar);
    return () => observer.disconnect();
  }, [current]);
  return (
    <nav ref={place} className="tabs" aria-label={name}>
      {children}
    </nav>
  );
}
