// Lists groups (the user's own with their role, all for admins) and creates groups.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Form } from "react-aria-components";
import { call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Button, Field, Window } from "../parts/controls";
import { Pages } from "../parts/pages";
import { Answer, Empty, Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, When } from "../parts/text";
import { Title } from "../parts/title";
import { RoleTable } from "./roles";

const ROWS = 50;
const route = getRouteApi("/groups");

export function Groups(): ReactNode {
  const { rights } = useMe();
  const { cursor } = route.useSearch();
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
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <Title>Groups</Title>
      {rights.make_groups && (
        <p>
          <Button kind="main" onPress={() => setMaking(true)}>
            Make a group
          </Button>
        </p>
      )}
      <Answer of={answer} what="the groups">
        {({ items, next }) =>
          items.length === 0 && cursor === undefined ? (
            <Empty title="You are in no group">
              <p>
                Members of a group have its skills, ghosts, servers and models together. Its Owner adds you by your
                name.
              </p>
            </Empty>
          ) : (
            <>
              <Table name="Groups" heads={["Group", "My role", "Made by", "Made"]}>
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
                    <td>{role ?? "none"}</td>
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
      <h2>What each role may</h2>
      <RoleTable />
      {isMaking && <NewGroup onClose={() => setMaking(false)} />}
    </>
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
    <Window title="Make a group" onClose={onClose}>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Field label="Name" value={name} onChange={setName} isRequired autoFocus help="It stays. You are its Owner." />
        <Field label="Shown as" value={shown} onChange={setShown} help="What people call it." />
        {error !== null && <Trouble error={error} />}
        <div className="row">
          <Button kind="main" type="submit" isDisabled={isPending || name.trim() === ""}>
            Make it
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </div>
      </Form>
    </Window>
  );
}
