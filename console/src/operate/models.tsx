// Lists the stored model entries of the user, a group or the gateway.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Model } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { Title } from "../parts/title";
import { ModelForm } from "./model-form";
import { Offered } from "./offered-models";
import { Owners, ownerAsked } from "./owners";

const ROWS = 50;
const route = getRouteApi("/models");

export function Models(): ReactNode {
  const { of, cursor } = route.useSearch();
  const navigate = useNavigate({ from: "/models" });
  const owner = ownerAsked(of);
  const answer = useQuery({
    queryKey: ["models", of, cursor],
    queryFn: ({ signal }) =>
      slice("models.list", { query: { ...owner, limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  const [form, setForm] = useState<Model | "new" | null>(null);
  const [lost, setLost] = useState<Model | null>(null);
  return (
    <>
      <Title>Models</Title>
      <Offered />
      <h2>Written by their owners</h2>
      <div className="row">
        <Owners of={of} onChange={(next) => void navigate({ search: next === "" ? {} : { of: next } })} />
        <Button kind="main" onPress={() => setForm("new")}>
          Add a model
        </Button>
      </div>
      <Answer of={answer} what="the models">
        {({ items, next }) =>
          items.length === 0 && cursor === undefined ? (
            <Empty title="There is no model here">
              <p>A model is a vendor's address, the vendor's name for it, and the secret that holds the key.</p>
            </Empty>
          ) : (
            <>
              <Table name="Models" heads={["Name", "Model", "Address", "Key", "Speaks", "Changed", ""]}>
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
                        <Button aria-label={`Change ${visible(model.name)}`} onPress={() => setForm(model)}>
                          Change
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
      {form !== null && <ModelForm owner={owner} model={form === "new" ? null : form} onClose={() => setForm(null)} />}
      {lost !== null && (
        <Confirm
          title={`Delete ${visible(lost.name)}?`}
          button="Delete it"
          act={() => call("models.delete", { path: { name: lost.name }, query: owner })}
          onClose={() => setLost(null)}
        >
          Whoever asks for it by this name is refused from now on. Its secret stays.
        </Confirm>
      )}
    </>
  );
}
