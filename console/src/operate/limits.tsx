// Shows the user's usage next to the limits.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Me } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Card } from "../parts/card";
import { Facts } from "../parts/facts";
import { Page } from "../parts/page";
import { Answer } from "../parts/state";
import { bytes, figure } from "../parts/text";
import { SYSTEM_TABS } from "../shell/places";
import { t } from "../text/text";

interface Quota {
  used: number;
  limit: number;
}

export function Limits(): ReactNode {
  const answer = useQuery({ queryKey: ["limits"], queryFn: ({ signal }) => call("me.get", {}, signal) });
  return (
    <Page title={t("System")} lead={t("How much of your quotas you use.")} tabs={SYSTEM_TABS}>
      <Answer of={answer} what={t("your limits")}>
        {(me) => <Used of={me} />}
      </Answer>
    </Page>
  );
}

function Used({ of: { quotas, today } }: { of: Me }): ReactNode {
  return (
    <>
      <Card title={t("Stored")}>
        <Meters
          of={[
            [t("Skills"), quotas.skills, figure],
            [t("Versions"), quotas.versions, figure],
            [t("Packages"), quotas.bytes, bytes],
            [t("Database"), quotas.databaseBytes, bytes],
            [t("Agents"), quotas.ghosts, figure],
            [t("Keys"), quotas.keys, figure],
            [t("Files written by scripts"), quotas.files, bytes],
          ]}
        />
      </Card>
      <Card title={t("Today (UTC)")}>
        <Meters
          of={[
            [t("Uploads"), today.uploads, figure],
            [t("New conversations"), today.conversations, figure],
            [t("Scripts"), today.scripts, figure],
            [t("New keys"), today.keys, figure],
          ]}
        />
      </Card>
    </>
  );
}

function Meters({
  of,
}: {
  of: readonly (readonly [name: string, quota: Quota, say: (count: number) => string])[];
}): ReactNode {
  return (
    <Facts
      of={of.map(([name, { used, limit }, say]) => [
        name,
        <>
          {t("{used} of {limit}", { used: say(used), limit: say(limit) })}
          <meter min={0} max={Math.max(limit, 1)} high={limit * 0.8} value={Math.min(used, limit)} aria-label={name} />
        </>,
      ])}
    />
  );
}
