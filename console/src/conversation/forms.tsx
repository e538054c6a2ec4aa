// Contains the form for each kind of question.

import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { Answer, Elicited, SkillRequest } from "../../../sdk/src/client/types";
import { fieldsIn } from "../gateway/refusal";
import { Button } from "../parts/controls";
import { Plain, visible } from "../parts/text";
import { rich, t } from "../text/text";
import { FieldRow, fieldsOfForm, fieldsOfSchema, valuesIn } from "./fields";

export type Send = (answer: Answer) => void;
interface Asked {
  request: SkillRequest;
  send: Send;
}

const FORMS: Readonly<Record<string, (asked: Asked) => ReactNode>> = {
  confirm: Confirm,
  choose: Choose,
  form: Fill,
  open_url: OpenUrl,
};

/** Returns the form of an action. Actions that only an application implements share a generic form. */
export const formOf = (action: string) => FORMS[action] ?? Anything;

const text = (value: unknown) => (typeof value === "string" ? value : "");

function Confirm({ request: { payload }, send }: Asked): ReactNode {
  const { question, text: older, detail } = fieldsIn(payload);
  const say = (confirmed: boolean) => send({ success: true, result: { confirmed } });
  return (
    <>
      <p>
        <Plain>{text(question) || text(older)}</Plain>
      </p>
      {text(detail) !== "" && <pre>{visible(text(detail))}</pre>}
      <div className="row tight">
        <Button kind="main" onPress={() => say(true)}>
          {t("Allow")}
        </Button>
        <Button onPress={() => say(false)}>{t("Refuse")}</Button>
      </div>
    </>
  );
}

function Choose({ request: { payload }, send }: Asked): ReactNode {
  const { question, options, multiple } = fieldsIn(payload);
  const name = useId();
  const known = (Array.isArray(options) ? options : []).map(fieldsIn);
  return (
    <form
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        const chosen = new FormData(event.currentTarget).getAll(name).filter((one) => typeof one === "string");
        send({ success: true, result: { chosen } });
      }}
    >
      <fieldset>
        <legend>
          <Plain>{text(question)}</Plain>
        </legend>
        {known.map(({ value, label }) => (
          <label key={text(value)} className="checkbox">
            <input type={multiple === true ? "checkbox" : "radio"} name={name} value={text(value)} />
            <Plain>{text(label) || text(value)}</Plain>
          </label>
        ))}
      </fieldset>
      <div className="row tight">
        <Button kind="main" type="submit">
          {t("Send")}
        </Button>
      </div>
    </form>
  );
}

/** A server receives the user's action as MCP defines it. A skill receives the values. */
function Fill({ request: { payload, from }, send }: Asked): ReactNode {
  const id = useId();
  const { message, title, schema, fields: listed } = fieldsIn(payload);
  const fields = from?.kind === "server" ? fieldsOfSchema(schema) : fieldsOfForm(listed);
  const say = (elicited: Elicited) => {
    if (from?.kind === "server") send({ success: true, result: elicited });
    else if (elicited.action === "accept") send({ success: true, result: { values: elicited.content ?? {} } });
    else send({ success: false, error: "The user did not fill in the form." });
  };
  return (
    <form
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        say({ action: "accept", content: valuesIn(event.currentTarget, fields) });
      }}
    >
      <p>
        <Plain>{text(message) || text(title)}</Plain>
      </p>
      {fields.map((field, at) => (
        <FieldRow key={field.name} field={field} id={`${id}-${at}`} />
      ))}
      <Ways accept="Send" say={say} />
    </form>
  );
}

/** A link opens only after the user's click and shows its target. */
function OpenUrl({ request: { payload }, send }: Asked): ReactNode {
  const { message, url } = fieldsIn(payload);
  const target = URL.parse(text(url));
  const say = (elicited: Elicited) => send({ success: true, result: elicited });
  if (target === null || !["http:", "https:"].includes(target.protocol))
    return (
      <>
        <p>{t("The request names an address that is not a web page.")}</p>
        <Ways say={say} />
      </>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        open(target.href, "_blank", "noopener,noreferrer");
        say({ action: "accept" });
      }}
    >
      <p>
        <Plain>{text(message)}</Plain>
      </p>
      <p>
        {rich("Opens {host}", {
          host: (
            <strong>
              <Plain>{target.host}</Plain>
            </strong>
          ),
        })}
      </p>
      <pre>{visible(target.href)}</pre>
      <Ways accept={t("Open {host}", { host: visible(target.host) })} say={say} />
    </form>
  );
}

function Ways({ accept, say }: { accept?: string; say: (elicited: Elicited) => void }): ReactNode {
  return (
    <div className="row tight">
      {accept !== undefined && (
        <Button kind="main" type="submit">
          {accept}
        </Button>
      )}
      <Button onPress={() => say({ action: "decline" })}>{t("Decline")}</Button>
      <Button onPress={() => say({ action: "cancel" })}>{t("Cancel")}</Button>
    </div>
  );
}

/** A question that only an application implements: its data as text, and an answer in JSON. */
function Anything({ request: { action, payload }, send }: Asked): ReactNode {
  const [problem, setProblem] = useState(false);
  return (
    <form
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget).get("answer");
        try {
          send({ success: true, result: JSON.parse(text(given) || "null") });
          setProblem(false);
        } catch {
          setProblem(true);
        }
      }}
    >
      <p>
        {rich("This page has no form for the action {action}. Its data:", { action: <code>{visible(action)}</code> })}
      </p>
      <pre>{visible(JSON.stringify(payload, null, 2))}</pre>
      <label className="field">
        <span>{t("Answer (JSON)")}</span>
        <textarea name="answer" rows={2} spellCheck={false} />
      </label>
      {problem && <p role="alert">{t("The answer is not valid JSON.")}</p>}
      <div className="row tight">
        <Button kind="main" type="submit">
          {t("Answer")}
        </Button>
        <Button onPress={() => send({ success: false, error: "The user refused." })}>{t("Refuse")}</Button>
      </div>
    </form>
  );
}
