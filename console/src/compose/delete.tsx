// Deletes a ghost after a dialog that names the consequences.

import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { call } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { visible } from "../parts/text";
import { t } from "../text/text";
import type { Draft } from "./draft";

export function Delete({ id, ghost, onGone }: { id: string; ghost: Draft; onGone: () => void }): ReactNode {
  const navigate = useNavigate();
  const [isAsked, ask] = useState(false);
  return (
    <>
      <Button kind="danger" onPress={() => ask(true)}>
        {t("Delete")}
      </Button>
      {isAsked && (
        <Confirm
          title={t("Delete {name}?", { name: visible(ghost.name) })}
          button={t("Delete")}
          done={t("Agent deleted.")}
          act={() => call("ghosts.delete", { path: { id } })}
          onClose={() => ask(false)}
          onDone={() => {
            onGone();
            return navigate({ to: "/ghosts", ignoreBlocker: true });
          }}
        >
          {t(
            "Conversations with this agent continue without its prompt, skills and servers, and receive a warning. {whose} You cannot undo this. Copy its definition first if you may need it again.",
            { whose: whoLoses(ghost.namespace) },
          )}
        </Confirm>
      )}
    </>
  );
}

/** Says who loses an agent of the namespace. */
function whoLoses(namespace: string): string {
  if (namespace === "default") return "";
  return t(namespace === "public" ? "It is deleted for all users." : "It is deleted for all members of the group.");
}
