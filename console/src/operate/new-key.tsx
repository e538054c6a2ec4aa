// Creates a key for a user, with restricted permissions.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { CreatedKey } from "../../../sdk/src/generated/operations";
import { call, type RequestOf } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Checks, Choice, Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { t } from "../text/text";

type Scope = NonNullable<RequestOf<"keys.create">["body"]["scopes"]>[number];
/** Scopes with their descriptions. */
const SCOPES: readonly (readonly [Scope, string])[] = [
  ["skills:read", t("read skills")],
  ["skills:write", t("publish and change skills")],
  ["ghosts", t("manage agents")],
  ["conversations", t("run conversations")],
  ["chat", t("use the chat endpoint")],
  ["mcp", t("use MCP")],
  ["groups", t("manage groups")],
  ["keys", t("manage own keys")],
  ["secrets", t("manage secrets")],
  ["act_as", t("act for other users")],
  ["admin", t("operate the gateway")],
];
/** The user of the gateway's own key. No other key can be created for this user. */
const OWN_USER = "admin";
const DAYS = [
  ["30", t("30 days")],
  ["90", t("90 days")],
  ["365", t("1 year")],
  ["", t("never")],
] as const;

export function NewKey({ onClose, onMade }: { onClose: () => void; onMade: (key: CreatedKey) => void }): ReactNode {
  const me = useMe();
  const client = useQueryClient();
  const [user, setUser] = useState(me.user_id === OWN_USER ? "" : me.user_id);
  const [name, setName] = useState("");
  const [days, setDays] = useState<(typeof DAYS)[number][0]>("90");
  const [scopes, setScopes] = useState<Scope[]>(["skills:read", "conversations"]);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call("keys.create", {
        body: {
          user_id: user.trim(),
          scopes,
          ...(name.trim() === "" ? {} : { name: name.trim() }),
          ...(days === "" ? {} : { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
        },
      }),
    onSuccess: async (key) => {
      await client.invalidateQueries({ queryKey: ["keys"] });
      onMade(key);
    },
  });
  return (
    <FormWindow
      title={t("Create key")}
      button={isPending ? t("Creating…") : t("Create")}
      isBusy={isPending}
      isIncomplete={scopes.length === 0}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field
        label={t("User")}
        value={user}
        onChange={setUser}
        isRequired
        help={t("The key acts as this user.")}
        autoFocus={user === ""}
      />
      <Field label={t("Name")} value={name} onChange={setName} help={t("For example, where the key is used.")} />
      <Choice label={t("Expires after")} value={days} options={DAYS} onChange={setDays} />
      <Checks label={t("Scopes")} value={scopes} options={SCOPES} onChange={setScopes} />
    </FormWindow>
  );
}
