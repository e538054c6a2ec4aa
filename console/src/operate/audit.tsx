// The audit log: who changed what, newest first.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Form } from "react-aria-components";
import { type RequestOf, slice } from "../gateway/call";
import { Button, Field } from "../parts/controls";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, When } from "../parts/text";
import { Title } from "../parts/title";

const ROWS = 50;
const route = getRouteApi("/audit");
type Action = NonNullable<NonNullable<RequestOf<"audit.list">["query"]>["action"]>;

export function Audit(): ReactNode {
  const { actor, action, cursor } = route.useSearch();
  const answer = useQuery({
    queryKey: ["audit", actor, action, cursor],
    queryFn: ({ signal }) =>
      slice(
        "audit.list",
        {
          query: {
            limit: ROWS,
            ...(actor === undefined ? {} : { actor }),
            // The gateway says which there are, to whoever names another one.
            ...(action === undefined ? {} : { action: action as Action }),
            ...(cursor === undefined ? {} : { cursor }),
          },
        },
        signal,
      ),
  });
  return (
    <>
      <Title>Audit</Title>
      <Filters key={`${actor ?? ""} ${action ?? ""}`} />
      <Answer of={answer} what="the records">
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty title="There is no such record" />
          ) : (
            <>
              <Table name="Audit records" heads={["When", "Who", "Did", "To", "More"]}>
                {items.map(
                  ({
                    seq,
                    at,
                    actor: who,
                    user_id,
                    action: did,
                    resource_type,
                    resource_id,
                    before,
                    after,
                    request_id,
                  }) => (
                    <tr key={seq}>
                      <td>
                        <When at={at} />
                      </td>
                      <td>
                        <Plain>{user_id === null || user_id === who ? who : `${who} for ${user_id}`}</Plain>
                      </td>
                      <td>{did}</td>
                      <td>
                        {resource_type} <Plain>{resource_id}</Plain>
                      </td>
                      <td>
                        <details>
                          <summary>Show</summary>
                          <pre>
                            <Plain>{JSON.stringify({ before, after, request_id }, null, 2)}</Plain>
                          </pre>
                        </details>
                      </td>
                    </tr>
                  ),
                )}
              </Table>
              {next !== null && (
                <Link
                  className="button plain"
                  from="/audit"
                  to="/audit"
                  search={(words) => ({ ...words, cursor: next })}
                >
                  Older records
                </Link>
              )}
            </>
          )
        }
      </Answer>
    </>
  );
}

function Filters(): ReactNode {
  const words = route.useSearch();
  const [actor, setActor] = useState(words.actor ?? "");
  const [action, setAction] = useState(words.action ?? "");
  const navigate = useNavigate({ from: "/audit" });
  return (
    <Form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({
          search: {
            ...(actor === "" ? {} : { actor: actor.trim() }),
            ...(action === "" ? {} : { action: action.trim() }),
          },
        });
      }}
    >
      <Field label="Who" value={actor} onChange={setActor} />
      <Field label="Did" value={action} onChange={setAction} placeholder="skill.publish" />
      <Button type="submit">Filter</Button>
    </Form>
  );
}
