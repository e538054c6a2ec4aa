// Asks for a confirmation before a destructive action.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../text/text";
import { Button, Window } from "./controls";
import { Trouble } from "./state";
import { toast } from "./toast";

/** `act` runs after the confirmation, then `done` is shown. `onDone` runs before queries are repeated and can open another page. */
export function Confirm({
  title,
  button,
  kind = "danger",
  done,
  act,
  onClose,
  onDone,
  children,
}: {
  title: string;
  button: string;
  kind?: "main" | "danger";
  done: string;
  act: () => Promise<unknown>;
  onClose: () => void;
  onDone?: () => Promise<void>;
  children: ReactNode;
}): ReactNode {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      onClose();
      toast(done);
      await onDone?.();
      await client.invalidateQueries();
    },
  });
  return (
    <Window urgent title={title} onClose={onClose}>
      <p>{children}</p>
      {error !== null && <Trouble error={error} />}
      <div className="buttons">
        <Button onPress={onClose}>{t("Cancel")}</Button>
        <Button
          kind={kind}
          // Not disabled while the request runs, because a disabled button loses the focus.
          onPress={() => {
            if (!isPending) mutate();
          }}
        >
          {button}
        </Button>
      </div>
    </Window>
  );
}
