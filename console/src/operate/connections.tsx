// Lists the user's connections to MCP servers, and disconnects them.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Link2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Connection } from "../../../sdk/src/generated/operations";
import { slice } from "../gateway/call";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible } from "../parts/text";
import { SERVER_TABS } from "../shell/places";
import { rich, t } from "../text/text";
import { Connect, ConnectionState, Disconnect } from "./connect";

const ROWS = 50;
const route = getRouteApi("/connections");

export function Connections(): ReactNode {
  const { cursor } = route.useSearch();
  const answer = useQuery({
    queryKey: ["connections", cursor],
    queryFn: ({ signal }) =>
      slice("connections.list", { query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  const [lost, setLost] = useState<Connection | null>(null);
  return (
    <Page
      title={t("MCP servers")}
      lead={t("Your accounts at servers that require a sign-in. Only your conversations and requests use them.")}
      tabs={SERVER_TABS}
    >
      <Answer of={answer} what={t("the connections")}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty icon={Link2} title={t("No connected servers")}>
              <p>
                {rich("Connect one under {link}. A conversation also asks you when it needs one.", {
                  link: <Link to="/servers">{t("MCP servers")}</Link>,
                })}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                name={t("Connected servers")}
                heads={[t("Server"), t("Owner"), t("Account at"), t("Scopes"), t("State"), ""]}
              >
                {items.map((connection) => (
                  <Row key={connection.id} connection={connection} onLose={() => setLost(connection)} />
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
      {lost !== null && <Disconnect connection={lost} onClose={() => setLost(null)} />}
    </Page>
  );
}

function Row({ connection, onLose }: { connection: Connection; onLose: () => void }): ReactNode {
  const { server, scope, group_name = "", url, issuer, granted, state } = connection;
  return (
    <tr>
      <td className="long">
        <Plain>{server}</Plain>
        <div className="soft">
          <Plain>{url}</Plain>
        </div>
      </td>
      <td>{scope === "group" ? <Plain>{group_name}</Plain> : scope === "user" ? t("me") : t("gateway")}</td>
      <td>
        <Plain>{URL.parse(issuer)?.host ?? issuer}</Plain>
      </td>
      <td className="long">
        <Plain>{granted.join(" ")}</Plain>
      </td>
      <td>
        <ConnectionState connection={connection} />
      </td>
      <td>
        <div className="row tight">
          {state !== "active" && <Connect name={server} connection={connection} />}
          <Button kind="danger" aria-label={t("Disconnect {server}", { server: visible(server) })} onPress={onLose}>
            {t("Disconnect")}
          </Button>
        </div>
      </td>
    </tr>
  );
}
