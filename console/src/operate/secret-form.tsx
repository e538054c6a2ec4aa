// Stores a secret or replaces its value.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Secret } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { visible } from "../parts/text";
import { toast } from "../parts/toast";
import { t } from "../text/text";
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
      toast(t("Secret stored."));
      await client.invalidateQueries({ queryKey: ["secrets"] });
    },
  });
  return (
    <FormWindow
      title={secret === null ? t("Store secret") : t("Replace {name}", { name: visible(secret.name) })}
      button={isPending ? t("Storing…") : t("Store")}
      isBusy={isPending}
      isIncomplete={names.length === 0}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field
        label={t("Name")}
        value={name}
        onChange={setName}
        isRequired
        isDisabled={secret !== null}
        autoFocus={secret === null}
        help={t("Letters, digits and _. An existing secret of this name is replaced.")}
      />
      <Field
        label={t("Value")}
        type="password"
        autoComplete="off"
        value={value}
        onChange={setValue}
        isRequired
        autoFocus={secret !== null}
        help={t("At least 8 characters. The value is not shown again.")}
      />
      <Field
        label={t("Hosts")}
        value={hosts}
        onChange={setHosts}
        isRequired
        placeholder="api.example.com"
        help={t("The secret is sent only to these hosts.")}
      />
    </FormWindow>
  );
}
