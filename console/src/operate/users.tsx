// Lists users and their usage for admins. Only the user can read the content of a conversation.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { slice } from "../gateway/call";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, When } from "../parts/text";
import { Title } from "../parts/title";

const ROWS = 50;
/** The gateway stops counting at this number. */
const MOST = 1_000;
const route = getRouteApi("/users");
const count = (number: number) => (number >= MOST ? `${figure(MOST)} or more` : figure(number));

export function Users(): ReactNode {
  const { cursor } = route.useSearch();
  const answer = useQuery({
    queryKey: ["users", cursor],
    queryFn: ({ signal }) =>
      slice("users.list", { query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  return (
    <>
      <Title>Users</Title>
      <Answer of={answer} what="the users">
        {({ items, next }) =>
          items.length === 0 && cursor === undefined ? (
            <Empty title="There is no user yet">
              <p>A user is there with the first key that is made for them.</p>
            </Empty>
          ) : (
            <>
              <Table name="Users" heads={["User", "Last here", "Keys", "Groups", "Skills", "Ghosts", "Conversations"]}>
                {items.map(({ user_id, is_admin, last_used_at, keys, groups, skills, ghosts, conversations }) => (
                  <tr key={user_id}>
                    <th scope="row">
                      <Plain>{user_id}</Plain>
                      {is_admin && <span className="tag">admin</span>}
                    </th>
                    <td>
                      <When at={last_used_at} />
                    </td>
                    <td>{count(keys)}</td>
                    <td>{count(groups)}</td>
                    <td>{count(skills)}</td>
                    <td>{count(ghosts)}</td>
                    <td>{count(conversations)}</td>
                  </tr>
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
    </>
  );
}
