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
          button="Delete"
          done="Agent deleted."
          act={() => call("ghosts.delete", { path: { id } })}
          onClose={() => ask(false)}
          onDone={() => {
            onGone();
            return navigate({ to: "/ghosts", ignoreBlocker: true });
          }}
        >
          Conversations with this agent continue without its prompt, skills and servers, and receive a warning.{" "}
          {LOST[ghost.namespace] ?? LOST.group} You cannot undo this. Copy its definition first if you may need it
          again.
        </Confirm>
      )}
    </>
  );
}

/** The users who lose the ghost, by its namespace. */
const LOST: Readonly<Record<string, string>> = {
  default: "",
  public: "It is deleted for all users.",
  group: "It is deleted for all members of the group.",
};
