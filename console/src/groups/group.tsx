// Shows one group: its usage, its members with their roles, and its deletion.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { GroupInFull } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Card } from "../parts/card";
import { Confirm } from "../parts/confirm";
import { Button, Choice, Field } from "../parts/controls";
import { Facts } from "../parts/facts";
import { FormWindow } from "../parts/form-window";
import { Page } from "../parts/page";
import { Answer } from "../parts/state";
import { figure, Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { Members } from "./members";
import { RoleTable } from "./roles";

const route = getRouteApi("/groups/$name");

export function GroupPage(): ReactNode {
  const { name } = route.useParams();
  const answer = useQuery({
    queryKey: ["group", name],
    queryFn: ({ signal }) => call("groups.get", { path: { name } }, signal),
  });
  return (
    <Answer of={answer} what={t("the group")}>
      {(group) => <Shown group={group} />}
    </Answer>
  );
}

function Shown({ group }: { group: GroupInFull }): ReactNode {
  const { user_id, rights } = useMe();
  const navigate = useNavigate();
  const [asked, ask] = useState<"rename" | "review" | "leave" | "delete" | null>(null);
  const close = () => ask(null);
  const away = () => navigate({ to: "/groups" });
  const { name, display_name, review, role, quotas } = group;
  const manages = rights.operate || role === "Owner";
  return (
    <Page
      title={name}
      crumbs={[{ name: t("Groups"), to: "/groups" }]}
      lead={display_name !== null && <Plain>{display_name}</Plain>}
      actions={
        <>
          {role !== null && (
            <Link className="button plain" to="/skills" search={{ from: `group:${name}` }}>
              {t("Skills")}
            </Link>
          )}
          {manages && <Button onPress={() => ask("rename")}>{t("Rename")}</Button>}
          {manages && <Button onPress={() => ask("review")}>{t("Review")}</Button>}
          {role !== null && <Button onPress={() => ask("leave")}>{t("Leave")}</Button>}
          {manages && (
            <Button kind="danger" onPress={() => ask("delete")}>
              {t("Delete group")}
            </Button>
          )}
        </>
      }
    >
      <Facts
        of={[
          [t("Your role"), t(role ?? "none (you see this group as an admin)")],
          [t("Review"), REVIEWS[review ?? "default"]],
          [
            t("Skills"),
            t("{used} of {limit}", { used: figure(quotas.skills.used), limit: figure(quotas.skills.limit) }),
          ],
          [
            t("Agents"),
            t("{used} of {limit}", { used: figure(quotas.ghosts.used), limit: figure(quotas.ghosts.limit) }),
          ],
        ]}
      />
      <Members name={name} role={role} />
      <Card title={t("Roles")} isFlush>
        <RoleTable />
      </Card>
      {asked === "rename" && <Rename group={group} onClose={close} />}
      {asked === "review" && <ReviewWindow group={group} onClose={close} />}
      {asked === "leave" && (
        <Confirm
          title={t("Leave {name}?", { name: visible(name) })}
          button={t("Leave")}
          done={t("You left the group.")}
          act={() => call("members.remove", { path: { name, user_id } })}
          onClose={close}
          onDone={away}
        >
          {t("You lose access to its skills, agents and servers until somebody adds you again.")}
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={t("Delete {name}?", { name: visible(name) })}
          button={t("Delete")}
          done={t("Group deleted.")}
          act={() => call("groups.delete", { path: { name } })}
          onClose={close}
          onDone={away}
        >
          {t("Its memberships and secrets are deleted. A group with skills or agents cannot be deleted.")}
        </Confirm>
      )}
    </Page>
  );
}

/** What each value of a group's review means. */
const REVIEWS = {
  default: t("as the operator set it"),
  required: t("required: new versions are published by approval only"),
  optional: t("optional: drafts can be submitted"),
  off: t("off: drafts cannot be submitted"),
};

function ReviewWindow({ group, onClose }: { group: GroupInFull; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const { name, display_name, review } = group;
  const [value, setValue] = useState<keyof typeof REVIEWS>(review ?? "default");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call("groups.rename", { path: { name }, body: { display_name, review: value === "default" ? null : value } }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries();
    },
  });
  return (
    <FormWindow
      title={t("Review of {name}", { name: visible(name) })}
      button={t("Save")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Choice
        label={t("Review")}
        value={value}
        options={[
          ["default", REVIEWS.default],
          ["required", REVIEWS.required],
          ["optional", REVIEWS.optional],
          ["off", REVIEWS.off],
        ]}
        onChange={setValue}
      />
    </FormWindow>
  );
}

function Rename({ group: { name, display_name }, onClose }: { group: GroupInFull; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const [shown, setShown] = useState(display_name ?? "");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call("groups.rename", { path: { name }, body: { display_name: shown.trim() === "" ? null : shown.trim() } }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries();
    },
  });
  return (
    <FormWindow
      title={t("Rename {name}", { name: visible(name) })}
      button={t("Rename")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field
        label={t("Display name")}
        value={shown}
        onChange={setShown}
        autoFocus
        help={t("The name of the group stays. Leave this empty to show the name.")}
      />
    </FormWindow>
  );
}
