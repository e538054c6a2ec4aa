// Lists trusted publishers: the CI jobs that can publish without a stored key. Shows their last use and refusal, and deletes them.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { BadgeCheck } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Publisher } from "../../../sdk/src/generated/operations";
import { call, type RequestOf, slice } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { KEY_TABS } from "../shell/places";
import { rich, t } from "../text/text";
import { Owners, ownerAsked } from "./owners";

const ROWS = 50;
const route = getRouteApi("/publishers");

/** The owner of publishers as API parameters. Those of the gateway publish public skills. */
function scopeOf(of: string | undefined): NonNullable<RequestOf<"publishers.list">["query"]> {
  const { scope, group_name } = ownerAsked(of);
  if (scope === "gateway") return { scope: "public" };
  return scope === "group" && group_name !== undefined ? { scope, group_name } : {};
}

export function Publishers(): ReactNode {
  const { of, cursor } = route.useSearch();
  const navigate = useNavigate({ from: "/publishers" });
  const owner = scopeOf(of);
  const answer = useQuery({
    queryKey: ["publishers", of, cursor],
    queryFn: ({ signal }) =>
      slice(
        "publishers.list",
        { query: { ...owner, limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      ),
  });
  const [lost, setLost] = useState<Publisher | null>(null);
  return (
    <Page
      title={t("API keys")}
      lead={t(
        "CI jobs that publish without a stored key. They exchange a token of their CI for a key of some minutes.",
      )}
      tabs={KEY_TABS}
    >
      <div className="row">
        <Owners of={of} onChange={(next) => void navigate({ search: next === "" ? {} : { of: next } })} />
      </div>
      <Answer of={answer} what={t("the publishers")}>
        {({ items, next }) =>
          items.length === 0 && cursor === undefined ? (
            <Empty icon={BadgeCheck} title={t("No trusted publishers yet")}>
              <p>
                {rich("Store one with {code}. The documentation has workflows for GitHub Actions and GitLab CI.", {
                  code: <code>PUT /api/v1/publishers/&lt;name&gt;</code>,
                })}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                name={t("Trusted publishers")}
                heads={[t("Publisher"), t("Claims"), t("Skills"), t("Last used"), t("Last refusal"), ""]}
              >
                {items.map((publisher) => (
                  <Row key={publisher.id} publisher={publisher} onLose={() => setLost(publisher)} />
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
      {lost !== null && (
        <Confirm
          title={t("Delete {name}?", { name: visible(lost.name) })}
          button={t("Delete")}
          done={t("Publisher deleted.")}
          act={() => call("publishers.delete", { path: { name: lost.name }, query: owner })}
          onClose={() => setLost(null)}
        >
          {t("Its jobs can no longer publish, and their keys end immediately. Published versions stay.")}
        </Confirm>
      )}
    </Page>
  );
}

function Row({
  publisher: { name, issuer, claims, skills, last_used_at, last_refusal: refusal },
  onLose,
}: {
  publisher: Publisher;
  onLose: () => void;
}): ReactNode {
  return (
    <tr>
      <td className="long">
        <Plain>{name}</Plain>
        <div className="soft">
          <Plain>{URL.parse(issuer)?.host ?? issuer}</Plain>
        </div>
      </td>
      <td className="long">
        {Object.entries(claims).map(([claim, value]) => (
          <div key={claim}>
            <span className="soft">{claim}</span> <Plain>{value}</Plain>
          </div>
        ))}
      </td>
      <td className="long">
        <Plain>{skills.join(", ")}</Plain>
      </td>
      <td>
        <When at={last_used_at} />
      </td>
      <td className="long">
        {refusal === null ? (
          t("none")
        ) : (
          <>
            <Plain>{refusal.reason}</Plain>
            <div className="soft">
              <When at={refusal.at} />
            </div>
          </>
        )}
      </td>
      <td>
        <Button kind="danger" aria-label={t("Delete {name}", { name: visible(name) })} onPress={onLose}>
          {t("Delete")}
        </Button>
      </td>
    </tr>
  );
}
