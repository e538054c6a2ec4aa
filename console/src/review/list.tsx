// Lists submissions: those that the user can decide, and the user's own.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ClipboardCheck } from "lucide-react";
import type { ReactNode } from "react";
import type { Review } from "../../../sdk/src/generated/operations";
import { type RequestOf, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Owner } from "../library/owner";
import { Choice } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, When } from "../parts/text";
import { rich, t } from "../text/text";
import { State } from "./state";

const ROWS = 50;
const route = getRouteApi("/review");

type Shown = "open" | "own" | "all";

/** What each choice asks for. */
const QUERIES: Record<Shown, NonNullable<RequestOf<"reviews.list">["query"]>> = {
  open: { state: "open", mine: "false" },
  own: { mine: "true" },
  all: {},
};

export function ReviewList(): ReactNode {
  const { show, cursor } = route.useSearch();
  const navigate = useNavigate({ from: "/review" });
  const { user_id } = useMe();
  const shown: Shown = show === "own" || show === "all" ? show : "open";
  const answer = useQuery({
    queryKey: ["reviews", shown, cursor],
    queryFn: ({ signal }) =>
      slice(
        "reviews.list",
        { query: { ...QUERIES[shown], limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      ),
  });
  return (
    <Page
      title={t("Review")}
      lead={t("Approval publishes exactly the content that you read. Nobody decides their own submission.")}
    >
      <div className="row">
        <Choice<Shown>
          label={t("Show")}
          value={shown}
          options={[
            ["open", t("Waiting for your decision")],
            ["own", t("Your submissions")],
            ["all", t("All")],
          ]}
          onChange={(next) => void navigate({ search: next === "open" ? {} : { show: next } })}
        />
      </div>
      <Answer of={answer} what={t("the submissions")}>
        {({ items, next }) =>
          items.length === 0 && cursor === undefined ? (
            <Empty icon={ClipboardCheck} title={shown === "own" ? t("No submissions yet") : t("Nothing to review")}>
              <p>
                {shown === "own"
                  ? rich("Submit one of your {link} to a group or to public.", {
                      link: <Link to="/drafts">{t("drafts")}</Link>,
                    })
                  : t("Skills that users submit for review appear here.")}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                name={t("Submissions")}
                heads={[t("Skill"), t("Scope"), t("State"), t("Author"), t("Submitted"), t("Updated")]}
              >
                {items.map((review) => (
                  <Row key={review.id} review={review} user={user_id} />
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
    </Page>
  );
}

function Row({ review, user }: { review: Review; user: string }): ReactNode {
  return (
    <tr>
      <td className="long">
        <Link to="/review/$id" params={{ id: review.id }}>
          <Plain>{review.name}</Plain>
        </Link>{" "}
        {review.version !== null && <Plain>{review.version}</Plain>}
      </td>
      <td>
        <Owner namespace={review.namespace} isPublic={review.is_public} />
      </td>
      <td>
        <State of={review.state} />
      </td>
      <td className="long">{review.author === user ? t("you") : <Plain>{review.author}</Plain>}</td>
      <td>
        <When at={review.created_at} />
      </td>
      <td>
        <When at={review.updated_at} />
      </td>
    </tr>
  );
}
