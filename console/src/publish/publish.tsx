// Publishes a package: select it, read the gateway's report, publish it.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Button, Choice } from "../parts/controls";
import { Empty, Loading, Trouble } from "../parts/state";
import { Plain } from "../parts/text";
import { Title } from "../parts/title";
import { Choose } from "./choose";
import { hold, useHeld } from "./drop";
import type { Package } from "./packing";
import { Report } from "./report";

export function Publish(): ReactNode {
  const held = useHeld();
  return (
    <>
      <Title>Publish a skill</Title>
      {held === null ? (
        <Empty title="Drop a skill anywhere on this page">
          <p>
            A skill is a folder with a SKILL.md, or its ZIP. You see what the gateway says of it before anything is
            published.
          </p>
          <Choose />
        </Empty>
      ) : (
        <Look key={keyOf(held.zip)} held={held} />
      )}
    </>
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
        ? "My own skills"
        : namespace === "public"
          ? "Everybody's (public)"
          : `The group ${namespace}`,
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
      <p>
        <strong>
          <Plain>{name}</Plain>
        </strong>
      </p>
      {isPending && <Loading what="the report" />}
      {error !== null && <Trouble error={error} again={() => mutate()} />}
      {report !== undefined && <Report report={report} />}
      {report?.valid === true && <Send name={report.name ?? ""} zip={zip} />}
      <h2>{report?.valid === false ? "Mend it, and choose it again" : "Another one"}</h2>
      <Choose />
    </>
  );
}

function Send({ name, zip }: { name: string; zip: File }): ReactNode {
  const places = usePlaces();
  const [place, setPlace] = useState(places[0]?.[0] ?? "");
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      place === "public"
        ? call("skills.publishPublic", { body: { file: zip } })
        : call("skills.publish", { body: { file: zip, namespace: place } }),
    onSuccess: async ({ metadata }) => {
      await client.invalidateQueries();
      hold(null);
      await navigate({ to: "/skills/$id", params: { id: metadata.labels.id } });
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
      await navigate({ to: "/drafts" });
    },
  });
  const isBusy = isPending || draft.isPending;
  if (places.length === 0) return <p className="note">Your key may not publish.</p>;
  return (
    <>
      <div className="row">
        <Choice label="Publish it to" value={place} options={places} onChange={setPlace} />
        <Button kind="main" isDisabled={isBusy} onPress={() => mutate()}>
          {isPending ? "Publishing…" : "Publish"}
        </Button>
        <Button isDisabled={isBusy} onPress={() => draft.mutate()}>
          {draft.isPending ? "Keeping it…" : "Keep it as a draft"}
        </Button>
      </div>
      <p className="soft">A draft is no version yet: only who chooses it tries it.</p>
      {error !== null && <Trouble error={error} />}
      {draft.error !== null && <Trouble error={draft.error} />}
    </>
  );
}
