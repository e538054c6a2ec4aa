// Shows the health that the gateway reports.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Health } from "../../../sdk/src/generated/operations";
import { reach } from "../gateway/call";
import { fieldsOf, refusalIn } from "../gateway/refusal";
import { useMe } from "../gateway/session";
import { Facts } from "../parts/facts";
import { Page } from "../parts/page";
import { Answer, Issues } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, When } from "../parts/text";
import { SYSTEM_TABS } from "../shell/places";
import { t } from "../text/text";
import { ExecutorCard } from "./executor";

const EVERY_MS = 10_000;

const CHECKS: Record<keyof Health["checks"], string> = {
  d1: t("Database (D1)"),
  r2: t("Packages (R2)"),
  loader: t("Code isolates"),
  rates: t("Rate limits"),
  search: t("Search index"),
  executor: t("Executor for scripts"),
};

export function HealthPage(): ReactNode {
  const { rights } = useMe();
  const answer = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => healthOf(signal),
    refetchInterval: EVERY_MS,
  });
  return (
    <Page title={t("System")} lead={t("The state of the services that the gateway needs.")} tabs={SYSTEM_TABS}>
      <Answer of={answer} what={t("the gateway's health")}>
        {({ status, version, checked_at, checks, issues = [] }) => (
          <>
            <Facts
              of={[
                [t("State"), <State key="state" of={status} />],
                [t("Version"), <Plain key="version">{version}</Plain>],
                [t("Checked"), <When key="checked" at={checked_at} />],
              ]}
            />
            <Table name={t("Services")} heads={[t("Service"), t("State")]}>
              {Object.entries(CHECKS).map(([part, name]) => (
                <tr key={part}>
                  <th scope="row">{name}</th>
                  <td>
                    <State of={Object.entries(checks).find(([key]) => key === part)?.[1] ?? "unknown"} />
                  </td>
                </tr>
              ))}
            </Table>
            {/* For operators, the card shows the reason in full. */}
            <Issues issues={rights.operate ? issues.filter(({ code }) => code !== "EXECUTOR_UNAVAILABLE") : issues} />
            {rights.operate && <ExecutorCard />}
          </>
        )}
      </Answer>
    </Page>
  );
}

const LOOKS: Readonly<Record<string, string>> = { ok: "good", degraded: "warn", failed: "bad" };

const STATES: Readonly<Record<string, string>> = {
  ok: t("ok"),
  degraded: t("degraded"),
  failed: t("failed"),
  unknown: t("unknown"),
};

function State({ of }: { of: string }): ReactNode {
  return <span className={`tag ${LOOKS[of] ?? ""}`}>{STATES[of] ?? of}</span>;
}

/**
 * The endpoint is public, so the request does not use the console API proxy. An unhealthy gateway responds with 503 in the same format. A
 * rate limit or a proxy in between responds in another format.
 */
async function healthOf(signal: AbortSignal): Promise<Health> {
  const answer = await reach("/health", { signal, credentials: "omit" });
  const { checks } = fieldsOf(await answer.clone().text());
  if (checks === undefined) throw await refusalIn(answer);
  return (await answer.json()) as Health;
}
