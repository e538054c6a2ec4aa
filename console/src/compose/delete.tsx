// Deletes a ghost after a dialog that names the consequences.

import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { call } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { visible } from "../parts/text";
import type { Draft } from "./draft";

export function Delete({ id, ghost, onGone }: { id: string; ghost: Draft; onGone: () => void }): ReactNode {
  const navigate = useNavigate();
  const [isAsked, ask] = useState(false);
  return (
    <>
      <Button kind="danger" onPress={() => ask(true)}>
        Delete
      </Button>
      {isAsked && (
        <Confirm
          title={`Delete ${visible(ghost.name)}?`}
          button="Delete it"
          act={() => call("ghosts.delete", { path: { id } })}
          onClose={() => ask(false)}
          onDone={() => {
            onGone();
            return navigate({ to: "/ghosts", ignoreBlocker: true });
          }}
        >
          Conversations with it go on without its prompt, skills and servers, and are warned.{" "}
          {LOST[ghost.namespace] ?? LOST.group} It cannot be taken back: copy its text first, if it may be wanted again.
        </Confirm>
      )}
    </>
  );
}

/** The users who lose the ghost, by its namespace. */
const LOST: Readonly<Record<string, string>> = {
  default: "",
  public: "Everybody loses it.",
  group: "All members of its group lose it.",
};
