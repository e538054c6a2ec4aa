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
      title="Models"
      lead="Models that the chat endpoint and the playground can use."
      actions={
        <Button kind="main" onPress={() => setForm("new")}>
          Add model
        </Button>
      }
    >
      <Offered />
      <section className="section" aria-labelledby="stored-models">
        <h2 id="stored-models">Stored models</h2>
        <div className="row">
          <Owners of={of} onChange={(next) => void navigate({ search: next === "" ? {} : { of: next } })} />
        </div>
        <Answer of={answer} what="the models">
          {({ items, next }) =>
            items.length === 0 && cursor === undefined ? (
              <Empty icon={Cpu} title="No stored models">
                <p>Add the base URL of a provider, the name of a model, and a secret with the API key.</p>
              </Empty>
            ) : (
              <>
                <Table name="Models" heads={["Name", "Model", "Base URL", "Key", "APIs", "Updated", ""]}>
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
                      <td>{model.key === undefined ? "none" : <Plain>{model.key}</Plain>}</td>
                      <td>{model.api.join(", ")}</td>
                      <td>
                        <When at={model.updated_at} />
                      </td>
                      <td>
                        <div className="row tight">
                          <Button aria-label={`Edit ${visible(model.name)}`} onPress={() => setForm(model)}>
                            Edit
                          </Button>
                          <Button
                            kind="danger"
                            aria-label={`Delete ${visible(model.name)}`}
                            onPress={() => setLost(model)}
                          >
                            Delete
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
          title={`Delete ${visible(lost.name)}?`}
          button="Delete"
          done="Model deleted."
          act={() => call("models.delete", { path: { name: lost.name }, query: owner })}
          onClose={() => setLost(null)}
        >
          Requests that name this model will fail. The stored secret is kept.
        </Confirm>
      )}
    </Page>
  );
}
