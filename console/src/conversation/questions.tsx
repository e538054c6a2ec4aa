// Shows the questions of skills, servers and back ends for an answer by the user. Their content is shown as text, next to the sender.

import { type ReactNode, useState } from "react";
import type { Ack, Answer, SkillRequest } from "../../../sdk/src/client/types";
import { Plain } from "../parts/text";
import { t } from "../text/text";
import { formOf, type Send } from "./forms";

/** `answered`: the actions that the page answers itself, without the user. */
export function Questions({
  pending,
  answered,
  answer,
}: {
  pending: readonly SkillRequest[];
  answered: readonly string[];
  answer: (id: string, answer: Answer) => Promise<Ack>;
}): ReactNode {
  const open = pending.filter(({ action }) => !answered.includes(action));
  return (
    <section aria-live="polite" aria-label={t("Questions")}>
      {open.map((request) => (
        <Question key={request.request_id} request={request} answer={answer} />
      ))}
    </section>
  );
}

function Question({
  request,
  answer,
}: {
  request: SkillRequest;
  answer: (id: string, answer: Answer) => Promise<Ack>;
}): ReactNode {
  const [problem, setProblem] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const Form = formOf(request.action);
  const send: Send = (given) => {
    setSent(true);
    setProblem(null);
    void answer(request.request_id, given).then((ack) => {
      setSent(false);
      if (!ack.success) setProblem(inWords(ack));
    });
  };
  return (
    <div className="note question">
      <p>
        <strong>
          <Plain>{whoAsks(request)}</Plain>
        </strong>
        {/* After a reload or a lost connection the question is sent again. */}
        {request.attempt > 1 && (
          <span className="soft"> {t("asked {attempt} times", { attempt: request.attempt })}</span>
        )}
      </p>
      <fieldset disabled={isSent}>
        <Form request={request} send={send} />
      </fieldset>
      {problem !== null && (
        <p role="alert">
          <Plain>{problem}</Plain>
        </p>
      )}
    </div>
  );
}

function inWords(ack: Exclude<Ack, { success: true }>): string {
  if (ack.error === "invalid_answer")
    return t("The answer is not valid: {problems}", { problems: ack.problems.join("; ") });
  if (ack.error === "already_resolved") return t("This question was already answered.");
  return t("This question has expired.");
}

/** Only the gateway sets `from`: a skill that pretends to be a server is shown as a skill. */
function whoAsks({ from, skill_name }: SkillRequest): string {
  if (from?.kind === "server")
    return t("The MCP server “{name}” at {host} asks:", { name: from.name, host: from.host });
  return skill_name === null ? t("The chat asks:") : t("The skill “{skill}” asks:", { skill: skill_name });
}
