// Publishes a package: select it, read the gateway's report, publish it.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { activation, Current } from "../library/current";
import { withWarning } from "../library/regressed";
import { Card } from "../parts/card";
import { Button, Choice } from "../parts/controls";
import { Loading } from "../parts/loading";
import { Page } from "../parts/page";
import { Empty, Trouble } from "../parts/state";
import { Plain } from "../parts/text";
import { toast } from "../parts/toast";
import { t } from "../text/text";
import { Choose } from "./choose";
import { hold, useHeld } from "./drop";
import type { Package } from "./packing";
import { Report } from "./report";

export function Publish(): ReactNode {
  const held = useHeld();
  return (
    <Page title={t("Publish a skill")} crumbs={[{ name: t("Skills"), to: "/skills" }]}>
      {held === null ? (
        <Empty icon={Upload} title={t("Drag a skill here")}>
          <p>
            {t("A skill is a folder with a SKILL.md, or a ZIP of it. You see a report before anything is published.")}
          </p>
          <Choose />
        </Empty>
      ) : (
        <Look key={keyOf(held.zip)} held={held} />
      )}
    </Page>
  );
}

const keyOf = ({ name, size, lastModified }: File) => `${name} ${size} ${lastModified}`;

/** A target scope of a package: the value of the option, and its name. */
type Place = readonly [value: string, name: string];

function usePlaces(): readonly Place[] {
  return useMe()
    .rights.namespaces.filter(({ publish }) => publish)
    .map(({ namespace }) => [
      namespace,
      namespace === "default"
        ? t("My skills")
        : namespace === "public"
          ? t("Everyone (public)")
          : t("Group {name}", { name: namespace }),
    ]);
}

function Look({ held: { name, zip } }: { held: Package }): ReactNode {
  const {
    mutate,
    data: report,
    error,
    isPending,
  } = useMutation({
    mutationFn: () => call("skills.validate", { body: { file: zip } }),
  });
  useEffect(() => mutate(), [mutate]);
  return (
    <>
      <h2>
        <Plain>{name}</Plain>
      </h2>
      {isPending && <Loading what={t("the report")} />}
      {error !== null && <Trouble error={error} again={() => mutate()} />}
      {report !== undefined && <Report report={report} />}
      {report?.valid === true && <Send name={report.name ?? ""} zip={zip} />}
      <Card title={report?.valid === false ? t("Fix the package and choose it again") : t("Choose another package")}>
        <Choose />
      </Card>
    </>
  );
}

function Send({ name, zip }: { name: string; zip: File }): ReactNode {
  const places = usePlaces();
  const [place, setPlace] = useState(places[0]?.[0] ?? "");
  const [becomesCurrent, setBecomesCurrent] = useState(true);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      place === "public"
        ? call("skills.publishPublic", { body: { file: zip, ...activation(becomesCurrent) } })
        : call("skills.publish", { body: { file: zip, namespace: place, ...activation(becomesCurrent) } }),
    onSuccess: async (skill) => {
      await client.invalidateQueries();
      hold(null);
      toast(t("Skill published."));
      withWarning(skill);
      const search = becomesCurrent ? {} : { view: "versions" as const };
      await navigate({ to: "/skills/$id", params: { id: skill.metadata.labels.id }, search });
    },
  });
  const draft = useMutation({
    mutationFn: () =>
      call("drafts.push", {
        path: { name },
        body: { file: zip, ...(place === "public" ? { public: "true" } : { namespace: place }) },
      }),
    onSuccess: async () => {
      await client.invalidateQueries();
      hold(null);
      toast(t("Draft saved."));
      await navigate({ to: "/drafts" });
    },
  });
  const isBusy = isPending || draft.isPending;
  if (places.length === 0)
    return <p className="note">{t("Your API key cannot publish. It needs the scope skills:write.")}</p>;
  return (
    <>
      <div className="row">
        <Choice label={t("Publish to")} value={place} options={places} onChange={setPlace} />
        <Button kind="main" isDisabled={isBusy} onPress={() => mutate()}>
          {isPending ? t("Publishing…") : t("Publish")}
        </Button>
        <Button isDisabled={isBusy} onPress={() => draft.mutate()}>
          {draft.isPending ? t("Saving…") : t("Save as draft")}
        </Button>
      </div>
      <Current isSelected={becomesCurrent} onChange={setBecomesCurrent} />
      <p className="soft">{t("Drafts are private. Only people who select a draft can try it.")}</p>
      {error !== null && <Trouble error={error} />}
      {draft.error !== null && <Trouble error={draft.error} />}
    </>
  );
}
