// Signing in anew, where the gateway wants a sign-in of the last minutes for something that cannot be taken back.

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { signInAgain } from "../gateway/session";
import { Button, Field } from "./controls";
import { Plain } from "./text";

/** No form of its own: it may stand inside one. */
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
