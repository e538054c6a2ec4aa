// Rates the shown turn of a conversation.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ThumbsDown, ThumbsUp } from "lucide-react";
import type { ReactNode } from "react";
import { call } from "../gateway/call";
import { Trouble } from "../parts/state";
import { t } from "../text/text";

/** A second press of the same button withdraws the feedback. */
export function Feedback({ id, turn }: { id: string; turn: number }): ReactNode {
  const client = useQueryClient();
  const key = ["conversation", id, "feedback", turn];
  const { data } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const query = { after: turn - 1, limit: 1 };
      const { items } = await call("conversations.feedback", { path: { id }, query }, signal);
      return items.find((item) => item.turn === turn) ?? null;
    },
  });
  const { mutate, error, isPending } = useMutation({
    mutationFn: (score: -1 | 0 | 1) => call("conversations.rateTurn", { path: { id }, body: { turn, score } }),
    onSuccess: (given) => client.setQueryData(key, given),
  });
  const score = data?.score ?? 0;
  const rate = (pressed: -1 | 1) => {
    if (!isPending) mutate(score === pressed ? 0 : pressed);
  };
  return (
    <div className="row tight">
      <button
        type="button"
        className="button quiet icon"
        aria-label={t("Good answer")}
        aria-pressed={score > 0}
        onClick={() => rate(1)}
      >
        <ThumbsUp size={16} aria-hidden="true" {...(score > 0 ? { fill: "currentColor" } : {})} />
      </button>
      <button
        type="button"
        className="button quiet icon"
        aria-label={t("Bad answer")}
        aria-pressed={score < 0}
        onClick={() => rate(-1)}
      >
        <ThumbsDown size={16} aria-hidden="true" {...(score < 0 ? { fill: "currentColor" } : {})} />
      </button>
      {error !== null && <Trouble error={error} />}
    </div>
  );
}
