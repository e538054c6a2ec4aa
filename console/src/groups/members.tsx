// Lists and changes the members of a group. The user's own role decides which changes are available.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Form } from "react-aria-components";
import type { Member } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Confirm } from "../parts/confirm";
import { Button, Choice, Field } from "../parts/controls";
import { Pages } from "../parts/pages";
import { Answer, Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { t } from "../text/text";
import type { Role } from "./roles";

const ROWS = 50;
const EVERY: readonly Role[] = ["Reporter", "Developer", "Maintainer", "Owner"];
const route = getRouteApi("/groups/$name");

export function Members({ name, role }: { name: string; role: Role | null }): ReactNode {
  const { cursor } = route.useSearch();
  const { user_id: me } = useMe();
  const gives = useGives(name);
  const answer = useQuery({
    queryKey: ["members", name, cursor],
    queryFn: ({ signal }) =>
      slice(
        "members.list",
        { path: { name }, query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      ),
  });
  const [lost, setLost] = useState<Member | null>(null);
  return (
    <section className="section" aria-labelledby="members">
      <h2 id="members">{t("Members")}</h2>
      {gives.length > 0 && <Add name={name} gives={gives} />}
      {gives.length === 0 && role !== null && (
        <p className="soft">{t("Maintainers and owners can add members and change roles.")}</p>
      )}
      <Answer of={answer} what={t("the members")}>
        {({ items, next }) => (
          <>
            <Table name={t("Members")} heads={[t("User"), t("Role"), t("Added by"), t("Since"), ""]}>
              {items.map((member) => (
                <tr key={member.user_id}>
                  <td>
                    <Plain>{member.user_id}</Plain>
                    {member.user_id === me && <span className="tag accent">{t("me")}</span>}
                  </td>
                  <td>
                    <RoleOf name={name} member={member} gives={gives} />
                  </td>
                  <td>
                    <Plain>{member.created_by}</Plain>
                  </td>
                  <td>
                    <When at={member.created_at} />
                  </td>
                  <td>
                    {gives.includes(member.role) && member.user_id !== me && (
                      <Button
                        kind="danger"
                        aria-label={t("Remove {user}", { user: visible(member.user_id) })}
                        onPress={() => setLost(member)}
                      >
                        {t("Remove")}
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
            <Pages cursor={cursor} next={next} />
          </>
        )}
      </Answer>
      {lost !== null && (
        <Confirm
          title={t("Remove {user}?", { user: visible(lost.user_id) })}
          button={t("Remove")}
          done={t("Member removed.")}
          act={() => call("members.remove", { path: { name, user_id: lost.user_id } })}
          onClose={() => setLost(null)}
        >
          {t("They lose access to the group's skills, agents and servers. You can add them again.")}
        </Confirm>
      )}
    </section>
  );
}

/** Returns the roles that the user can assign in a group, and remove from members. */
function useGives(group: string): readonly Role[] {
  const { rights } = useMe();
  const here = rights.namespaces.find(({ namespace }) => namespace === group);
  return here?.members ?? (rights.operate ? EVERY : []);
}

/** Selects the role of a member. A change applies immediately and can be reverted the same way. */
function RoleOf({ name, member, gives }: { name: string; member: Member; gives: readonly Role[] }): ReactNode {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (role: Role) => call("members.set", { path: { name, user_id: member.user_id }, body: { role } }),
    onSettled: () => client.invalidateQueries(),
  });
  if (!gives.includes(member.role)) return t(member.role);
  return (
    <>
      <Choice
        label={t("Role of {user}", { user: visible(member.user_id) })}
        isHidden
        value={member.role}
        options={gives.map((role) => [role, t(role)])}
        onChange={mutate}
      />
      {isPending && <span role="status">{t("Saving…")}</span>}
      {error !== null && <Trouble error={error} />}
    </>
  );
}

function Add({ name, gives }: { name: string; gives: readonly Role[] }): ReactNode {
  const client = useQueryClient();
  const [user, setUser] = useState("");
  const [role, setRole] = useState<Role>(gives.includes("Developer") ? "Developer" : (gives[0] ?? "Reporter"));
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("members.set", { path: { name, user_id: user.trim() }, body: { role } }),
    onSuccess: async () => {
      setUser("");
      await client.invalidateQueries();
    },
  });
  return (
    <>
      <Form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Field label={t("User")} value={user} onChange={setUser} isRequired />
        <Choice label={t("Role")} value={role} options={gives.map((one) => [one, t(one)])} onChange={setRole} />
        <Button type="submit" isDisabled={isPending || user.trim() === ""}>
          {t("Add")}
        </Button>
      </Form>
      {error !== null && <Trouble error={error} />}
    </>
  );
}
