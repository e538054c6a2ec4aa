// Signs the user in again when the gateway requires a recent sign-in for an action that cannot be undone.

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { signInAgain } from "../gateway/session";
import { t } from "../text/text";
import { Button, Field } from "./controls";
import { Plain } from "./text";

/** Contains no form element, because it can be used inside a form. */
export function SignInAgain(): ReactNode {
  const [key, setKey] = useState("");
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: () => signInAgain(key.trim()) });
  if (isSuccess) return <p role="status">{t("You are signed in. Repeat the action.")}</p>;
  return (
    <div className="row">
      <Field label={t("API key")} type="password" autoComplete="current-password" value={key} onChange={setKey} />
      <Button isDisabled={isPending || key.trim() === ""} onPress={() => mutate()}>
        {t("Sign in again")}
      </Button>
      {error !== null && <Plain>{error.message}</Plain>}
    </div>
  );
}
