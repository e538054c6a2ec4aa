// Lists the models that the user can request, of any owner, and tests whether they respond.

import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ask, slice } from "../gateway/call";
import { Card } from "../parts/card";
import { Button } from "../parts/controls";
import { Answer, Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, visible } from "../parts/text";
import { t } from "../text/text";

/** The number of models shown. More can be requested by name. */
const ROWS = 100;
const SCRIPTED = "demo";
/** Suffix of the second entry of each model, which works without skills. */
const PLAIN = ":plain";

export function Offered(): ReactNode {
  const answer = useQuery({ queryKey: ["models", "offered"], queryFn: ({ signal }) => offeredModels(signal) });
  return (
    <Card title={t("Available models")} aside={t("A test sends the model one word")} isFlush>
      <Answer of={answer} what={t("the models")}>
        {(models) =>
          models.length === 0 ? (
            <p className="body soft">{t("No model is available to your key.")}</p>
          ) : (
            <Table name={t("Available models")} heads={[t("Name"), t("Owner"), t("State"), ""]}>
              {models.map(({ name, isMine }) => (
                <Offer key={name} name={name} isMine={isMine} />
              ))}
            </Table>
          )
        }
      </Answer>
    </Card>
  );
}

function Offer({ name, isMine }: { name: string; isMine: boolean }): ReactNode {
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => tried(name) });
  return (
    <tr>
      <th scope="row">
        <Plain>{name}</Plain>
      </th>
      <td>{isMine ? t("me") : name === SCRIPTED ? t("built in (scripted)") : t("group or gateway")}</td>
      <td>
        <div role="status">
          {isPending ? (
            t("Testing…")
          ) : data === undefined ? (
            error === null && <span className="soft">{t("not tested")}</span>
          ) : (
            <>
              <span className="tag good">{t("responds")}</span> {`${figure(data)} ms`}
            </>
          )}
        </div>
        {error !== null && <Trouble error={error} />}
      </td>
      <td>
        <Button isDisabled={isPending} aria-label={t("Test {name}", { name: visible(name) })} onPress={() => mutate()}>
          {t("Test")}
        </Button>
      </td>
    </tr>
  );
}

/** Returns the time in milliseconds that a model takes for one word. The test costs a few tokens and creates no conversation. */
async function tried(name: string): Promise<number> {
  const began = performance.now();
  const answer = await ask("/openai/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: name + PLAIN, messages: [{ role: "user", content: "Say: yes" }] }),
  });
  await answer.arrayBuffer();
  return Math.round(performance.now() - began);
}

async function offeredModels(signal: AbortSignal): Promise<{ name: string; isMine: boolean }[]> {
  const [answer, own] = await Promise.all([
    ask("/openai/v1/models", { signal }),
    slice("models.list", { query: { limit: ROWS } }, signal),
  ]);
  const mine = new Set(own.items.map(({ name }) => name));
  return namesIn(await answer.json())
    .filter((name) => !name.endsWith(PLAIN))
    .slice(0, ROWS)
    .map((name) => ({ name, isMine: mine.has(name) }));
}

/** Returns the ids of a list in OpenAI's format, or an empty list for other values. */
function namesIn(list: unknown): string[] {
  const data: unknown = typeof list === "object" && list !== null && "data" in list ? list.data : [];
  return (Array.isArray(data) ? data : []).flatMap((model: unknown) =>
    typeof model === "object" && model !== null && "id" in model && typeof model.id === "string" ? [model.id] : [],
  );
}
