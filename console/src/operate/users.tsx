// Lists users and their usage for admins. Only the user can read the content of a conversation.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Users as UsersIcon } from "lucide-react";
import type { ReactNode } from "react";
import { slice } from "../gateway/call";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, When } from "../parts/text";
import { PEOPLE_TABS } from "../shell/places";
import { t } from "../text/text";

const ROWS = 50;
/** The gateway stops counting at this number. */
const MOST = 1_000;
const COUNTS = [t("Keys"), t("Groups"), t("Skills"), t("Agents"), t("Conversations")] as const;
const route = getRouteApi("/users");
const count = (number: number) => (number >= MOST ? t("{count} or more", { count: figure(MOST) }) : figure(number));

export function Users(): ReactNode {
  const { cursor } = route.useSearch();
  const answer = useQuery({
    queryKey: ["users", cursor],
    queryFn: ({ signal }) =>
      slice("users.list", { query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  return (
    <Page
      title={t("People and groups")}
      lead={t("Users and the number of things they own. Only a user can read their own conversations.")}
      tabs={PEOPLE_TABS}
    >
      <Answer of={answer} what={t("the users")}>
        {({ items, next }) =>
          items.length === 0 && cursor === undefined ? (
            <Empty icon={UsersIcon} title={t("No users yet")}>
              <p>{t("Create an API key for a user, and the user appears here.")}</p>
            </Empty>
          ) : (
            <>
              <Table name={t("Users")} heads={[t("User"), t("Last active"), ...COUNTS.map((num) => ({ num }))]}>
                {items.map(({ user_id, is_admin, last_used_at, keys, groups, skills, ghosts, conversations }) => (
                  <tr key={user_id}>
                    <th scope="row">
                      <Plain>{user_id}</Plain>
                      {is_admin && <span className="tag">{t("admin")}</span>}
                    </th>
                    <td>
                      <When at={last_used_at} />
                    </td>
                    <td className="num">{count(keys)}</td>
                    <td className="num">{count(groups)}</td>
                    <td className="num">{count(skills)}</td>
                    <td className="num">{count(ghosts)}</td>
                    <td className="num">{count(conversations)}</td>
                  </tr>
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
    </Page>
  );
}
