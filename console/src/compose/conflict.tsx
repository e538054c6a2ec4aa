// Shows a conflict: another user has saved the ghost meanwhile. Both versions are shown, and the user selects one.

import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { Button } from "../parts/controls";
import { Loading } from "../parts/loading";
import { Answer } from "../parts/state";
import { t } from "../text/text";
import { type Draft, draftOf, pretty } from "./draft";
import { ghostAt } from "./ghosts";

const Columns = lazy(async () => ({ default: (await import("../library/columns")).Columns }));

export function Conflict({
  id,
  mine,
  onMine,
  onTheirs,
}: {
  id: string;
  mine: Draft;
  /** Called to overwrite the other user's version, which has this tag. */
  onMine: (tag: string) => void;
  onTheirs: (theirs: Draft, tag: string) => void;
}): ReactNode {
  const answer = useQuery({ ...ghostAt(id), queryKey: ["ghost-meanwhile", id], gcTime: 0 });
  return (
    <section className="note warn" aria-label={t("Conflict")} role="alert">
      <p>
        <strong>{t("Somebody else saved this agent.")}</strong>{" "}
        {t("Your changes are not saved yet. The saved version is on the left, yours on the right.")}
      </p>
      <Answer of={answer} what={t("the saved version")}>
        {({ answer: theirs, tag }) => (
          <>
            <Suspense fallback={<Loading what={t("the comparison")} />}>
              <Columns name="the agent" before={told(draftOf(theirs))} after={told(mine)} />
            </Suspense>
            <div className="row">
              <Button kind="main" onPress={() => onMine(tag)}>
                {t("Overwrite")}
              </Button>
              <Button onPress={() => onTheirs(draftOf(theirs), tag)}>{t("Use the saved version")}</Button>
            </div>
          </>
        )}
      </Answer>
    </section>
  );
}

/** Returns a ghost as lines of text, including its prompt. */
function told({ systemPrompt, servers, ...others }: Draft): string {
  return `${pretty(others)}\n\nServers:\n${servers}\n\nPrompt:\n${systemPrompt}\n`;
}
