// Shows one submission: what it changes, its findings and history, and the actions of its author and its reviewers.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { ReviewInFull } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Owner } from "../library/owner";
import { PermissionChanges } from "../library/permission-change";
import { Card } from "../parts/card";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Facts } from "../parts/facts";
import { Page } from "../parts/page";
import { Answer, Issues } from "../parts/state";
import { Table } from "../parts/table";
import { bytes, Plain, visible, When } from "../parts/text";
import { t } from "../text/text";
import { CommentWindow, type Decision, DecisionWindow } from "./decide";
import { ReviewFiles } from "./files";
import { History } from "./history";
import { State } from "./state";
import { TestResults } from "./tests";

const route = getRouteApi("/review/$id");

export function ReviewDetail(): ReactNode {
  const { id } = route.useParams();
  const answer = useQuery({
    queryKey: ["review", id],
    queryFn: ({ signal }) => call("reviews.get", { path: { id } }, signal),
  });
  return (
    <Page
      title={answer.data === undefined ? t("Submission") : visible(answer.data.name)}
      crumbs={[{ name: t("Review"), to: "/review" }]}
      actions={answer.data === undefined ? undefined : <Actions review={answer.data} />}
    >
      <Answer of={answer} what={t("the submission")}>
        {(review) => <Submission review={review} />}
      </Answer>
    </Page>
  );
}

const isOpen = ({ state }: ReviewInFull): boolean => state === "pending" || state === "changes_requested";

function Actions({ review }: { review: ReviewInFull }): ReactNode {
  const { user_id } = useMe();
  const [asked, ask] = useState<Decision | "comment" | "withdraw" | null>(null);
  const close = () => ask(null);
  if (!isOpen(review)) return null;
  return (
    <>
      <Button onPress={() => ask("comment")}>{t("Comment")}</Button>
      {review.author === user_id && (
        <Button kind="danger" onPress={() => ask("withdraw")}>
          {t("Withdraw")}
        </Button>
      )}
      {review.can_decide && (
        <>
          <Button kind="danger" onPress={() => ask("reject")}>
            {t("Reject")}
          </Button>
          <Button onPress={() => ask("request_changes")}>{t("Request changes")}</Button>
          <Button kind="main" onPress={() => ask("approve")}>
            {t("Approve")}
          </Button>
        </>
      )}
      {asked === "comment" && <CommentWindow review={review} onClose={close} />}
      {asked === "withdraw" && (
        <Confirm
          title={t("Withdraw {name}?", { name: visible(review.name) })}
          button={t("Withdraw")}
          done={t("Submission withdrawn.")}
          act={() => call("reviews.withdraw", { path: { id: review.id } })}
          onClose={close}
        >
          {t("Reviewers can no longer decide it. The draft stays, and you can submit it again.")}
        </Confirm>
      )}
      {asked !== null && asked !== "comment" && asked !== "withdraw" && (
        <DecisionWindow decision={asked} review={review} onClose={close} />
      )}
    </>
  );
}

function Submission({ review }: { review: ReviewInFull }): ReactNode {
  const { content, permissions, routing, base } = review;
  return (
    <>
      <Facts
        of={[
          [t("State"), <State key="state" of={review.state} />],
          [t("Scope"), <Owner key="scope" namespace={review.namespace} isPublic={review.is_public} />],
          [t("Author"), <Plain key="author">{review.author}</Plain>],
          [t("Version"), review.version === null ? t("none") : <Plain key="version">{review.version}</Plain>],
          [t("Submitted"), <When key="at" at={review.created_at} />],
          [
            t("Compared with"),
            base === null ? (
              t("nothing: the skill is new")
            ) : (
              <Link key="base" to="/skills/$id" params={{ id: base.skill_id }} search={{ version: base.version_id }}>
                <Plain>{base.version ?? base.version_id}</Plain>
              </Link>
            ),
          ],
          [
            "SHA-256",
            <code key="digest" className="wraps">
              {review.zip_sha256}
            </code>,
          ],
        ]}
      />
      {content === null ? (
        <p className="note">
          {t("The content was deleted, or changed after the decision. Only its digest is stored.")}
        </p>
      ) : (
        <>
          <Card
            title={t("Description")}
            aside={`${t(content.file_count === 1 ? "{count} file" : "{count} files", { count: content.file_count })}, ${bytes(content.size)}`}
          >
            <p>
              <Plain>{content.description}</Plain>
            </p>
          </Card>
          <Card title={t("Changed permissions")}>
            <PermissionChanges {...permissions} />
          </Card>
          <Card title={t("Findings")}>
            {content.warnings.length === 0 ? (
              <p className="soft">{t("No findings.")}</p>
            ) : (
              <Issues issues={content.warnings} />
            )}
          </Card>
          {(review.test_results !== null || (review.can_decide && base !== null)) && (
            <TestResults of={review.test_results} />
          )}
          {routing !== null && (
            <Card title={t("Search rank")} isFlush>
              <Table name={t("Search rank")} heads={[t("Example prompt"), t("Rank"), t("Skills ahead")]}>
                {routing.prompts.map(({ prompt, rank, ahead }) => (
                  <tr key={prompt}>
                    <td className="long">
                      <Plain>{prompt}</Plain>
                    </td>
                    <td>{rank ?? t("below 20")}</td>
                    <td className="long">
                      <Plain>{ahead.join(", ")}</Plain>
                    </td>
                  </tr>
                ))}
              </Table>
            </Card>
          )}
          <ReviewFiles review={review} />
        </>
      )}
      <History events={review.events} />
    </>
  );
}
