// Asks for a new sign-in when the gateway requires a recent one for an irreversible change.

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { signInAgain } from "../gateway/session";
import { Button, Field } from "./controls";
import { Plain } from "./text";

/** Not a `<form>`, because it can be inside one. */
export function SignInAgain(): ReactNode {
  const [key, setKey] = useState("");
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: () => signInAgain(key.trim()) });
  if (isSuccess) return <p role="status">You are signed in anew: repeat what you did.</p>;
  return (
    <div className="row">
      <Field
        label="Your key, once more"
        type="password"
        autoComplete="current-password"
        value={key}
        onChange={setKey}
      />
      <Button isDisabled={isPending || key.trim() === ""} onPress={() => mutate()}>
        Sign in again
      </Button>
      {error !== null && <Plain>{error.message}</Plain>}
    </div>
  );
}
