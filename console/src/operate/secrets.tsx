// Lists secrets by name. A value is write-only and never shown again.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Secret } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Empty, Later } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { rich, t } from "../text/text";
import { type OwnerAsked, Owners, ownerAsked } from "./owners";
import { SecretForm } from "./secret-form";

const ROWS = 50;
const route = getRouteApi("/secrets");

export function Secrets(): ReactNode {
  const { of, cursor, new: isNew } = route.useSearch();
  const navigate = useNavigate({ from: "/secrets" });
  const owner = ownerAsked(of);
  const answer = useQuery({
    queryKey: ["secrets", of, cursor],
    queryFn: ({ signal }) =>
      slice("secrets.list", { query: { ...owner, limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  const uses = useQuery({ queryKey: ["secret uses", of], queryFn: ({ signal }) => usesOf(owner, signal) });
  const [form, setForm] = useState<Secret | "new" | null>(isNew === undefined ? null : "new");
  const [lost, setLost] = useState<Secret | null>(null);
  return (
    <Page
      title={t("Secrets")}
      lead={t(
        "Credentials for MCP servers and models. A value is never shown again, and it is sent only to its hosts.",
      )}
      actions={
        <Button kind="main" onPress={() => setForm("new")}>
          {t("Store secret")}
        </Button>
      }
    >
      <div className="row">
        <Owners of={of} onChange={(next) => void navigate({ search: next === "" ? {} : { of: next } })} />
      </div>
      <Answer of={answer} what={t("the secrets")}>
        {({ items, next }) =>
          items.length === 0 && cursor === undefined ? (
            <Empty icon={Lock} title={t("No secrets yet")}>
              <p>
                {rich("Store a credential, then refer to it in servers and models as {code}.", {
                  code: (
                    <code>
                      {"$"}
                      {"{{secrets.NAME}}"}
                    </code>
                  ),
                })}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                name={t("Secrets")}
                heads={[t("Name"), t("Hosts"), t("Used by"), t("Updated"), t("Last used"), ""]}
              >
                {items.map((secret) => (
                  <tr key={secret.name}>
                    <td>
                      <Plain>{secret.name}</Plain>
                    </td>
                    <td className="long">
                      <Plain>{secret.hosts.join(", ")}</Plain>
                    </td>
                    <td className="long">
                      <Later of={uses}>{(data) => <Plain>{namedBy(data, secret.name)}</Plain>}</Later>
                    </td>
                    <td>
                      <When at={secret.updated_at} />
                    </td>
                    <td>
                      <When at={secret.last_used_at} />
                    </td>
                    <td>
                      <div className="row tight">
                        <Button
                          aria-label={t("Replace {name}", { name: visible(secret.name) })}
                          onPress={() => setForm(secret)}
                        >
                          {t("Replace")}
                        </Button>
                        <Button
                          kind="danger"
                          aria-label={t("Delete {name}", { name: visible(secret.name) })}
                          onPress={() => setLost(secret)}
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
      {form !== null && (
        <SecretForm owner={owner} secret={form === "new" ? null : form} onClose={() => setForm(null)} />
      )}
      {lost !== null && (
        <Confirm
          title={t("Delete {name}?", { name: visible(lost.name) })}
          button={t("Delete")}
          done={t("Secret deleted.")}
          act={() => call("secrets.delete", { path: { name: lost.name }, query: owner })}
          onClose={() => setLost(null)}
        >
          {t("Servers and models that use it fail at their next request. The value cannot be restored.")}
        </Confirm>
      )}
    </Page>
  );
}

/** Returns the first servers and models of the same owner with the text of their entries, which can refer to a secret. */
async function usesOf({ scope, group_name }: OwnerAsked, signal: AbortSignal): Promise<[name: string, text: string][]> {
  const group = group_name === undefined ? {} : { group_name };
  const limit = 100;
  const [servers, models] = await Promise.all([
    scope === "gateway"
      ? slice("mcpServers.list", { query: { limit } }, signal)
      : slice("servers.list", { query: { limit, ...group, ...(scope === undefined ? {} : { scope }) } }, signal),
    slice("models.list", { query: { limit, ...group, ...(scope === undefined ? {} : { scope }) } }, signal),
  ]);
  return [
    ...servers.items.map(({ name, ...entry }): [string, string] => [
      t("server {name}", { name }),
      JSON.stringify(entry),
    ]),
    ...models.items.map(({ name, ...entry }): [string, string] => [t("model {name}", { name }), JSON.stringify(entry)]),
  ];
}

function namedBy(uses: readonly [name: string, text: string][], secret: string): string {
  const users = uses.filter(([, text]) => new RegExp(`secrets\\.${secret}\\b`).test(text)).map(([name]) => name);
  return users.length === 0 ? t("nothing") : users.join(", ");
}
