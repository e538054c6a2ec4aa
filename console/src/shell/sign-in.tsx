// Sign-in page: a key, or the one-time link that `npm start` prints.

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Form } from "react-aria-components";
import { signInOutside, useSignIn } from "../gateway/session";
import { spendTicket, waitingTicket } from "../gateway/ticket";
import { Button, Field } from "../parts/controls";
import { Trouble } from "../parts/state";
import { t } from "../text/text";

export function SignIn({ issuer }: { issuer: string | null }): ReactNode {
  const { mutate, isPending, error } = useSignIn();
  const [ticket, setTicket] = useState(waitingTicket);

  useEffect(() => {
    document.title = t("Sign in · Skill Gateway");
  }, []);

  return (
    <main className="door">
      <div className="brand">
        <span className="logo" aria-hidden="true" />
        Skill Gateway
      </div>
      <div className="card stack">
        <h1>{t("Sign in")}</h1>
        {ticket !== null && (
          // Requires a click: a link from a stranger would otherwise make the user publish, or enter secrets, as that stranger.
          <section aria-label={t("Sign-in link")} className="note">
            <p>{t("You opened a one-time sign-in link. Continue only if you created or requested it.")}</p>
            <Button
              kind="main"
              onPress={() => {
                spendTicket();
                setTicket(null);
                mutate({ ticket });
              }}
            >
              {t("Sign in with the link")}
            </Button>
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
            label={t("API key")}
            name="key"
            type="password"
            autoComplete="current-password"
            isRequired
            autoFocus
            help={t("Starts with sgw_. Ask an admin for one. The first npm start prints one for the operator.")}
          />
          <Button kind="main" type="submit" isDisabled={isPending}>
            {isPending ? t("Signing in…") : t("Sign in")}
          </Button>
        </Form>
        {issuer !== null && <External issuer={issuer} />}
        {error !== null && <Trouble error={error} />}
      </div>
    </main>
  );
}

/** The external sign-in of the organization, if the gateway has one. */
function External({ issuer }: { issuer: string }): ReactNode {
  const { mutate, isPending, error } = useMutation({ mutationFn: signInOutside });
  return (
    <>
      <Button isDisabled={isPending} onPress={() => mutate()}>
        {t("Sign in with {issuer}", { issuer })}
      </Button>
      {error !== null && <Trouble error={error} />}
    </>
  );
}
