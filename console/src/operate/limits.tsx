// Shows the user's usage next to the limits.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Me } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Answer } from "../parts/state";
import { bytes, figure } from "../parts/text";
import { Title } from "../parts/title";

interface Quota {
  used: number;
  limit: number;
}

export function Limits(): ReactNode {
  const answer = useQuery({ queryKey: ["limits"], queryFn: ({ signal }) => call("me.get", {}, signal) });
  return (
    <>
      <Title>Limits in use</Title>
      <Answer of={answer} what="your limits">
        {(me) => <Used of={me} />}
      </Answer>
    </>
  );
}

function Used({ of: { quotas, today } }: { of: Me }): ReactNode {
  return (
    <>
      <h2>All in all</h2>
      <Meters
        of={[
          ["Skills", quotas.skills, figure],
          ["Versions", quotas.versions, figure],
          ["Packages", quotas.bytes, bytes],
          ["Rows in the database", quotas.databaseBytes, bytes],
          ["Ghosts", quotas.ghosts, figure],
          ["Keys", quotas.keys, figure],
          ["Files that scripts have left", quotas.files, bytes],
        ]}
      />
      <h2>Today, since midnight UTC</h2>
      <Meters
        of={[
          ["Uploads", today.uploads, figure],
          ["New conversations", today.conversations, figure],
          ["Scripts", today.scripts, figure],
          ["New keys", today.keys, figure],
        ]}
      />
    </>
  );
}

function Meters({
  of,
}: {
  of: readonly (readonly [name: string, quota: Quota, say: (count: number) => string])[];
}): ReactNode {
  return (
    <dl className="facts">
      {of.map(([name, { used, limit }, say]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {say(used)} of {say(limit)}
            <meter
              min={0}
              max={Math.max(limit, 1)}
              high={limit * 0.8}
              value={Math.min(used, limit)}
              aria-label={name}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}
