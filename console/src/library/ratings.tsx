// Shows the ratings of a skill. Users of the skill rate it, its authors answer, and admins hide ratings.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Star } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Rating, Ratings as RatingsOfSkill, Skill } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Card } from "../parts/card";
import { Confirm } from "../parts/confirm";
import { Button, Choice, LongField } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { Stars, StarsOfSkill } from "../parts/stars";
import { Answer, Empty } from "../parts/state";
import { Plain, When } from "../parts/text";
import { toast } from "../parts/toast";
import { t } from "../text/text";

/** The dialogs of the page. */
type Open =
  | { what: "rate" | "withdraw" | "report-skill" }
  | { what: "answer" | "hide" | "show" | "report"; rating: Rating };

const ROWS = 50;

export default function Ratings({ skill }: { skill: Skill }): ReactNode {
  const { id } = skill.metadata.labels;
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const answer = useQuery({
    queryKey: ["skill", id, "ratings", cursor],
    queryFn: ({ signal }) =>
      call(
        "ratings.list",
        { path: { id }, query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      ),
  });
  const [open, setOpen] = useState<Open | null>(null);
  return (
    <Answer of={answer} what={t("the ratings")}>
      {(ratings) => (
        <>
          <Card
            title={t("Ratings")}
            aside={<Button onPress={() => setOpen({ what: "report-skill" })}>{t("Report abuse")}</Button>}
          >
            <p>
              <StarsOfSkill {...ratings.summary} />
            </p>
            <Own ratings={ratings} onOpen={setOpen} />
          </Card>
          {ratings.items.length === 0 ? (
            <Empty icon={Star} title={t("No ratings yet")}>
              <p>{t("Users who load the skill can rate it.")}</p>
            </Empty>
          ) : (
            <ul className="ratings" aria-label={t("Ratings")}>
              {ratings.items.map((rating) => (
                <Item key={rating.id} rating={rating} canAnswer={ratings.can_answer} onOpen={setOpen} />
              ))}
            </ul>
          )}
          {(cursors.length > 0 || ratings.next_cursor !== null) && (
            <div className="row">
              {cursors.length > 0 && <Button onPress={() => setCursors([])}>{t("First page")}</Button>}
              {ratings.next_cursor !== null && (
                <Button onPress={() => setCursors([...cursors, ratings.next_cursor ?? ""])}>{t("Next page")}</Button>
              )}
            </div>
          )}
          {open !== null && <Dialogs id={id} own={ratings.own} open={open} onClose={() => setOpen(null)} />}
        </>
      )}
    </Answer>
  );
}

/** What the user can do: rate, change or delete the rating, or why it is not possible. */
function Own({
  ratings: { own, can_rate, cannot_rate_because },
  onOpen,
}: {
  ratings: RatingsOfSkill;
  onOpen: (open: Open) => void;
}): ReactNode {
  const reasons = {
    private: t("Only you use this skill, so it has no ratings."),
    own_skill: t("You published this skill. Other users can rate it."),
    not_used: t(
      "Load the skill in a conversation first. The load is counted within an hour; then you can rate the skill.",
    ),
  };
  return (
    <>
      {own !== null && own.hidden !== null && (
        <p className="note warn">
          {t("An admin hid your rating.")} {own.hidden.reason !== null && <Plain>{own.hidden.reason}</Plain>}
        </p>
      )}
      {can_rate || own !== null ? (
        <div className="row">
          {can_rate && (
            <Button kind="main" onPress={() => onOpen({ what: "rate" })}>
              {own === null ? t("Rate this skill") : t("Change your rating")}
            </Button>
          )}
          {own !== null && <Button onPress={() => onOpen({ what: "withdraw" })}>{t("Delete your rating")}</Button>}
        </div>
      ) : (
        <p className="soft">{cannot_rate_because !== null && reasons[cannot_rate_because]}</p>
      )}
    </>
  );
}

function Item({
  rating,
  canAnswer,
  onOpen,
}: {
  rating: Rating;
  canAnswer: boolean;
  onOpen: (open: Open) => void;
}): ReactNode {
  const { rights } = useMe();
  const { stars, comment, version, updated_at, answer, is_own, hidden } = rating;
  return (
    <li>
      <div className="row">
        <Stars stars={stars} />
        <span className="soft">
          <When at={updated_at} />
        </span>
        {version !== null && (
          <span className="soft">
            {t("Version")} <Plain>{version}</Plain>
          </span>
        )}
        {is_own && <span className="tag">{t("yours")}</span>}
        {hidden !== null && <span className="tag warn">{t("hidden")}</span>}
      </div>
      {comment !== null && (
        <p className="said">
          <Plain>{comment}</Plain>
        </p>
      )}
      {answer !== null && (
        <blockquote>
          <strong>{t("Answer")}</strong>
          <p className="said">
            <Plain>{answer.text}</Plain>
          </p>
        </blockquote>
      )}
      <div className="row">
        {canAnswer && (
          <Button onPress={() => onOpen({ what: "answer", rating })}>
            {answer === null ? t("Answer") : t("Edit answer")}
          </Button>
        )}
        {rights.operate && (
          <Button onPress={() => onOpen({ what: hidden === null ? "hide" : "show", rating })}>
            {hidden === null ? t("Hide") : t("Show")}
          </Button>
        )}
        {!is_own && <Button onPress={() => onOpen({ what: "report", rating })}>{t("Report abuse")}</Button>}
      </div>
    </li>
  );
}

function Dialogs({
  id,
  own,
  open,
  onClose,
}: {
  id: string;
  own: Rating | null;
  open: Open;
  onClose: () => void;
}): ReactNode {
  const path = { id };
  switch (open.what) {
    case "rate":
      return <Rate id={id} own={own} onClose={onClose} />;
    case "withdraw":
      return (
        <Confirm
          title={t("Delete your rating?")}
          button={t("Delete")}
          done={t("Rating deleted.")}
          act={() => call("ratings.delete", { path })}
          onClose={onClose}
        >
          {t("Your stars no longer count, and your comment is deleted.")}
        </Confirm>
      );
    case "report-skill":
      return <Report id={id} onClose={onClose} />;
    case "report":
      return <Report id={id} rating={open.rating.id} onClose={onClose} />;
    case "answer":
      return <AnswerForm id={id} rating={open.rating} onClose={onClose} />;
    case "hide":
      return <Hide id={id} rating={open.rating} onClose={onClose} />;
    case "show":
      return (
        <Confirm
          title={t("Show the rating again?")}
          button={t("Show")}
          kind="main"
          done={t("Rating shown.")}
          act={() => call("ratings.hide", { path: { id, rating_id: open.rating.id }, body: { hidden: false } })}
          onClose={onClose}
        >
          {t("Everybody sees it, and its stars count.")}
        </Confirm>
      );
  }
}

/** Runs an action of a form, and then shows `done` and repeats all queries. */
function useAction(act: () => Promise<unknown>, done: string, onClose: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async () => {
      onClose();
      toast(done);
      await client.invalidateQueries();
    },
  });
}

const STARS = ["5", "4", "3", "2", "1"] as const;
const NAMES = { 5: t("5 – very good"), 4: t("4 – good"), 3: t("3 – fair"), 2: t("2 – poor"), 1: t("1 – very poor") };

function Rate({ id, own, onClose }: { id: string; own: Rating | null; onClose: () => void }): ReactNode {
  const [stars, setStars] = useState<(typeof STARS)[number]>(STARS.find((one) => Number(one) === own?.stars) ?? "5");
  const [comment, setComment] = useState(own?.comment ?? "");
  const { mutate, error, isPending } = useAction(
    () => call("ratings.put", { path: { id }, body: { stars: Number(stars), comment } }),
    t("Rating stored."),
    onClose,
  );
  return (
    <FormWindow
      title={t("Rate this skill")}
      button={t("Save")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Choice label={t("Stars")} value={stars} options={STARS.map((one) => [one, NAMES[one]])} onChange={setStars} />
      <LongField
        label={t("Comment")}
        help={t("Optional. Others see it without your name.")}
        value={comment}
        onChange={setComment}
        maxLength={2_000}
      />
    </FormWindow>
  );
}

function AnswerForm({ id, rating, onClose }: { id: string; rating: Rating; onClose: () => void }): ReactNode {
  const [text, setText] = useState(rating.answer?.text ?? "");
  const { mutate, error, isPending } = useAction(
    () => call("ratings.answer", { path: { id, rating_id: rating.id }, body: { text } }),
    text.trim() === "" ? t("Answer removed.") : t("Answer stored."),
    onClose,
  );
  return (
    <FormWindow
      title={t("Answer the rating")}
      button={t("Save")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <LongField
        label={t("Answer")}
        help={t("Everybody sees it. An empty text removes the answer.")}
        value={text}
        onChange={setText}
        maxLength={2_000}
      />
    </FormWindow>
  );
}

function Hide({ id, rating, onClose }: { id: string; rating: Rating; onClose: () => void }): ReactNode {
  const [reason, setReason] = useState("");
  const { mutate, error, isPending } = useAction(
    () => call("ratings.hide", { path: { id, rating_id: rating.id }, body: { hidden: true, reason } }),
    t("Rating hidden."),
    onClose,
  );
  return (
    <FormWindow
      title={t("Hide the rating")}
      button={t("Hide")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p className="soft">{t("Its stars no longer count. Only its user and admins see it.")}</p>
      <LongField
        label={t("Reason")}
        help={t("The user who wrote the rating sees it.")}
        value={reason}
        onChange={setReason}
        maxLength={500}
      />
    </FormWindow>
  );
}

function Report({ id, rating, onClose }: { id: string; rating?: string; onClose: () => void }): ReactNode {
  const [reason, setReason] = useState<"malicious" | "spam" | "illegal" | "personal_data" | "other">("malicious");
  const [message, setMessage] = useState("");
  const { mutate, error, isPending } = useAction(
    () =>
      call("reports.create", {
        path: { id },
        body: { reason, message, ...(rating === undefined ? {} : { rating_id: rating }) },
      }),
    t("Report sent."),
    onClose,
  );
  return (
    <FormWindow
      title={rating === undefined ? t("Report the skill") : t("Report the rating")}
      button={t("Send")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Choice
        label={t("Reason")}
        value={reason}
        options={[
          ["malicious", t("Malicious")],
          ["spam", t("Spam")],
          ["illegal", t("Illegal")],
          ["personal_data", t("Personal data")],
          ["other", t("Other reason")],
        ]}
        onChange={setReason}
      />
      <LongField
        label={t("Message")}
        help={t("Admins see it with your name.")}
        value={message}
        onChange={setMessage}
        maxLength={1_000}
      />
    </FormWindow>
  );
}
