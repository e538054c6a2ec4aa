// A dialog with the fields of a form.

import type { ReactNode } from "react";
import { Form } from "react-aria-components";
import { t } from "../text/text";
import { Button, Window } from "./controls";
import { Trouble } from "./state";

export function FormWindow({
  title,
  button,
  isBusy,
  isIncomplete = false,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** The text of the button that submits the form. */
  button: string;
  isBusy: boolean;
  isIncomplete?: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  return (
    <Window title={title} onClose={onClose}>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          // The button is not disabled meanwhile, because a disabled button loses the focus.
          if (!isBusy) onSubmit();
        }}
      >
        {children}
        {error !== null && <Trouble error={error} />}
        <div className="buttons">
          <Button onPress={onClose}>{t("Cancel")}</Button>
          <Button kind="main" type="submit" isDisabled={isIncomplete}>
            {button}
          </Button>
        </div>
      </Form>
    </Window>
  );
}
