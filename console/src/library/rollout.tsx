// Shows the rollout of a version, and starts, changes, promotes and stops it.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type AnswerOf, call } from "../gateway/call";
import { Refusal } from "../gateway/refusal";
import { Card } from "../parts/card";
import { Confirm } from "../parts/confirm";
import { Button, Choice, Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, visible } from "../parts/text";
import { toast } from "../parts/toast";
import { share } from "../parts/use-columns";
import { t } from "../text/text";
import { withWarning } from "./regressed";
import { nameOf, useVersions } from "./versions-of";

type Current = AnswerOf<"skills.rollout">;
type Act = "set" | "promote" | "stop";

/** The share that a new rollout offers, in percent. */
const FIRST_PERCENT = 10;

/** Returns the rollout; `null` if there is none. */
async function rolloutOf(id: string, signal: AbortSignal): Promise<Current | null> {
  try {
    return await call("skills.rollout", { path: { id } }, signal);
  } catch (error) {
    if (error instanceof Refusal && error.code === "ROLLOUT_NOT_FOUND") return null;
    throw error;
  }
}

/** Nothing if the skill has no rollout and the user cannot start one. */
export function Rollout({ id, mayActivate }: { id: string; mayActivate: boolean }): ReactNode {
  // The rollout that the user saw: a dialog keeps its version if a newer answer arrives.
  const [asked, ask] = useState<{ act: Act; rollout: Current | null } | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ["skill", id, "rollout"],
    queryFn: ({ signal }) => rolloutOf(id, signal),
  });
  if (data === undefined && error === null) return null;
  if (data === null && !mayActivate) return null;
  const close = () => ask(null);
  return (
    <Card
      title={t("Rollout")}
      {...(data ? { aside: t("{percent} % of conversations", { percent: data.percent }) } : {})}
    >
      {error !== null && <Trouble error={error} again={() => void refetch()} />}
      {data === null && <Start id={id} onPress={() => ask({ act: "set", rollout: null })} />}
      {data && <Arms of={data} />}
      {data && mayActivate && (
        <div className="row">
          <Button onPress={() => ask({ act: "set", rollout: data })}>{t("Change percentage")}</Button>
          <Button onPress={() => ask({ act: "promote", rollout: data })}>{t("Promote")}</Button>
          <Button onPress={() => ask({ act: "stop", rollout: data })}>{t("Stop rollout")}</Button>
        </div>
      )}
      {asked?.act === "set" && <RolloutForm id={id} rollout={asked.rollout} onClose={close} />}
      {asked?.act === "promote" && asked.rollout !== null && (
        <Confirm
          kind="main"
          button={t("Promote")}
          title={t("Promote {version}?", { version: labelOf(asked.rollout) })}
          done={t("The version is current.")}
          act={promoting(id, asked.rollout)}
          onClose={close}
        >
          {t("It becomes the current version for everybody.")}
          {asked.rollout.failing && ` ${t("The candidate fails significantly more often.")}`}
        </Confirm>
      )}
      {asked?.act === "stop" && asked.rollout !== null && (
        <Confirm
          button={t("Stop rollout")}
          title={t("Stop the rollout of {version}?", { version: labelOf(asked.rollout) })}
          done={t("The rollout has ended.")}
          act={() => call("skills.stopRollout", { path: { id } })}
          onClose={close}
        >
          {t("All conversations use the current version from their next turn on.")}
        </Confirm>
      )}
    </Card>
  );
}

/** Promotes the candidate that the window shows, and not one that somebody else has set meanwhile. */
const promoting =
  (id: string, { candidate }: Current) =>
  async () =>
    withWarning(await call("skills.promoteRollout", { path: { id }, body: { candidate: candidate.version_id } }));

const labelOf = ({ candidate }: Current): string => visible(candidate.version ?? candidate.version_id);

function Arms({ of: { candidate, current, failing } }: { of: Current }): ReactNode {
  return (
    <>
      {failing && <p className="note bad">{t("The candidate fails significantly more often.")}</p>}
      <Table name={t("Rollout")} heads={[t("Version"), { num: t("Uses") }, { num: t("Failed") }]} stacks>
        {[
          { ...candidate, role: t("candidate"), look: "tag" },
          { ...current, role: t("current"), look: "tag good" },
        ].map((arm) => (
          <tr key={arm.version_id}>
            <td className="name">
              <Plain>{arm.version ?? arm.version_id}</Plain> <span className={arm.look}>{arm.role}</span>
            </td>
            <td className="num">{figure(arm.uses)}</td>
            <td className="num">{share(arm.failures, arm.uses)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** Returns the versions that can be a candidate, newest first. */
function useCandidates(id: string): readonly (readonly [id: string, name: string])[] | undefined {
  return useVersions(id)
    .data?.items.filter((version) => !version.is_current && version.yanked_at === null)
    .map((version) => [version.version_id, visible(nameOf(version))]);
}

function Start({ id, onPress }: { id: string; onPress: () => void }): ReactNode {
  const candidates = useCandidates(id);
  if (candidates?.length === 0)
    return (
      <p>{t("A rollout gives another version to a part of the conversations. The skill has only one version.")}</p>
    );
  return (
    <>
      <p>{t("A rollout gives another version to a part of the conversations and compares its failures.")}</p>
      <div className="row">
        <Button isDisabled={candidates === undefined} onPress={onPress}>
          {t("Start rollout")}
        </Button>
      </div>
    </>
  );
}

/** `rollout` is the one to change, or `null` for a new one. */
function RolloutForm({
  id,
  rollout,
  onClose,
}: {
  id: string;
  rollout: Current | null;
  onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  const candidates = useCandidates(id) ?? [];
  const [chosen, choose] = useState<string | null>(rollout?.candidate.version_id ?? null);
  const [text, setText] = useState(`${rollout?.percent ?? FIRST_PERCENT}`);
  const candidate = chosen ?? candidates[0]?.[0] ?? "";
  const percent = /^\d{1,3}$/.test(text.trim()) ? Number(text) : 0;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("skills.setRollout", { path: { id }, body: { candidate, percent } }),
    onSuccess: async () => {
      onClose();
      toast(rollout === null ? t("The rollout has started.") : t("Percentage saved."));
      await client.invalidateQueries();
    },
  });
  return (
    <FormWindow
      title={
        rollout === null ? t("Start a rollout") : t("Change the rollout of {version}", { version: labelOf(rollout) })
      }
      button={isPending ? t("Saving…") : rollout === null ? t("Start rollout") : t("Save")}
      isBusy={isPending}
      isIncomplete={candidate === "" || percent < 1 || percent > 100}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      {rollout === null && <Choice label={t("Candidate")} value={candidate} options={candidates} onChange={choose} />}
      <Field
        label={t("Percentage of conversations")}
        value={text}
        onChange={setText}
        isRequired
        autoFocus
        inputMode="numeric"
        help={t("A whole number from 1 to 100.")}
      />
      <p className="soft">
        {rollout === null
          ? t("These conversations use the candidate from their next turn on. Agents that pin another version keep it.")
          : t("If you raise it, no conversation changes back. If you lower it, some return to the current version.")}
      </p>
    </FormWindow>
  );
}
