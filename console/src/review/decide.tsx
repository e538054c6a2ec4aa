// Dialogs: decide a submission, comment on it, and submit a draft.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Label, TextArea, TextField } from "react-aria-components";
import type { Draft, ReviewInFull } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Choice, Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { visible } from "../parts/text";
import { toast } from "../parts/toast";
import { t } from "../text/text";
import { RegressionNote } from "./tests";

export type Decision = "approve" | "request_changes" | "reject";

const TITLES: Record<Decision, (name: string) => string> = {
  approve: (name) => t("Approve {name}?", { name }),
  request_changes: (name) => t("Request changes to {name}?", { name }),
  reject: (name) => t("Reject {name}?", { name }),
};
const BUTTONS: Record<Decision, string> = {
  approve: t("Approve and publish"),
  request_changes: t("Request changes"),
  reject: t("Reject"),
};
const EFFECTS: Record<Decision, string> = {
  approve: t("The content that you read becomes the current version. If it has changed meanwhile, nothing happens."),
  request_changes: t("The author can push another draft, which you decide again."),
  reject: t("The submission ends. The author can submit the draft again."),
};
const DONE: Record<Decision, string> = {
  approve: t("Approved and published."),
  request_changes: t("Changes requested."),
  reject: t("Submission rejected."),
};

export function DecisionWindow({
  decision,
  review,
  onClose,
}: {
  decision: Decision;
  review: ReviewInFull;
  onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  // What the reviewer has read: a refreshed page behind the dialog does not change it.
  const [{ id, zip_sha256, base, name, test_results }] = useState(review);
  const [comment, setComment] = useState("");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call("reviews.decide", {
        path: { id },
        body: {
          decision,
          zip_sha256,
          ...(decision === "approve" ? { base_version_id: base?.version_id ?? null } : {}),
          ...(comment.trim() === "" ? {} : { comment }),
        },
      }),
    onSuccess: async () => {
      onClose();
      toast(DONE[decision]);
      await client.invalidateQueries();
    },
    // The submission may have changed: show it as it is now.
    onError: () => client.invalidateQueries({ queryKey: ["review", id] }),
  });
  return (
    <FormWindow
      title={TITLES[decision](visible(name))}
      button={BUTTONS[decision]}
      isBusy={isPending}
      isIncomplete={decision !== "approve" && comment.trim() === ""}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p>{EFFECTS[decision]}</p>
      {decision === "approve" && <RegressionNote of={test_results} />}
      <Area
        label={decision === "approve" ? t("Comment (optional)") : t("Reason")}
        value={comment}
        onChange={setComment}
      />
    </FormWindow>
  );
}

export function CommentWindow({ review, onClose }: { review: ReviewInFull; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const [comment, setComment] = useState("");
  const [place, setPlace] = useState("");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("reviews.comment", { path: { id: review.id }, body: { comment, ...placeOf(place) } }),
    onSuccess: async () => {
      onClose();
      toast(t("Comment added."));
      await client.invalidateQueries({ queryKey: ["review", review.id] });
    },
  });
  return (
    <FormWindow
      title={t("Comment")}
      button={t("Add comment")}
      isBusy={isPending}
      isIncomplete={comment.trim() === ""}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Area label={t("Comment")} value={comment} onChange={setComment} />
      <Field
        label={t("File and line, such as {place} (optional)", { place: "SKILL.md:12" })}
        value={place}
        onChange={setPlace}
      />
    </FormWindow>
  );
}

/** Reads `path` or `path:line`. */
function placeOf(place: string): { path?: string; line?: number } {
  const [, path, line] = /^(.+?)(?::(\d{1,7}))?$/.exec(place.trim()) ?? [];
  if (path === undefined) return {};
  return { path, ...(line === undefined ? {} : { line: Number(line) }) };
}

export function SubmitWindow({ draft, onClose }: { draft: Draft; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const targets = useTargets();
  const [to, setTo] = useState(draft.is_public || draft.namespace === "default" ? PUBLIC : draft.namespace);
  const [comment, setComment] = useState("");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call("reviews.submit", {
        body: {
          draft: draft.name,
          ...(to === PUBLIC ? { public: true } : { namespace: to }),
          ...(comment.trim() === "" ? {} : { comment }),
        },
      }),
    onSuccess: async ({ id }) => {
      onClose();
      toast(t("Draft submitted."));
      await navigate({ to: "/review/$id", params: { id } });
      await client.invalidateQueries();
    },
  });
  return (
    <FormWindow
      title={t("Submit {name} for review?", { name: visible(draft.name) })}
      button={t("Submit")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p>{t("Reviewers of the scope can read the draft. Approval publishes it there as your version.")}</p>
      <Choice label={t("Scope")} value={to} options={targets} onChange={setTo} />
      <Area label={t("Note for the reviewers (optional)")} value={comment} onChange={setComment} />
    </FormWindow>
  );
}

/** The value for public skills. It is no name of a group. */
const PUBLIC = "public";

/** The scopes that the user can submit to. */
function useTargets(): (readonly [value: string, text: string])[] {
  const { rights } = useMe();
  const groups = rights.namespaces.filter(
    ({ namespace, publish }) => publish && namespace !== "default" && namespace !== PUBLIC,
  );
  return [[PUBLIC, t("public")], ...groups.map(({ namespace }) => [namespace, visible(namespace)] as const)];
}

function Area({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}): ReactNode {
  return (
    <TextField className="field" value={value} onChange={onChange} maxLength={4_000}>
      <Label>{label}</Label>
      <TextArea rows={4} />
    </TextField>
  );
}
