// Shows the questions of skills, servers and back ends for an answer by the user. Their content is shown as text, next to the sender.

import { type ReactNode, useState } from "react";
import type { Ack, Answer, SkillRequest } from "../../../sdk/src/client/types";
import { Plain } from "../parts/text";
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
    <section aria-live="polite" aria-label="Questions">
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
        {request.attempt > 1 && <span className="soft"> asked {request.attempt} times</span>}
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
  if (ack.error === "invalid_answer") return `The answer is not valid: ${ack.problems.join("; ")}`;
  if (ack.error === "already_resolved") return "This question was already answered.";
  return "This question has expired.";
}

/** Only the gateway sets `from`: a skill that pretends to be a server is shown as a skill. */
function whoAsks({ from, skill_name }: SkillRequest): string {
  if (from?.kind === "server") return `The MCP server “${from.name}” at ${from.host} asks:`;
  return skill_name === null ? "The chat asks:" : `The skill “${skill_name}” asks:`;
}
