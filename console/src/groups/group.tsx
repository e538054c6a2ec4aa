// Shows one group: its usage, its members with their roles, and its deletion.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Form } from "react-aria-components";
import type { GroupInFull } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Confirm } from "../parts/confirm";
import { Button, Field, Window } from "../parts/controls";
import { Answer, Trouble } from "../parts/state";
import { figure, Plain, visible } from "../parts/text";
import { Title } from "../parts/title";
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
    <>
      <Title>{name}</Title>
      <Answer of={answer} what="the group">
        {(group) => <Shown group={group} />}
      </Answer>
    </>
  );
}

function Shown({ group }: { group: GroupInFull }): ReactNode {
  const { user_id, rights } = useMe();
  const navigate = useNavigate();
  const [asked, ask] = useState<"rename" | "leave" | "delete" | null>(null);
  const close = () => ask(null);
  const away = () => navigate({ to: "/groups" });
  const { name, display_name, role, quotas } = group;
  const manages = rights.operate || role === "Owner";
  return (
    <>
      {display_name !== null && (
        <p className="lead">
          <Plain>{display_name}</Plain>
        </p>
      )}
      <p>
        {role === null
          ? "You are not in it: you see it as an admin."
          : `You are ${role === "Owner" ? "its" : "a"} ${role}.`}{" "}
        {figure(quotas.skills.used)} skills of {figure(quotas.skills.limit)}, {figure(quotas.ghosts.used)} ghosts of{" "}
        {figure(quotas.ghosts.limit)}.{" "}
        {role !== null && (
          <Link to="/" search={{ from: `group:${name}` }}>
            See its skills
          </Link>
        )}
      </p>
      <div className="row">
        {manages && <Button onPress={() => ask("rename")}>Rename</Button>}
        {role !== null && <Button onPress={() => ask("leave")}>Leave</Button>}
        {manages && (
          <Button kind="danger" onPress={() => ask("delete")}>
            Delete the group
          </Button>
        )}
      </div>
      <Members name={name} role={role} />
      <h2>What each role may</h2>
      <RoleTable />
      {asked === "rename" && <Rename group={group} onClose={close} />}
      {asked === "leave" && (
        <Confirm
          title={`Leave ${visible(name)}?`}
          button="Leave"
          act={() => call("members.remove", { path: { name, user_id } })}
          onClose={close}
          onDone={away}
        >
          You have none of its skills, ghosts and servers any more, until somebody adds you again.
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={`Delete ${visible(name)}?`}
          button="Delete it"
          act={() => call("groups.delete", { path: { name } })}
          onClose={close}
          onDone={away}
        >
          Its members and secrets go with it. It can only be deleted once it has no skills and no ghosts.
        </Confirm>
      )}
    </>
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
    <Window title={`Rename ${visible(name)}`} onClose={onClose}>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Field
          label="Shown as"
          value={shown}
          onChange={setShown}
          autoFocus
          help="Its name stays. Empty: no other one."
        />
        {error !== null && <Trouble error={error} />}
        <div className="row">
          <Button kind="main" type="submit" isDisabled={isPending}>
            Rename it
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </div>
      </Form>
    </Window>
  );
}
