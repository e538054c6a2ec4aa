// Lists MCP hosts with access to the gateway, with the time of sign-in and last use, and revokes access.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plug } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Grant } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { rich, t } from "../text/text";
import { Clients } from "./clients";

const ROWS = 50;
const route = getRouteApi("/grants");

export function Grants(): ReactNode {
  const { rights } = useMe();
  const { cursor } = route.useSearch();
  const answer = useQuery({
    queryKey: ["grants", cursor],
    queryFn: ({ signal }) =>
      slice("grants.list", { query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  const [lost, setLost] = useState<Grant | "all" | null>(null);
  const close = () => setLost(null);
  return (
    <Page
      title={t("Connected apps")}
      lead={t("MCP hosts that users have signed in. An app chooses its own name, and nobody verifies it.")}
      actions={
        (answer.data?.items.length ?? 0) > 0 && (
          <Button kind="danger" onPress={() => setLost("all")}>
            {t("Disconnect all of mine")}
          </Button>
        )
      }
    >
      <Answer of={answer} what={t("the apps")}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty icon={Plug} title={t("No connected apps")}>
              <p>
                {rich("Add {origin} as a server in an MCP host such as Claude or VS Code, and sign in.", {
                  origin: <code>{location.origin}/mcp</code>,
                })}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                name={t("Connected apps")}
                heads={[t("App"), t("User"), t("Resource"), t("Connected"), t("Last used"), t("Expires"), ""]}
              >
                {items.map((grant) => (
                  <tr key={grant.id}>
                    <td className="long">
                      <Plain>{grant.client_name}</Plain>
                      <div className="soft">
                        <Plain>{grant.client_id}</Plain>
                      </div>
                    </td>
                    <td>
                      <Plain>{grant.user_id}</Plain>
                    </td>
                    <td className="long">
                      <Plain>{grant.resource}</Plain>
                    </td>
                    <td>
                      <When at={grant.created_at} />
                    </td>
                    <td>
                      <When at={grant.last_used_at} />
                    </td>
                    <td>
                      <When at={grant.expires_at} />
                    </td>
                    <td>
                      <Button
                        kind="danger"
                        aria-label={t("Disconnect {client}", { client: visible(grant.client_name) })}
                        onPress={() => setLost(grant)}
                      >
                        {t("Disconnect")}
                      </Button>
                    </td>
                  </tr>
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
      {rights.operate && <Clients />}
      {lost === "all" && (
        <Confirm
          title={t("Disconnect all of my apps?")}
          button={t("Disconnect")}
          done={t("Apps disconnected.")}
          act={() => call("grants.endAll", {})}
          onClose={close}
        >
          {t("Their requests fail until you sign in to each app again.")}
        </Confirm>
      )}
      {lost !== null && lost !== "all" && (
        <Confirm
          title={t("Disconnect {client}?", { client: visible(lost.client_name) })}
          button={t("Disconnect")}
          done={t("App disconnected.")}
          act={() => call("grants.end", { path: { id: lost.id } })}
          onClose={close}
        >
          {t("Its requests fail until the user signs in again.")}
        </Confirm>
      )}
    </Page>
  );
}
