// Stores a secret or replaces its value.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Secret } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { visible } from "../parts/text";
import { toast } from "../parts/toast";
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
      toast("Secret stored.");
      await client.invalidateQueries({ queryKey: ["secrets"] });
    },
  });
  return (
    <FormWindow
      title={secret === null ? "Store secret" : `Replace ${visible(secret.name)}`}
      button={isPending ? "Storing…" : "Store"}
      isBusy={isPending}
      isIncomplete={names.length === 0}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        isDisabled={secret !== null}
        autoFocus={secret === null}
        help="Letters, digits and _. An existing secret of this name is replaced."
      />
      <Field
        label="Value"
        type="password"
        autoComplete="off"
        value={value}
        onChange={setValue}
        isRequired
        autoFocus={secret !== null}
        help="At least 8 characters. The value is not shown again."
      />
      <Field
        label="Hosts"
        value={hosts}
        onChange={setHosts}
        isRequired
        placeholder="api.example.com"
        help="The secret is sent only to these hosts."
      />
    </FormWindow>
  );
}
