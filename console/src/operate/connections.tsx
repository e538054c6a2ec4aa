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
      title="MCP servers"
      lead="Your accounts at servers that require a sign-in. Only your conversations and requests use them."
      tabs={SERVER_TABS}
    >
      <Answer of={answer} what="the connections">
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty icon={Link2} title="No connected servers">
              <p>
                Connect one under <Link to="/servers">MCP servers</Link>. A conversation also asks you when it needs
                one.
              </p>
            </Empty>
          ) : (
            <>
              <Table name="Connected servers" heads={["Server", "Owner", "Account at", "Scopes", "State", ""]}>
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
      <td>{scope === "group" ? <Plain>{group_name}</Plain> : scope === "user" ? "me" : "gateway"}</td>
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
          <Button kind="danger" aria-label={`Disconnect ${visible(server)}`} onPress={onLose}>
            Disconnect
          </Button>
        </div>
      </td>
    </tr>
  );
}
