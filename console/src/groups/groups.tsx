// Lists groups (the user's own with their role, all for admins) and creates groups.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Users } from "lucide-react";
import { type ReactNode, useState } from "react";
import { call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Card } from "../parts/card";
import { Button, Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, When } from "../parts/text";
import { PEOPLE_TABS } from "../shell/places";
import { t } from "../text/text";
import { RoleTable } from "./roles";

const ROWS = 50;
const route = getRouteApi("/groups");

export function Groups(): ReactNode {
  const { rights } = useMe();
  const { cursor, new: isMaking } = route.useSearch();
  const navigate = useNavigate({ from: "/groups" });
  const setMaking = (next: boolean) =>
    void navigate({ search: ({ new: _, ...words }) => (next ? { ...words, new: "1" } : words) });
  const answer = useQuery({
    queryKey: ["groups", rights.operate, cursor],
    queryFn: ({ signal }) =>
      slice(
        "groups.list",
        {
          query: {
            limit: ROWS,
            ...(rights.operate ? { all: true } : {}),
            ...(cursor === undefined ? {} : { cursor }),
          },
        },
        signal,
      ),
  });
  return (
    <Page
      title={t("People and groups")}
      lead={t("Members of a group share its skills, agents, servers and models.")}
      tabs={PEOPLE_TABS}
      actions={
        rights.make_groups && (
          <Button kind="main" onPress={() => setMaking(true)}>
            {t("Create group")}
          </Button>
        )
      }
    >
      <Answer of={answer} what={t("the groups")}>
        {({ items, next }) =>
          items.length === 0 && cursor === undefined ? (
            <Empty icon={Users} title={t("No groups yet")}>
              <p>{t("Create a group, or ask the owner of a group to add you.")}</p>
            </Empty>
          ) : (
            <>
              <Table name={t("Groups")} heads={[t("Group"), t("My role"), t("Created by"), t("Created")]}>
                {items.map(({ name, display_name, role, created_by, created_at }) => (
                  <tr key={name}>
                    <td>
                      <Link to="/groups/$name" params={{ name }}>
                        <Plain>{name}</Plain>
                      </Link>
                      {display_name !== null && (
                        <div className="soft">
                          <Plain>{display_name}</Plain>
                        </div>
                      )}
                    </td>
                    <td>{t(role ?? "none")}</td>
                    <td>
                      <Plain>{created_by}</Plain>
                    </td>
                    <td>
                      <When at={created_at} />
                    </td>
                  </tr>
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
      <Card title={t("Roles")} aside={t("Each role includes those above it")} isFlush>
        <RoleTable />
      </Card>
      {isMaking !== undefined && <NewGroup onClose={() => setMaking(false)} />}
    </Page>
  );
}

function NewGroup({ onClose }: { onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [shown, setShown] = useState("");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call("groups.create", {
        body: { name: name.trim(), ...(shown.trim() === "" ? {} : { display_name: shown.trim() }) },
      }),
    onSuccess: async (made) => {
      await client.invalidateQueries();
      await navigate({ to: "/groups/$name", params: { name: made.name } });
    },
  });
  return (
    <FormWindow
      title={t("Create group")}
      button={t("Create")}
      isBusy={isPending}
      isIncomplete={name.trim() === ""}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field
        label={t("Name")}
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        help={t("The name cannot be changed. You become the owner.")}
      />
      <Field label={t("Display name")} value={shown} onChange={setShown} />
    </FormWindow>
  );
}
