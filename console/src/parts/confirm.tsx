// Asks for a confirmation before a destructive action.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button, Window } from "./controls";
import { Trouble } from "./state";

/** `act` runs after the confirmation. `onDone` runs before queries are repeated and can navigate to another page. */
export function Confirm({
  title,
  button,
  kind = "danger",
  act,
  onClose,
  onDone,
  children,
}: {
  title: string;
  button: string;
  kind?: "main" | "danger";
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
      await onDone?.();
      await client.invalidateQueries();
    },
  });
  return (
    <Window urgent title={title} onClose={onClose}>
      <p>{children}</p>
      {error !== null && <Trouble error={error} />}
      <div className="row">
        <Button kind={kind} isDisabled={isPending} onPress={() => mutate()}>
          {button}
        </Button>
        <Button onPress={onClose}>Cancel</Button>
      </div>
    </Window>
  );
}
