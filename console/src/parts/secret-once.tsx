// A dialog that shows a new secret, which cannot be read again after it is closed.

import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../text/text";
import { Button, Window } from "./controls";

/** `children` says what the secret gives access to, or where to store it. */
export function SecretOnce({
  title,
  secret,
  onClose,
  children,
}: {
  title: string;
  secret: string;
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  const { mutate, isSuccess, isError } = useMutation({ mutationFn: () => navigator.clipboard.writeText(secret) });
  return (
    <Window urgent title={title} onClose={onClose}>
      <p>{children}</p>
      <code className="secret">{secret}</code>
      {isError && <p role="status">{t("The browser blocked copying. Select the text instead.")}</p>}
      <div className="buttons">
        <Button kind="main" onPress={() => mutate()}>
          {isSuccess ? t("Copied") : t("Copy")}
        </Button>
        <Button onPress={onClose}>{t("Done")}</Button>
      </div>
    </Window>
  );
}
