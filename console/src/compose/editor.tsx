// Edits a ghost: the fields on one side, the preview on the other.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { Form } from "react-aria-components";
import type { Issue } from "../../../sdk/src/generated/operations";
import { callTagged } from "../gateway/call";
import { Refusal } from "../gateway/refusal";
import { useMe } from "../gateway/session";
import { Button, Choice } from "../parts/controls";
import { Leave } from "../parts/leave";
import { Issues, Trouble } from "../parts/state";
import { t } from "../text/text";
import { Conflict } from "./conflict";
import { Definition } from "./definition";
import { Delete } from "./delete";
import { type Draft, draftOf, isIssue, isSame, specOf } from "./draft";
import { Fields } from "./fields";
import { drop, keep, keptOf } from "./kept";
import { Preview, usePreview } from "./preview";
import { byPlace } from "./problems";

const SHELLS = [
  ["Chat", "Chat"],
  ["ClaudeCode", "ClaudeCode"],
  ["Agno", "Agno"],
  ["Dify", "Dify"],
] as const;

/** `saved` is the stored ghost, or the initial values of a new one. `id` and `tag` belong to an existing ghost. */
export function Editor({
  id,
  saved: begun,
  tag: read,
}: {
  id: string | null;
  saved: Draft;
  tag: string | null;
}): ReactNode {
  const me = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const place = id ?? "new";
  const [kept] = useState(() => keptOf(me.user_id, place, begun));
  const [saved, setSaved] = useState(begun);
  const [tag, setTag] = useState(kept?.tag ?? read);
  const [draft, write] = useState(kept?.draft ?? begun);
  const [aside, setAside] = useState<Draft | null>(null);
  const [wasKept, setWasKept] = useState(kept !== null);
  const [shell, setShell] = useState<(typeof SHELLS)[number][0]>("Chat");
  const isDirty = !isSame(draft, saved);
  const { data: preview, error, isBehind } = usePreview(draft, shell);

  useEffect(() => {
    if (isDirty) keep(me.user_id, place, { draft, tag, lost: draft.servers !== saved.servers });
    else drop(me.user_id, place);
  }, [draft, saved, tag, isDirty, me.user_id, place]);

  const save = useMutation({
    mutationFn: async (seen: string | null) => {
      const { name, namespace } = draft;
      const spec = specOf(draft);
      if (isIssue(spec)) throw new Refusal(400, spec.code, spec.message, [spec]);
      const metadata = { name: name.trim(), namespace };
      return id === null
        ? callTagged("ghosts.create", { body: { metadata, spec } })
        : callTagged("ghosts.replace", { path: { id }, body: { metadata, spec } }, { tag: seen });
    },
    onSuccess: async ({ answer, tag: next }) => {
      drop(me.user_id, place);
      const now = draftOf(answer);
      setSaved(now);
      write(now);
      setTag(next);
      setWasKept(false);
      await client.invalidateQueries({ queryKey: ["ghosts"] });
      const { id: made } = answer.metadata.labels;
      if (id === null) await navigate({ to: "/ghosts/$id", params: { id: made }, ignoreBlocker: true });
    },
  });
  const change = (next: Draft) => {
    if (save.error !== null && !isChanged(save.error)) save.reset();
    write(next);
  };

  const problems = useMemo(() => {
    const said = [...issuesIn(save.error), ...issuesIn(error), ...(preview?.issues ?? [])];
    const spec = specOf(draft);
    const warnings = (preview?.warnings ?? []).map((warning): Issue => ({ ...warning, severity: "info" }));
    const all = [...(isIssue(spec) ? [spec] : []), ...said, ...warnings];
    const once = new Map(all.map((issue) => [`${issue.code} ${issue.path ?? ""} ${issue.message}`, issue]));
    return byPlace([...once.values()], draft);
  }, [draft, preview, error, save.error]);

  return (
    <>
      {wasKept && (
        <div className="note">
          <p>
            {t("Your unsaved changes were restored.")}
            {kept?.lost === true &&
              ` ${t("Servers are not stored in the browser, because they can contain credentials.")}`}
          </p>
          <Button
            onPress={() => {
              write(saved);
              setTag(read);
              setWasKept(false);
            }}
          >
            {t("Discard")}
          </Button>
        </div>
      )}
      {aside !== null && (
        <div className="note" role="status">
          <p>{t("The fields were replaced. You can return to their previous content.")}</p>
          <Button
            onPress={() => {
              write(aside);
              setAside(draft);
            }}
          >
            {t("Swap")}
          </Button>
        </div>
      )}
      {id !== null && isChanged(save.error) && (
        <Conflict
          id={id}
          mine={draft}
          onMine={(seen) => save.mutate(seen)}
          onTheirs={(theirs, seen) => {
            setAside(draft);
            setSaved(theirs);
            write(theirs);
            setTag(seen);
            save.reset();
          }}
        />
      )}
      <div className="compose">
        <Form
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate(tag);
          }}
        >
          <Fields draft={draft} isNew={id === null} onChange={change} preview={preview} problems={problems} />
          <Issues issues={problems.get(null) ?? []} />
          {save.error !== null && !isChanged(save.error) && <Trouble error={save.error} />}
          <div className="row">
            <Button kind="main" type="submit" isDisabled={save.isPending}>
              {save.isPending ? t("Saving…") : t("Save")}
            </Button>
            {id !== null && <Delete id={id} ghost={saved} onGone={() => drop(me.user_id, place)} />}
            <span role="status">{save.isSuccess && !isDirty ? t("Saved.") : isDirty ? t("Unsaved changes.") : ""}</span>
          </div>
          <Definition
            draft={draft}
            onTake={(taken) => {
              setAside(draft);
              change(taken);
            }}
          />
        </Form>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
        <section tabIndex={0} aria-label={t("Preview and shell")}>
          <Preview name={draft.name} preview={preview} error={error} isBehind={isBehind}>
            <Choice label={t("Shell")} value={shell} options={SHELLS} onChange={setShell} />
          </Preview>
        </section>
      </div>
      <Leave isDirty={() => isDirty} onLeave={() => drop(me.user_id, place)}>
        {t("Your changes to this agent are lost.")}
      </Leave>
    </>
  );
}

const isChanged = (error: Error | null): boolean => error instanceof Refusal && error.code === "GHOST_CHANGED";
const issuesIn = (error: Error | null): readonly Issue[] => (error instanceof Refusal ? error.issues : []);
