// Renders a field of a ghost with its label, help text and issues.

import { type ReactNode, useId, useState } from "react";
import type { Issue } from "../../../sdk/src/generated/operations";
import { FIELD_TEXTS } from "../../../sdk/src/generated/texts";
import { Button } from "../parts/controls";
import { Issues } from "../parts/state";
import { t } from "../text/text";

type Told = keyof typeof FIELD_TEXTS.ghostSpec;

/** The accessibility attributes of the control in a field, so that screen readers read its help and errors. */
export interface Control {
  id: string;
  "aria-describedby": string;
  "aria-invalid": boolean;
}

/**
 * `of`: the field of the spec whose description in the API is shown; otherwise `text`. A button shows the text. Screen readers can always
 * read it.
 */
export function Explained({
  label,
  of,
  text,
  issues = [],
  children,
}: {
  label: string;
  of?: Told;
  text?: string;
  issues?: readonly Issue[] | undefined;
  children: (control: Control) => ReactNode;
}): ReactNode {
  const id = useId();
  const [isOpen, open] = useState(false);
  return (
    <div className="field explained">
      <div className="row tight">
        <label htmlFor={id}>{label}</label>
        <Button
          aria-label={t("Help: {label}", { label })}
          aria-expanded={isOpen}
          aria-controls={`${id}-help`}
          onPress={() => open(!isOpen)}
        >
          ?
        </Button>
      </div>
      <p id={`${id}-help`} className={isOpen ? "soft" : "unseen"}>
        <Coded>{of === undefined ? (text ?? "") : FIELD_TEXTS.ghostSpec[of]}</Coded>
      </p>
      {children({ id, "aria-describedby": `${id}-help ${id}-issues`, "aria-invalid": issues.length > 0 })}
      <div id={`${id}-issues`} role="status">
        <Issues issues={issues} />
      </div>
    </div>
  );
}

/** Renders text between backticks as code. */
function Coded({ children }: { children: string }): ReactNode {
  return children.split("`").map((part, n) =>
    n % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a text that never changes
      <code key={n}>{part}</code>
    ) : (
      part
    ),
  );
}
