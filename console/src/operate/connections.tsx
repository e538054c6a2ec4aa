// Lists the MCP servers that the user can sign in to, with the user's connections.

import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Connection } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Answer, Empty, Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { Title } from "../parts/title";

const ROWS = 100;
const STATES: Record<Connection["state"], string> = {
  active: "connected",
  pending: "not confirmed",
  ended: "sign in again",
};

/** A server, and the user's connection to it. */
interface Row {
  name: string;
  scope: "user" | "group" | "gateway";
  group: string | null;
  connection: Connection | null;
}

export function Connections(): ReactNode {
  const answer = useQuery({ queryKey: ["connections"], queryFn: ({ signal }) => rowsOf(signal) });
  const [ended, setEnded] = useState<Connection | null>(null);
  return (
    <>
      <Title>Connections</Title>
      <p className="soft">Your accounts at MCP servers that require a sign-in. Your conversations use them.</p>
      <Answer of={answer} what="the connections">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No MCP servers">
              <p>
                Add one with <code>PUT /api/v1/servers/&lt;name&gt;</code>, then connect it here.
              </p>
            </Empty>
          ) : (
            <Table name="Connections" heads={["Server", "Owner", "Account at", "Scopes", "State", ""]}>
              {rows.map((row) => (
                <ServerRow key={keyOf(row)} row={row} onEnd={setEnded} />
              ))}
            </Table>
          )
        }
      </Answer>
      {ended !== null && (
        <Confirm
          title={`Disconnect ${visible(ended.server)}?`}
          button="Disconnect"
          act={() => call("connections.delete", { path: { id: ended.id } })}
          onClose={() => setEnded(null)}
        >
          Calls of this server fail until you connect it again. The gateway deletes and revokes its tokens.
        </Confirm>
      )}
    </>
  );
}

function ServerRow({
  row: { name, scope, group, connection },
  onEnd,
}: {
  row: Row;
  onEnd: (one: Connection) => void;
}): ReactNode {
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("connections.create", { path: { name }, body: {} }),
    // The page of the gateway continues at the server's issuer.
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <tr>
      <td>
        <Plain>{name}</Plain>
      </td>
      <td>{scope === "group" ? <Plain>{group ?? ""}</Plain> : scope === "user" ? "you" : "the gateway"}</td>
      <td>{connection !== null && <Plain>{new URL(connection.issuer).host}</Plain>}</td>
      <td className="long">{connection !== null && <Plain>{connection.granted.join(" ")}</Plain>}</td>
      <td>
        {connection === null ? (
          <span className="soft">not connected</span>
        ) : (
          <>
            <span className={connection.state === "active" ? "tag good" : "tag bad"}>{STATES[connection.state]}</span>{" "}
            since <When at={connection.created_at} />
          </>
        )}
        {error !== null && <Trouble error={error} />}
      </td>
      <td>
        <Button isDisabled={isPending} aria-label={`Connect ${visible(name)}`} onPress={() => mutate()}>
          {connection === null ? "Connect" : "Connect again"}
        </Button>
        {connection !== null && (
          <Button kind="danger" aria-label={`Disconnect ${visible(name)}`} onPress={() => onEnd(connection)}>
            Disconnect
          </Button>
        )}
      </td>
    </tr>
  );
}

const keyOf = ({ scope, group, name }: Omit<Row, "connection">) => JSON.stringify([scope, group, name]);

/** Returns the servers that the user can use, and connections to other servers, which can only be ended. */
async function rowsOf(signal: AbortSignal): Promise<Row[]> {
  const query = { limit: ROWS };
  const [usable, connections] = await Promise.all([
    slice("servers.usable", { query }, signal),
    slice("connections.list", { query }, signal),
  ]);
  const rows = new Map<string, Row>();
  for (const { name, scope, group_name: group = null } of usable.items)
    rows.set(keyOf({ name, scope, group }), { name, scope, group, connection: null });
  for (const connection of connections.items) {
    const { server: name, scope, group_name: group = null } = connection;
    const key = keyOf({ name, scope, group });
    // An unconfirmed connection is not used, and another one can be.
    if (connection.state === "pending" && (rows.get(key)?.connection ?? null) !== null) continue;
    rows.set(key, { name, scope, group, connection });
  }
  return [...rows.values()];
}
