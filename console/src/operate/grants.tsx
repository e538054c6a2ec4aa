// Lists MCP hosts with access to the gateway, with the time of sign-in and last use, and revokes access.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Grant } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { Title } from "../parts/title";
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
    <>
      <Title>Connected apps</Title>
      <p className="soft">
        MCP hosts that may use the gateway, since somebody has signed in for them. A host calls itself what it likes:
        nobody has verified its name.
      </p>
      <Answer of={answer} what="the apps">
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty title="No app is connected">
              <p>
                Give an MCP host the address <code>{location.origin}/mcp</code>: it leads to a sign-in, and then stands
                here.
              </p>
            </Empty>
          ) : (
            <>
              <p>
                <Button kind="danger" onPress={() => setLost("all")}>
                  Disconnect all of mine
                </Button>
              </p>
              <Table name="Connected apps" heads={["App", "User", "Opens", "Since", "Last used", "Ends", ""]}>
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
                        aria-label={`Disconnect ${visible(grant.client_name)}`}
                        onPress={() => setLost(grant)}
                      >
                        Disconnect
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
          title="Disconnect all of my apps?"
          button="Disconnect them"
          act={() => call("grants.endAll", {})}
          onClose={close}
        >
          Each is refused from now on, until you sign in for it again.
        </Confirm>
      )}
      {lost !== null && lost !== "all" && (
        <Confirm
          title={`Disconnect ${visible(lost.client_name)}?`}
          button="Disconnect it"
          act={() => call("grants.end", { path: { id: lost.id } })}
          onClose={close}
        >
          It is refused from now on, until its user signs in for it again.
        </Confirm>
      )}
    </>
  );
}
