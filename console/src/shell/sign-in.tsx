// Sign-in page: a key, or the one-time link that `npm start` prints.

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Form } from "react-aria-components";
import { signInOutside, useSignIn } from "../gateway/session";
import { spendTicket, waitingTicket } from "../gateway/ticket";
import { Button, Field } from "../parts/controls";
import { Trouble } from "../parts/state";

export function SignIn({ issuer }: { issuer: string | null }): ReactNode {
  const { mutate, isPending, error } = useSignIn();
  const [ticket, setTicket] = useState(waitingTicket);

  useEffect(() => {
    document.title = "Sign in · Skill Gateway";
  }, []);

  return (
    <main className="door">
      <h1>Skill Gateway</h1>
      <p>See the skills of this gateway, publish your own, and look after keys and servers.</p>
      {ticket !== null && (
        // Requires a click: a link from a stranger would otherwise make the user publish, or enter secrets, as that stranger.
        <section aria-label="Link">
          <p>You have opened a link that signs in, once. Go on only if you made it, or asked for it.</p>
          <p>
            <Button
              kind="main"
              onPress={() => {
                spendTicket();
                setTicket(null);
                mutate({ ticket });
              }}
            >
              Sign in by the link
            </Button>
          </p>
        </section>
      )}
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          const key = new FormData(event.currentTarget).get("key");
          if (typeof key === "string") mutate({ key: key.trim() });
        }}
      >
        <Field
          label="Your key"
          name="key"
          type="password"
          autoComplete="current-password"
          isRequired
          autoFocus
          help="An operator made it for you. It begins with sgw_, and is shown by npm start at the first start."
        />
        <Button kind="main" type="submit" isDisabled={isPending}>
          {isPending ? "Signing in…" : "Sign in"}
        </Button>
      </Form>
      {issuer !== null && <Outside issuer={issuer} />}
      {error !== null && <Trouble error={error} />}
    </main>
  );
}

/** The external sign-in of the organization, if the gateway has one. */
function Outside({ issuer }: { issuer: string }): ReactNode {
  const { mutate, isPending, error } = useMutation({ mutationFn: signInOutside });
  return (
    <>
      <p>
        <Button isDisabled={isPending} onPress={() => mutate()}>
          Sign in with {issuer}
        </Button>
      </p>
      {error !== null && <Trouble error={error} />}
    </>
  );
}
