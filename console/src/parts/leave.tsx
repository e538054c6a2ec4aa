// Asks before the user leaves a page with unsaved changes.

import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { t } from "../text/text";
import { Button, Window } from "./controls";

export function Leave({
  isDirty,
  onLeave = () => undefined,
  children,
}: {
  isDirty: () => boolean;
  onLeave?: () => void;
  children: string;
}): ReactNode {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty() && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Window urgent title={t("Leave without saving?")} onClose={() => blocker.reset()}>
      <p>{children}</p>
      <div className="buttons">
        <Button onPress={() => blocker.reset()}>{t("Stay")}</Button>
        <Button
          kind="danger"
          onPress={() => {
            onLeave();
            blocker.proceed();
          }}
        >
          {t("Leave")}
        </Button>
      </div>
    </Window>
  );
}
