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

interface Quota {
  used: number;
  limit: number;
}

export function Limits(): ReactNode {
  const answer = useQuery({ queryKey: ["limits"], queryFn: ({ signal }) => call("me.get", {}, signal) });
  return (
    <Page title="System" lead="How much of your quotas you use." tabs={SYSTEM_TABS}>
      <Answer of={answer} what="your limits">
        {(me) => <Used of={me} />}
      </Answer>
    </Page>
  );
}

function Used({ of: { quotas, today } }: { of: Me }): ReactNode {
  return (
    <>
      <Card title="Stored">
        <Meters
          of={[
            ["Skills", quotas.skills, figure],
            ["Versions", quotas.versions, figure],
            ["Packages", quotas.bytes, bytes],
            ["Database", quotas.databaseBytes, bytes],
            ["Agents", quotas.ghosts, figure],
            ["Keys", quotas.keys, figure],
            ["Files written by scripts", quotas.files, bytes],
          ]}
        />
      </Card>
      <Card title="Today (UTC)">
        <Meters
          of={[
            ["Uploads", today.uploads, figure],
            ["New conversations", today.conversations, figure],
            ["Scripts", today.scripts, figure],
            ["New keys", today.keys, figure],
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
          {say(used)} of {say(limit)}
          <meter min={0} max={Math.max(limit, 1)} high={limit * 0.8} value={Math.min(used, limit)} aria-label={name} />
        </>,
      ])}
    />
  );
}
