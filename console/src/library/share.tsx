// Shares a skill with a group: publishes a copy of its current version there.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Skill } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Choice } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { visible } from "../parts/text";
import { toast } from "../parts/toast";
import { t } from "../text/text";

/** Returns the groups into which the user can publish, except the one that owns the skill. */
export function useShareTargets({ metadata: { namespace, labels } }: Skill): readonly string[] {
  const { groups, rights } = useMe();
  const open = rights.namespaces.filter(({ publish }) => publish).map((one) => one.namespace);
  return groups.filter((group) => open.includes(group) && (group !== namespace || labels.user_id === "0"));
}

export function Share({
  skill: { metadata, spec, status },
  groups,
  onClose,
}: {
  skill: Skill;
  groups: readonly string[];
  onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  const [group, setGroup] = useState(groups[0] ?? "");
  const { id } = metadata.labels;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("skills.share", { path: { id }, body: { group_name: group } }),
    onSuccess: async () => {
      onClose();
      toast(t("Skill shared."));
      await client.invalidateQueries();
    },
  });
  return (
    <FormWindow
      title={t("Share {name} with a group", { name: visible(metadata.name) })}
      button={isPending ? t("Sharing…") : t("Share")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Choice label={t("Group")} value={group} options={groups.map((one) => [one, visible(one)])} onChange={setGroup} />
      <p className="soft">
        {t("The group gets a copy of version {version}. Later changes of this skill do not reach the copy.", {
          version: visible(spec.version ?? `#${status.version_number}`),
        })}
      </p>
    </FormWindow>
  );
}
