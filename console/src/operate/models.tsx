// Lists the stored model entries of the user, a group or the gateway.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Cpu } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Model } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { t } from "../text/text";
import { ModelForm } from "./model-form";
import { Offered } from "./offered-models";
import { Owners, ownerAsked } from "./owners";

const ROWS = 50;
const route = getRouteApi("/models");

export function Models(): ReactNode {
  const { of, cursor, new: isNew } = route.useSearch();
  const navigate = useNavigate({ from: "/models" });
  const owner = ownerAsked(of);
  const answer = useQuery({
    queryKey: ["models", of, cursor],
    queryFn: ({ signal }) =>
      slice("models.list", { query: { ...owner, limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  const [form, setForm] = useState<Model | "new" | null>(isNew === undefined ? null : "new");
  const [lost, setLost] = useState<Model | null>(null);
  return (
    <Page
      title={t("Models")}
      lead={t("Models that the chat endpoint and the playground can use.")}
      actions={
        <Button kind="main" onPress={() => setForm("new")}>
          {t("Add model")}
        </Button>
      }
    >
      <Offered />
      <section className="section" aria-labelledby="stored-models">
        <h2 id="stored-models">{t("Stored models")}</h2>
        <div className="row">
          <Owners of={of} onChange={(next) => void navigate({ search: next === "" ? {} : { of: next } })} />
        </div>
        <Answer of={answer} what={t("the models")}>
          {({ items, next }) =>
            items.length === 0 && cursor === undefined ? (
              <Empty icon={Cpu} title={t("No stored models")}>
                <p>{t("Add the base URL of a provider, the name of a model, and a secret with the API key.")}</p>
              </Empty>
            ) : (
              <>
                <Table
                  name={t("Models")}
                  heads={[t("Name"), t("Model"), t("Base URL"), t("Key"), t("APIs"), t("Updated"), ""]}
                >
                  {items.map((model) => (
                    <tr key={model.name}>
                      <th scope="row">
                        <Plain>{model.name}</Plain>
                      </th>
                      <td>
                        <Plain>{model.model}</Plain>
                      </td>
                      <td className="long">
                        <Plain>{model.base_url}</Plain>
                      </td>
                      <td>{model.key === undefined ? t("none") : <Plain>{model.key}</Plain>}</td>
                      <td>{model.api.join(", ")}</td>
                      <td>
                        <When at={model.updated_at} />
                      </td>
                      <td>
                        <div className="row tight">
                          <Button
                            aria-label={t("Edit {name}", { name: visible(model.name) })}
                            onPress={() => setForm(model)}
                          >
                            {t("Edit")}
                          </Button>
                          <Button
                            kind="danger"
                            aria-label={t("Delete {name}", { name: visible(model.name) })}
                            onPress={() => setLost(model)}
                          >
                            {t("Delete")}
                          </Button>
                        </div>
                      </td>
                    </tr>
                  ))}
                </Table>
                <Pages cursor={cursor} next={next} />
              </>
            )
          }
        </Answer>
      </section>
      {form !== null && <ModelForm owner={owner} model={form === "new" ? null : form} onClose={() => setForm(null)} />}
      {lost !== null && (
        <Confirm
          title={t("Delete {name}?", { name: visible(lost.name) })}
          button={t("Delete")}
          done={t("Model deleted.")}
          act={() => call("models.delete", { path: { name: lost.name }, query: owner })}
          onClose={() => setLost(null)}
        >
          {t("Requests that name this model will fail. The stored secret is kept.")}
        </Confirm>
      )}
    </Page>
  );
}
