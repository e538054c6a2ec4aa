// Lists pre-registered clients, which sign users in with an id and a secret. For admins.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { OAuthClient } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { Card } from "../parts/card";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { rich, t } from "../text/text";

/** The highest number of clients of a gateway. */
const MOST = 100;

export function Clients(): ReactNode {
  const answer = useQuery({
    queryKey: ["clients"],
    queryFn: ({ signal }) => slice("oauthClients.list", { query: { limit: MOST } }, signal),
  });
  const [lost, setLost] = useState<OAuthClient | null>(null);
  return (
    <Card title={t("Pre-registered clients")} isFlush>
      <Answer of={answer} what={t("the clients")}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="body soft">
              <span>
                {rich("No clients. Register one with {code}.", {
                  code: <code>PUT /api/v1/oauth-clients/&lt;name&gt;</code>,
                })}
              </span>
            </p>
          ) : (
            <Table name={t("Pre-registered clients")} heads={[t("Client"), t("Redirect URIs"), t("Registered"), ""]}>
              {items.map((client) => (
                <tr key={client.name}>
                  <td className="long">
                    <Plain>{client.display_name}</Plain>
                    <div className="soft">
                      <Plain>{client.client_id}</Plain>
                    </div>
                  </td>
                  <td className="long">
                    <Plain>{client.redirect_uris.join(", ")}</Plain>
                  </td>
                  <td>
                    <When at={client.created_at} />
                  </td>
                  <td>
                    <Button
                      kind="danger"
                      aria-label={t("Remove {client}", { client: visible(client.display_name) })}
                      onPress={() => setLost(client)}
                    >
                      {t("Remove")}
                    </Button>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Answer>
      {lost !== null && (
        <Confirm
          title={t("Remove {client}?", { client: visible(lost.display_name) })}
          button={t("Remove")}
          done={t("Client removed.")}
          act={() => call("oauthClients.delete", { path: { name: lost.name } })}
          onClose={() => setLost(null)}
        >
          {t("Users can no longer sign in with it, and the users it has signed in are signed out.")}
        </Confirm>
      )}
    </Card>
  );
}
