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
import { rich, t } from "../text/text";

/** Nothing is shown for a skill that declares no host and has none approved. */
export function Network({ id, mayApprove }: { id: string; mayApprove: boolean }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "network"],
    queryFn: ({ signal }) => call("skills.network", { path: { id } }, signal),
  });
  // The key of the session decides whether the user can store values.
  const hasValues = useMe().rights.namespaces.some(({ namespace, secrets }) => namespace === "default" && secrets);
  return (
    <Answer of={answer} what={t("the hosts")}>
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
      title={t("Hosts that its code calls")}
      isFlush
      {...(mayApprove &&
        waiting.length > 1 && { aside: <Button onPress={() => ask({ approve: waiting })}>{t("Approve all")}</Button> })}
    >
      <Table
        name={t("Hosts that its code calls")}
        heads={mayApprove ? [t("Host"), t("State"), ""] : [t("Host"), t("State")]}
      >
        {hosts.map((host) => {
          const isApproved = approved.includes(host);
          return (
            <tr key={host}>
              <td className="long">
                <Plain>{host}</Plain>
              </td>
              <td>
                {isApproved ? (
                  <span className="tag good">{t("approved")}</span>
                ) : (
                  <span className="tag warn">{t("waiting")}</span>
                )}
                {!declared.includes(host) && <span className="tag">{t("not declared")}</span>}
              </td>
              {mayApprove && (
                <td>
                  <div className="row tight">
                    {isApproved ? (
                      <Button
                        kind="danger"
                        aria-label={t("Revoke {host}", { host: visible(host) })}
                        onPress={() => ask({ revoke: host })}
                      >
                        {t("Revoke")}
                      </Button>
                    ) : (
                      <Button
                        aria-label={t("Approve {host}", { host: visible(host) })}
                        onPress={() => ask({ approve: [host] })}
                      >
                        {t("Approve")}
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
            title={t("Approve {host}?", { host: visible(asked.approve.join(", ")) })}
            button={t("Approve")}
            kind="main"
            done={t("Approved.")}
            act={() =>
              call("skills.approveNetwork", { path: { id }, body: { hosts: [...approved, ...asked.approve] } })
            }
            onClose={() => ask(null)}
          >
            {t("Code of this skill can then send what it reads, and the values of its users, to this address.")}
          </Confirm>
        ) : (
          <Confirm
            title={t("Revoke {host}?", { host: visible(asked.revoke) })}
            button={t("Revoke")}
            done={t("Revoked.")}
            act={() =>
              call("skills.approveNetwork", {
                path: { id },
                body: { hosts: approved.filter((host) => host !== asked.revoke) },
              })
            }
            onClose={() => ask(null)}
          >
            {t("Requests of its code to this host fail from the next run.")}
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
    <Answer of={answer} what={t("the variables")}>
      {(variables) => {
        const names = [...new Set([...variables.env, ...variables.values.map(({ name }) => name)])];
        return names.length === 0 ? null : (
          <Card title={t("Variables")} isFlush>
            <Table name={t("Variables")} heads={[t("Variable"), t("Value"), t("Sent to"), t("Set"), ""]}>
              {names.map((name) => (
                <Row key={name} name={name} variables={variables} set={setForm} remove={setLost} />
              ))}
            </Table>
            {form !== null && <ValueForm id={id} name={form} hosts={variables.network} onClose={() => setForm(null)} />}
            {lost !== null && (
              <Confirm
                title={t("Delete your value of {name}?", { name: visible(lost) })}
                button={t("Delete")}
                done={t("Value deleted.")}
                act={() => call("skillEnv.delete", { path: { skill: id }, query: { name: lost } })}
                onClose={() => setLost(null)}
              >
                {t(
                  "The code of this skill then runs without it, or with a shared value. The value cannot be restored.",
                )}
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
          <span className="tag warn">{t("not set")}</span>
        ) : (
          <span className="tag good">{isOwn ? t("set") : t("shared")}</span>
        )}
        {!isDeclared && <span className="tag">{t("not declared")}</span>}
      </td>
      <td className="long">
        <Plain>{used === undefined ? "–" : used.hosts.join(", ")}</Plain>
        {unused.length > 0 && (
          <p className="soft">
            {rich("Not sent to {hosts}. Set it again to include these hosts.", {
              hosts: <Plain>{unused.join(", ")}</Plain>,
            })}
          </p>
        )}
      </td>
      <td>{used === undefined ? "–" : <When at={used.updated_at} />}</td>
      <td>
        <div className="row tight">
          {isDeclared && network.length > 0 && (
            <Button
              aria-label={t(isOwn ? "Replace {name}" : "Set {name}", { name: visible(name) })}
              onPress={() => set(name)}
            >
              {isOwn ? t("Replace") : t("Set")}
            </Button>
          )}
          {isOwn && (
            <Button kind="danger" aria-label={t("Delete {name}", { name: visible(name) })} onPress={() => remove(name)}>
              {t("Delete")}
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
      toast(t("Value stored."));
      await client.invalidateQueries({ queryKey: ["skill", id, "env"] });
    },
  });
  return (
    <FormWindow
      title={t("Value of {name}", { name: visible(name) })}
      button={isPending ? t("Storing…") : t("Store")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field
        label={t("Value")}
        type="password"
        autoComplete="off"
        value={value}
        onChange={setValue}
        isRequired
        autoFocus
        help={t("At least 8 characters. The value is not shown again. It is sent only to {hosts}.", {
          hosts: visible(hosts.join(", ")),
        })}
      />
    </FormWindow>
  );
}
