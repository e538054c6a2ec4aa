// Creates a webhook, or changes its address, its events and whether it is active.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Webhook } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Check, Checks, Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { visible } from "../parts/text";
import { toast } from "../parts/toast";
import { t } from "../text/text";
import type { OwnerAsked } from "./owners";

type Event = Webhook["events"][number];
/** Events with their descriptions. */
export const EVENTS: readonly (readonly [Event, string])[] = [
  ["skill.published", t("version published")],
  ["skill.activated", t("version made current")],
  ["skill.yanked", t("version yanked")],
  ["skill.unyanked", t("yank reverted")],
  ["skill.deleted", t("skill deleted")],
];

/** `webhook` is the one to change, or `null` for a new one, whose name is none of `taken`. `onCreated` receives the secret of a new one. */
export function WebhookForm({
  owner,
  webhook,
  taken = [],
  onClose,
  onCreated,
}: {
  owner: OwnerAsked;
  webhook: Webhook | null;
  taken?: readonly string[];
  onClose: () => void;
  onCreated?: (secret: string) => void;
}): ReactNode {
  const client = useQueryClient();
  const [name, setName] = useState(webhook?.name ?? "");
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<Event[]>(webhook?.events ?? EVENTS.map(([event]) => event));
  const [isActive, setActive] = useState(webhook?.enabled ?? true);
  const isTaken = webhook === null && taken.includes(name.trim());
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call("webhooks.set", {
        path: { name: name.trim() },
        body: { ...owner, url: url.trim(), events, enabled: isActive },
      }),
    onSuccess: async ({ secret }) => {
      onClose();
      if (secret === undefined) toast(t("Webhook saved."));
      else onCreated?.(secret);
      await client.invalidateQueries({ predicate: ({ queryKey: [subject] }) => /^webhooks?$/.test(String(subject)) });
    },
  });
  return (
    <FormWindow
      title={webhook === null ? t("Create webhook") : t("Edit {name}", { name: visible(webhook.name) })}
      button={isPending ? t("Saving…") : webhook === null ? t("Create") : t("Save")}
      isBusy={isPending}
      isIncomplete={events.length === 0 || isTaken}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      {webhook === null && (
        <Field
          label={t("Name")}
          value={name}
          onChange={setName}
          isRequired
          autoFocus
          help={t("Letters, digits and . _ -")}
        />
      )}
      {isTaken && <p className="bad">{t("A webhook has this name. Enter another.")}</p>}
      <Field
        label={t("URL")}
        type="url"
        value={url}
        onChange={setUrl}
        isRequired
        autoFocus={webhook !== null}
        placeholder="https://ci.example.com/hooks/skills"
        help={t("The gateway sends requests to this address. It must be public and use https.")}
      />
      <Checks label={t("Events")} value={events} options={EVENTS} onChange={setEvents} />
      <Check isSelected={isActive} onChange={setActive}>
        {t("Active: receives events")}
      </Check>
    </FormWindow>
  );
}
