// Stores a secret or replaces its value.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Form } from "react-aria-components";
import type { Secret } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Button, Field, Window } from "../parts/controls";
import { Trouble } from "../parts/state";
import { visible } from "../parts/text";
import type { OwnerAsked } from "./owners";

/** `secret` is the secret to replace, or `null` for a new one. */
export function SecretForm({
  owner,
  secret,
  onClose,
}: {
  owner: OwnerAsked;
  secret: Secret | null;
  onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  const [name, setName] = useState(secret?.name ?? "");
  const [value, setValue] = useState("");
  const [hosts, setHosts] = useState(secret?.hosts.join(", ") ?? "");
  const names = hosts.split(/[\s,]+/).filter((host) => host !== "");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("secrets.set", { path: { name: name.trim() }, body: { ...owner, value, hosts: names } }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: ["secrets"] });
    },
  });
  return (
    <Window title={secret === null ? "Store a secret" : `Replace ${visible(secret.name)}`} onClose={onClose}>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Field
          label="Name"
          value={name}
          onChange={setName}
          isRequired
          isDisabled={secret !== null}
          autoFocus={secret === null}
          help="Letters, digits and _. One of this name is replaced."
        />
        <Field
          label="Value"
          type="password"
          autoComplete="off"
          value={value}
          onChange={setValue}
          isRequired
          autoFocus={secret !== null}
          help="At least 8 characters. It is not shown again."
        />
        <Field
          label="Hosts"
          value={hosts}
          onChange={setHosts}
          isRequired
          placeholder="api.example.com"
          help="It goes to these, and to no other."
        />
        {error !== null && <Trouble error={error} />}
        <div className="row">
          <Button kind="main" type="submit" isDisabled={isPending || names.length === 0}>
            {isPending ? "Storing it…" : "Store it"}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </div>
      </Form>
    </Window>
  );
}
