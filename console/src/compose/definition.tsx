// Shows a ghost as text for files and other gateways, to copy or to paste. The gateway checks pasted text like typed text.

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useState } from "react";
import { Button, Choice } from "../parts/controls";
import { visible } from "../parts/text";
import { t } from "../text/text";
import { type Draft, draftFrom, fieldsOf, isIssue, pretty, specOf } from "./draft";

type Form = "yaml" | "json";

export function Definition({ draft, onTake }: { draft: Draft; onTake: (draft: Draft) => void }): ReactNode {
  const [isOpen, open] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>{t("Definition as YAML or JSON")}</summary>
      {isOpen && (
        <>
          <Copy draft={draft} />
          <Paste draft={draft} onTake={onTake} />
        </>
      )}
    </details>
  );
}

function Copy({ draft }: { draft: Draft }): ReactNode {
  const [form, setForm] = useState<Form>("yaml");
  const text = useText(draft, form);
  const { mutate, isSuccess, isError } = useMutation({ mutationFn: () => navigator.clipboard.writeText(text) });
  return (
    <section aria-label={t("Definition")}>
      <div className="row">
        <Choice label={t("Format")} value={form} options={FORMS} onChange={setForm} />
        <Button onPress={() => mutate()}>{t("Copy")}</Button>
        <span role="status">
          {isSuccess ? t("Copied.") : isError ? t("The browser blocked copying. Select the text instead.") : ""}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
      <pre tabIndex={0} className="prompt">
        {visible(text)}
      </pre>
    </section>
  );
}

const FORMS = [
  ["yaml", "YAML"],
  ["json", "JSON"],
] as const;

/** Returns the ghost in the format of the API. */
function useText(draft: Draft, form: Form): string {
  const [text, setText] = useState("");
  useEffect(() => {
    let isOver = false;
    const spec = specOf(draft);
    const { name, namespace } = draft;
    const ghost = { apiVersion: "agent.wecode.io/v1", kind: "Ghost", metadata: { name, namespace }, spec };
    if (isIssue(spec)) setText(spec.message);
    else if (form === "json") setText(pretty(ghost));
    else
      void import("yaml").then(({ stringify }) => {
        if (!isOver) setText(stringify(ghost, { lineWidth: 0 }));
      });
    return () => {
      isOver = true;
    };
  }, [draft, form]);
  return text;
}

function Paste({ draft, onTake }: { draft: Draft; onTake: (draft: Draft) => void }): ReactNode {
  const id = useId();
  const [text, setText] = useState("");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => pasted(text, draft),
    onSuccess: (taken) => {
      setText("");
      onTake(taken);
    },
  });
  return (
    <section aria-label={t("Paste a definition")}>
      <div className="field">
        <label htmlFor={id}>{t("Definition in YAML or JSON")}</label>
        <textarea
          id={id}
          rows={6}
          className="code"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
          aria-describedby={`${id}-said`}
        />
      </div>
      <p id={`${id}-said`} role="status" className="bad">
        {error === null ? "" : visible(error.message)}
      </p>
      <Button isDisabled={isPending || text.trim() === ""} onPress={() => mutate()}>
        {t("Apply to the fields")}
      </Button>
    </section>
  );
}

/** Reads a definition or a spec alone. An existing ghost does not change its owner. */
async function pasted(text: string, { name, namespace }: Draft): Promise<Draft> {
  const { parse } = await import("yaml");
  // Limits YAML aliases, because nested aliases can expand a kilobyte to a gigabyte.
  const found = fieldsOf(parse(text, { maxAliasCount: 50 }));
  if (found.kind !== undefined && found.kind !== "Ghost")
    throw new Error(
      t("The definition has the kind '{kind}'. Paste one of the kind 'Ghost'.", { kind: String(found.kind) }),
    );
  if (found.spec === undefined && found.systemPrompt === undefined && found.skills === undefined)
    throw new Error(t("The definition has no `spec`, `systemPrompt` or `skills`. Paste an agent definition."));
  const taken = draftFrom(found.spec === undefined ? { spec: found } : found);
  return { ...taken, namespace, name: taken.name === "" ? name : taken.name };
}
