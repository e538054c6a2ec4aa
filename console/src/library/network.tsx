// Shows the hosts that a skill's code can call and the user's values for them. Approves hosts, and sets or deletes values.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { SkillEnv, SkillNetwork } from "../../../sdk/src/generated/operations";
import { call, callTagged } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Card } from "../parts/card";
import { Confirm } from "../parts/confirm";
import { Button, Check, Field } from "../parts/controls";
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
    queryFn: ({ signal }) => callTagged("skills.network", { path: { id } }, { signal }),
  });
  const me = useMe();
  // The key of the session decides whether the user can store values.
  const hasValues = me.rights.namespaces.some(({ namespace, secrets }) => namespace === "default" && secrets);
  return (
    <Answer of={answer} what={t("the hosts")}>
      {({ answer: network, tag }) =>
        network.declared.length + network.approved.length === 0 ? null : (
          <>
            <Hosts id={id} network={network} tag={tag} mayApprove={mayApprove} />
            {hasValues && <Variables id={id} mayShare={me.role === "admin"} />}
          </>
        )
      }
    </Answer>
  );
}

function Hosts({
  id,
  network,
  tag,
  mayApprove,
}: {
  id: string;
  network: SkillNetwork;
  tag: string;
  mayApprove: boolean;
}): ReactNode {
  const { declared, approved, waiting } = network;
  const client = useQueryClient();
  /** The hosts to approve, or the host to withdraw, and the state in which the user saw them. */
  const [asked, setAsked] = useState<(({ approve: string[] } | { revoke: string }) & { change: Change }) | null>(null);
  const ask = (question: { approve: string[] } | { revoke: string } | null) =>
    setAsked(question && { ...question, change: { approved, tag } });
  const put = async (hosts: string[], seen: string) => {
    try {
      return await callTagged("skills.approveNetwork", { path: { id }, body: { hosts } }, { tag: seen });
    } catch (error) {
      // The page behind the dialog shows the hosts to review.
      await client.invalidateQueries({ queryKey: ["skill", id, "network"] });
      throw error;
    }
  };
  const hosts = [...declared, ...approved.filter((host) => !declared.includes(host))];
  return (
    <Card
      title={t("Hosts called by code")}
      isFlush
      {...(mayApprove &&
        waiting.length > 1 && { aside: <Button onPress={() => ask({ approve: waiting })}>{t("Approve all")}</Button> })}
    >
      <Table
        name={t("Hosts called by code")}
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
            act={() => put([...asked.change.approved, ...asked.approve], asked.change.tag)}
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
              put(
                asked.change.approved.filter((host) => host !== asked.revoke),
                asked.change.tag,
              )
            }
            onClose={() => ask(null)}
          >
            {t("Requests of its code to this host fail from the next run.")}
          </Confirm>
        ))}
    </Card>
  );
}

/** The approved hosts that a change begins with, and their tag. */
interface Change {
  approved: readonly string[];
  tag: string;
}

/** A value in a form or a question: the user's own, or that of all users of the skill. */
interface Target {
  name: string;
  isShared: boolean;
}

function Variables({ id, mayShare }: { id: string; mayShare: boolean }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "env"],
    queryFn: ({ signal }) => call("skillEnv.get", { path: { skill: id } }, signal),
  });
  const [form, setForm] = useState<Target | null>(null);
  const [lost, setLost] = useState<Target | null>(null);
  return (
    <Answer of={answer} what={t("the variables")}>
      {(variables) => {
        const names = [...new Set([...variables.env, ...variables.values.map(({ name }) => name)])];
        return names.length === 0 ? null : (
          <Card title={t("Variables")} isFlush>
            <Table name={t("Variables")} heads={[t("Variable"), t("Value"), t("Sent to"), t("Set"), ""]}>
              {names.flatMap((name) =>
                usedOf(variables, name, mayShare).map((used) => (
                  <Row
                    key={`${name} ${used?.shared === true}`}
                    {...{ name, used, variables, mayShare }}
                    set={setForm}
                    remove={setLost}
                  />
                )),
              )}
            </Table>
            {form !== null && (
              <ValueForm
                id={id}
                target={form}
                hosts={variables.network}
                mayShare={mayShare}
                onClose={() => setForm(null)}
              />
            )}
            {lost !== null && (
              <Confirm
                title={t(lost.isShared ? "Delete the shared value of {name}?" : "Delete your value of {name}?", {
                  name: visible(lost.name),
                })}
                button={t("Delete")}
                done={t("Value deleted.")}
                act={() => {
                  const query = { name: lost.name };
                  return lost.isShared
                    ? call("skills.deleteEnv", { path: { id }, query })
                    : call("skillEnv.delete", { path: { skill: id }, query });
                }}
                onClose={() => setLost(null)}
              >
                {lost.isShared
                  ? t(
                      "The code of this skill then runs without it for all users who have no value of their own. The value cannot be restored.",
                    )
                  : t(
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

type Value = SkillEnv["values"][number];

/** Returns the value that is used for a variable, or `null`. Admins also get a shared one behind their own. */
function usedOf({ values }: SkillEnv, name: string, mayShare: boolean): (Value | null)[] {
  const all = values.filter((value) => value.name === name).sort((one, other) => +one.shared - +other.shared);
  if (all.length === 0) return [null];
  return mayShare ? all : all.slice(0, 1);
}

function Row({
  name,
  used,
  variables: { env, network },
  mayShare,
  set,
  remove,
}: {
  name: string;
  used: Value | null;
  variables: SkillEnv;
  mayShare: boolean;
  set: (target: Target) => void;
  remove: (target: Target) => void;
}): ReactNode {
  const isSet = used !== null;
  const isShared = used?.shared === true;
  // Others set their own value in place of a shared one.
  const isEditable = isSet && (mayShare || !isShared);
  const target = { name, isShared: isShared && mayShare };
  const label = { name: visible(name) };
  const isDeclared = env.includes(name);
  const unused = used === null ? [] : network.filter((host) => !used.hosts.includes(host));
  return (
    <tr>
      <td>
        <Plain>{name}</Plain>
      </td>
      <td>
        {isSet ? (
          <span className="tag good">{isShared ? t("shared") : t("set")}</span>
        ) : (
          <span className="tag warn">{t("not set")}</span>
        )}
        {!isDeclared && <span className="tag">{t("not declared")}</span>}
      </td>
      <td className="long">
        <Plain>{used === null ? "–" : used.hosts.join(", ")}</Plain>
        {unused.length > 0 && (
          <p className="soft">
            {rich("Not sent to {hosts}. Set it again to include these hosts.", {
              hosts: <Plain>{unused.join(", ")}</Plain>,
            })}
          </p>
        )}
      </td>
      <td>{used === null ? "–" : <When at={used.updated_at} />}</td>
      <td>
        <div className="row tight">
          {isDeclared && network.length > 0 && (
            <Button
              aria-label={
                target.isShared
                  ? t("Replace the shared value of {name}", label)
                  : t(isEditable ? "Replace {name}" : "Set {name}", label)
              }
              onPress={() => set(target)}
            >
              {isEditable ? t("Replace") : t("Set")}
            </Button>
          )}
          {isEditable && (
            <Button
              kind="danger"
              aria-label={t(isShared ? "Delete the shared value of {name}" : "Delete {name}", label)}
              onPress={() => remove(target)}
            >
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
  target: { name, isShared },
  hosts,
  mayShare,
  onClose,
}: {
  id: string;
  target: Target;
  hosts: readonly string[];
  mayShare: boolean;
  onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  const [value, setValue] = useState("");
  const [sharesIt, setSharesIt] = useState(isShared);
  const { mutate, error, isPending } = useMutation({
    // The hosts that this form shows, even if a version that declares more became current meanwhile.
    mutationFn: () => {
      const body = { values: { [name]: value }, hosts: [...hosts] };
      return sharesIt
        ? call("skills.setEnv", { path: { id }, body })
        : call("skillEnv.set", { path: { skill: id }, body });
    },
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
      {mayShare && (
        <Check isSelected={sharesIt} onChange={setSharesIt}>
          {t("Share with all users of this skill who have no value of their own")}
        </Check>
      )}
    </FormWindow>
  );
}
