// Deleting a ghost: what ends with it is said first.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { call } from "../gateway/call";
import { Button, Window } from "../parts/controls";
import { Trouble } from "../parts/state";
import { visible } from "../parts/text";
import type { Draft } from "./draft";

export function Delete({ id, ghost, onGone }: { id: string; ghost: Draft; onGone: () => void }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, ask] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("ghosts.delete", { path: { id } }),
    onSuccess: async () => {
      onGone();
      await client.invalidateQueries({ queryKey: ["ghosts"] });
      await navigate({ to: "/ghosts", ignoreBlocker: true });
    },
  });
  const { namespace } = ghost;
  const who =
    namespace === "default"
      ? ""
      : namespace === "public"
        ? " Everybody loses it."
        : " All members of the group lose it.";
  return (
    <>
      <Button kind="danger" onPress={() => ask(true)}>
        Delete
      </Button>
      {isAsked && (
        <Window urgent title={`Delete ${visible(ghost.name)}?`} onClose={() => ask(false)}>
          <p>
            Conversations with it go on without its prompt, skills and servers, and are warned.{who} It cannot be taken
            back: copy its text first, if it may be wanted again.
          </p>
          {error !== null && <Trouble error={error} />}
          <div className="row">
            <Button kind="danger" isDisabled={isPending} onPress={() => mutate()}>
              Delete it
            </Button>
            <Button onPress={() => ask(false)}>Cancel</Button>
          </div>
        </Window>
      )}
    </>
  );
}
