// Shows the hosts that a skill's code can call and the user's values for them. Approves hosts, and sets or deletes values.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { SkillEnv, SkillNetwork } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Card } from "../parts/card";
import { Confirm } from "../parts/confirm";
import { Button, Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { toast } from "../parts/toast";

/** Nothing is shown for a skill that declares no host and has none approved. */
export function Network({ id, mayApprove }: { id: string; mayApprove: boolean }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "network"],
    queryFn: ({ signal }) => call("skills.network", { path: { id } }, signal),
  });
  // The key of the session decides whether the user can store values.
  const hasValues = useMe().rights.namespaces.some(({ namespace, secrets }) => namespace === "default" && secrets);
  return (
    <Answer of={answer} what="the hosts">
      {(network) =>
        network.declared.length + network.approved.length === 0 ? null : (
          <>
            <Hosts id={id} network={network} mayApprove={mayApprove} />
            {hasValues && <Variables id={id} />}
          </>
        )
      }
    </Answer>
  );
}

function Hosts({ id, network, mayApprove }: { id: string; network: SkillNetwork; mayApprove: boolean }): ReactNode {
  const { declared, approved, waiting } = network;
  /** The hosts to approve, or the host to withdraw. */
  const [asked, ask] = useState<{ approve: string[] } | { revoke: string } | null>(null);
  const hosts = [...declared, ...approved.filter((host) => !declared.includes(host))];
  return (
    <Card
      title="Hosts that its code calls"
      isFlush
      {...(mayApprove &&
        waiting.length > 1 && { aside: <Button onPress={() => ask({ approve: waiting })}>Approve all</Button> })}
    >
      <Table name="Hosts that its code calls" heads={mayApprove ? ["Host", "State", ""] : ["Host", "State"]}>
        {hosts.map((host) => {
          const isApproved = approved.includes(host);
          return (
            <tr key={host}>
              <td className="long">
                <Plain>{host}</Plain>
              </td>
              <td>
                {isApproved ? <span className="tag good">approved</span> : <span className="tag warn">waiting</span>}
                {!declared.includes(host) && <span className="tag">not declared</span>}
              </td>
              {mayApprove && (
                <td>
                  <div className="row tight">
                    {isApproved ? (
                      <Button
                        kind="danger"
                        aria-label={`Revoke ${visible(host)}`}
                        onPress={() => ask({ revoke: host })}
                      >
                        Revoke
                      </Button>
                    ) : (
                      <Button aria-label={`Approve ${visible(host)}`} onPress={() => ask({ approve: [host] })}>
                        Approve
                      </Button>
                    )}
                  </div>
                </td>
              )}
            </tr>
          );
        })}
      </Table>
      {asked !== null &&
        ("approve" in asked ? (
          <Confirm
            title={`Approve ${visible(asked.approve.join(", "))}?`}
            button="Approve"
            kind="main"
            done="Approved."
            act={() =>
              call("skills.approveNetwork", { path: { id }, body: { hosts: [...approved, ...asked.approve] } })
            }
            onClose={() => ask(null)}
          >
            Code of this skill can then send what it reads, and the values of its users, to this address.
          </Confirm>
        ) : (
          <Confirm
            title={`Revoke ${visible(asked.revoke)}?`}
            button="Revoke"
            done="Revoked."
            act={() =>
              call("skills.approveNetwork", {
                path: { id },
                body: { hosts: approved.filter((host) => host !== asked.revoke) },
              })
            }
            onClose={() => ask(null)}
          >
            Requests of its code to this host fail from the next run.
          </Confirm>
        ))}
    </Card>
  );
}

function Variables({ id }: { id: string }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "env"],
    queryFn: ({ signal }) => call("skillEnv.get", { path: { skill: id } }, signal),
  });
  const [form, setForm] = useState<string | null>(null);
  const [lost, setLost] = useState<string | null>(null);
  return (
    <Answer of={answer} what="the variables">
      {(variables) => {
        const names = [...new Set([...variables.env, ...variables.values.map(({ name }) => name)])];
        return names.length === 0 ? null : (
          <Card title="Variables" isFlush>
            <Table name="Variables" heads={["Variable", "Value", "Sent to", "Set", ""]}>
              {names.map((name) => (
                <Row key={name} name={name} variables={variables} set={setForm} remove={setLost} />
              ))}
            </Table>
            {form !== null && <ValueForm id={id} name={form} hosts={variables.network} onClose={() => setForm(null)} />}
            {lost !== null && (
              <Confirm
                title={`Delete your value of ${visible(lost)}?`}
                button="Delete"
                done="Value deleted."
                act={() => call("skillEnv.delete", { path: { skill: id }, query: { name: lost } })}
                onClose={() => setLost(null)}
              >
                The code of this skill then runs without it, or with a shared value. The value cannot be restored.
              </Confirm>
            )}
          </Card>
        );
      }}
    </Answer>
  );
}

function Row({
  name,
  variables: { values, env, network },
  set,
  remove,
}: {
  name: string;
  variables: SkillEnv;
  set: (name: string) => void;
  remove: (name: string) => void;
}): ReactNode {
  const used = values.find((value) => value.name === name && !value.shared) ?? values.find((one) => one.name === name);
  const isOwn = used?.shared === false;
  const isDeclared = env.includes(name);
  const unused = used === undefined ? [] : network.filter((host) => !used.hosts.includes(host));
  return (
    <tr>
      <td>
        <Plain>{name}</Plain>
      </td>
      <td>
        {used === undefined ? (
          <span className="tag warn">not set</span>
        ) : (
          <span className="tag good">{isOwn ? "set" : "shared"}</span>
        )}
        {!isDeclared && <span className="tag">not declared</span>}
      </td>
      <td className="long">
        <Plain>{used === undefined ? "–" : used.hosts.join(", ")}</Plain>
        {unused.length > 0 && (
          <p className="soft">
            Not sent to <Plain>{unused.join(", ")}</Plain>. Set it again to include these hosts.
          </p>
        )}
      </td>
      <td>{used === undefined ? "–" : <When at={used.updated_at} />}</td>
      <td>
        <div className="row tight">
          {isDeclared && network.length > 0 && (
            <Button aria-label={`${isOwn ? "Replace" : "Set"} ${visible(name)}`} onPress={() => set(name)}>
              {isOwn ? "Replace" : "Set"}
            </Button>
          )}
          {isOwn && (
            <Button kind="danger" aria-label={`Delete ${visible(name)}`} onPress={() => remove(name)}>
              Delete
            </Button>
          )}
        </div>
      </td>
    </tr>
  );
}

function ValueForm({
  id,
  name,
  hosts,
  onClose,
}: {
  id: string;
  name: string;
  hosts: readonly string[];
  onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  const [value, setValue] = useState("");
  const { mutate, error, isPending } = useMutation({
    // The hosts that this form shows, even if a version that declares more became current meanwhile.
    mutationFn: () =>
      call("skillEnv.set", { path: { skill: id }, body: { values: { [name]: value }, hosts: [...hosts] } }),
    onSuccess: async () => {
      onClose();
      toast("Value stored.");
      await client.invalidateQueries({ queryKey: ["skill", id, "env"] });
    },
  });
  return (
    <FormWindow
      title={`Value of ${visible(name)}`}
      button={isPending ? "Storing…" : "Store"}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field
        label="Value"
        type="password"
        autoComplete="off"
        value={value}
        onChange={setValue}
        isRequired
        autoFocus
        help={`At least 8 characters. The value is not shown again. It is sent only to ${visible(hosts.join(", "))}.`}
      />
    </FormWindow>
  );
}
