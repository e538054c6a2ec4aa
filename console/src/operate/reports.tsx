// Lists reports of users about skills and ratings. An admin decides each of them.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Flag } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Report } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { Button, Choice, LongField } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Stars } from "../parts/stars";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, When } from "../parts/text";
import { toast } from "../parts/toast";
import { SYSTEM_TABS } from "../shell/places";
import { t } from "../text/text";

const ROWS = 50;
const route = getRouteApi("/reports");

const REASONS: Record<Report["reason"], string> = {
  malicious: t("Malicious"),
  spam: t("Spam"),
  illegal: t("Illegal"),
  personal_data: t("Personal data"),
  other: t("Other reason"),
};
type Decision = NonNullable<Report["decision"]>["decision"];
const DECISIONS: Record<Decision, string> = {
  dismissed: t("Dismissed"),
  rating_hidden: t("Rating hidden"),
  resolved: t("Resolved"),
};

export function Reports(): ReactNode {
  const { state, cursor } = route.useSearch();
  const navigate = useNavigate({ from: "/reports" });
  const shown = state === "decided" ? "decided" : "open";
  const answer = useQuery({
    queryKey: ["reports", shown, cursor],
    queryFn: ({ signal }) =>
      slice(
        "reports.list",
        { query: { state: shown, limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      ),
  });
  const [open, setOpen] = useState<Report | null>(null);
  return (
    <Page title={t("System")} lead={t("Reports of users about skills and ratings.")} tabs={SYSTEM_TABS}>
      <div className="row">
        <Choice
          label={t("State")}
          value={shown}
          options={[
            ["open", t("Open")],
            ["decided", t("Decided")],
          ]}
          onChange={(next) => void navigate({ search: next === "open" ? {} : { state: next } })}
        />
      </div>
      <Answer of={answer} what={t("the reports")}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty icon={Flag} title={t("No reports")}>
              <p>{t("Users report skills and ratings on the page of a skill.")}</p>
            </Empty>
          ) : (
            <>
              <Table name={t("Reports")} heads={[t("Time"), t("Skill"), t("Reason"), t("Message"), t("User"), ""]}>
                {items.map((report) => (
                  <Row key={report.id} report={report} onDecide={() => setOpen(report)} />
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
      {open !== null && <Decide report={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}

function Row({ report, onDecide }: { report: Report; onDecide: () => void }): ReactNode {
  const { skill_id, skill_name, rating, reason, message, user_id, created_at, decision } = report;
  return (
    <tr>
      <td>
        <When at={created_at} />
      </td>
      <td className="long">
        <Link to="/skills/$id" params={{ id: skill_id }} search={{ view: "ratings" }}>
          <Plain>{skill_name}</Plain>
        </Link>
        {rating !== null && (
          <div className="soft">
            {rating.stars === null ? t("deleted rating") : <Stars stars={rating.stars} />}{" "}
            {rating.comment !== null && <Plain>{rating.comment}</Plain>}
          </div>
        )}
      </td>
      <td>{REASONS[reason]}</td>
      <td className="long">{message !== null && <Plain>{message}</Plain>}</td>
      <td>
        <Plain>{user_id}</Plain>
      </td>
      <td>
        {decision === null ? (
          <Button onPress={onDecide}>{t("Decide")}</Button>
        ) : (
          <>
            {DECISIONS[decision.decision]}
            <div className="soft">
              <Plain>{decision.decided_by}</Plain>, <When at={decision.decided_at} />
              {decision.note !== null && (
                <div>
                  <Plain>{decision.note}</Plain>
                </div>
              )}
            </div>
          </>
        )}
      </td>
    </tr>
  );
}

function Decide({ report, onClose }: { report: Report; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const isAboutRating = report.rating !== null && report.rating.stars !== null;
  const [decision, setDecision] = useState<Decision>(isAboutRating ? "rating_hidden" : "resolved");
  const [note, setNote] = useState("");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("reports.decide", { path: { id: report.id }, body: { decision, note } }),
    onSuccess: async () => {
      onClose();
      toast(t("Report decided."));
      await client.invalidateQueries();
    },
  });
  return (
    <FormWindow
      title={t("Decide the report")}
      button={t("Decide")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Choice<Decision>
        label={t("Decision")}
        value={decision}
        options={[
          ...(isAboutRating ? ([["rating_hidden", t("Hide the rating")]] as const) : []),
          ["resolved", t("Resolved in another way")],
          ["dismissed", t("Dismiss: nothing is wrong")],
        ]}
        onChange={setDecision}
      />
      <LongField label={t("Note")} value={note} onChange={setNote} maxLength={500} />
      <p className="soft">
        {t(
          "To act on a skill, block its version, close it or delete it on its page, and then choose “Resolved in another way”.",
        )}
      </p>
    </FormWindow>
  );
}
