// Lists the MCP servers that the user can use, with the user's connection to each, and their health: from a test, and from calls of
// conversations.

import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Server as ServerIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Connection, McpServerTest } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Answer, Empty, Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, visible, When } from "../parts/text";
import { SERVER_TABS } from "../shell/places";
import { rich, t } from "../text/text";
import { byServer, Connect, ConnectionState, Disconnect, serverKey } from "./connect";
import { ServerCatalog } from "./server-catalog";
import { ServerDetails } from "./server-details";

const ROWS = 100;
/** The interval of list requests while the page is visible, in milliseconds. A failed server is shown as down within ten seconds. */
const AGAIN = 5_000;

/**
 * A server of any owner as the page shows it. `downSince`: the time when calls began to fail; `test`: the request that tests it, if the
 * user has the right.
 */
interface Row {
  name: string;
  scope: "user" | "group" | "gateway";
  group: string | null;
  url: string | null;
  isOn: boolean;
  downSince: string | null;
  test: (() => Promise<McpServerTest>) | null;
  connection: Connection | null;
}

export function Servers(): ReactNode {
  const { rights } = useMe();
  const answer = useQuery({
    queryKey: ["servers", rights.operate],
    queryFn: ({ signal }) => rowsOf(rights.operate, signal),
    refetchInterval: AGAIN,
  });
  const [lost, setLost] = useState<Connection | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState<string | null>(null);
  const isTaken = (owner: "user" | "gateway", taken: string) =>
    answer.data?.some(({ name, scope }) => name === taken && scope === owner) ?? true;
  return (
    <Page
      title={t("MCP servers")}
      lead={t("Servers whose tools conversations can call. Connect a server if it requires you to sign in.")}
      tabs={SERVER_TABS}
      actions={
        <Button kind="main" onPress={() => setAdding(true)}>
          {t("Add server")}
        </Button>
      }
    >
      <Answer of={answer} what={t("the servers")}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={ServerIcon} title={t("No MCP servers")}>
              <p>
                {rich(
                  "Add a server from the catalog, or any other with {code}. Skills and agents can also bring their own.",
                  { code: <code>PUT /api/v1/servers/&lt;name&gt;</code> },
                )}
              </p>
            </Empty>
          ) : (
            <Table name={t("MCP servers")} heads={[t("Server"), t("Owner"), t("State"), t("Connection"), ""]}>
              {rows.map((row) => (
                <Server
                  key={`${row.scope} ${row.group ?? ""} ${row.name}`}
                  row={row}
                  onLose={setLost}
                  onShow={setShown}
                />
              ))}
            </Table>
          )
        }
      </Answer>
      {isAdding && <ServerCatalog isTaken={isTaken} onClose={() => setAdding(false)} />}
      {shown !== null && <ServerDetails name={shown} onClose={() => setShown(null)} />}
      {lost !== null && <Disconnect connection={lost} onClose={() => setLost(null)} />}
    </Page>
  );
}

function Server({
  row: { name, scope, group, url, isOn, downSince, test, connection },
  onLose,
  onShow,
}: {
  row: Row;
  onLose: (connection: Connection) => void;
  onShow: (name: string) => void;
}): ReactNode {
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: (_knownBefore: string | null) =>
      test?.() ?? Promise.reject(new Error(t("You cannot test this server."))),
  });
  // Results of calls since the test are newer than the result of the test.
  const isNews = downSince !== null && downSince !== variables;
  return (
    <tr>
      <td className="long">
        <Plain>{name}</Plain>
        {url !== null && (
          <div className="soft">
            <Plain>{url}</Plain>
          </div>
        )}
      </td>
      <td>{scope === "group" ? <Plain>{group ?? ""}</Plain> : scope === "user" ? t("me") : t("gateway")}</td>
      <td>
        <div role="status">
          {isPending ? (
            t("Testing…")
          ) : data !== undefined && !isNews ? (
            <Told server={name} test={data} />
          ) : downSince !== null ? (
            <>
              <span className="tag bad">{t("down")}</span>{" "}
              {rich("calls have failed since {time}", { time: <When at={downSince} /> })}
            </>
          ) : isOn ? (
            <span className="soft">{t("not tested")}</span>
          ) : (
            "off"
          )}
        </div>
        {error !== null && <Trouble error={error} />}
      </td>
      <td>
        {connection === null ? <span className="soft">{t("none")}</span> : <ConnectionState connection={connection} />}
      </td>
      <td>
        <div className="row tight">
          {test !== null && (
            <Button
              isDisabled={isPending}
              aria-label={t("Test {name}", { name: visible(name) })}
              onPress={() => mutate(downSince)}
            >
              {t("Test")}
            </Button>
          )}
          {test !== null && scope === "gateway" && (
            <Button aria-label={t("Details of {name}", { name: visible(name) })} onPress={() => onShow(name)}>
              {t("Details")}
            </Button>
          )}
          {isOn && connection?.state !== "active" && <Connect name={name} connection={connection} />}
          {connection !== null && (
            <Button
              kind="danger"
              aria-label={t("Disconnect {name}", { name: visible(name) })}
              onPress={() => onLose(connection)}
            >
              {t("Disconnect")}
            </Button>
          )}
        </div>
      </td>
    </tr>
  );
}

function Told({ server, test }: { server: string; test: McpServerTest }): ReactNode {
  const { tries } = useMe();
  const { reachable, latency_ms, tools, problems, error } = test;
  return (
    <>
      <span className={`tag ${reachable ? "good" : "bad"}`}>{reachable ? t("up") : t("down")}</span>{" "}
      {`${figure(Math.round(latency_ms))} ms`}
      {reachable && (
        <details>
          <summary>{t(tools.length === 1 ? "{count} tool" : "{count} tools", { count: tools.length })}</summary>
          <ul>
            {tools.slice(0, 100).map((tool) => (
              <li key={tool.name}>
                <Plain>{tool.name}</Plain>{" "}
                {tries && (
                  <Link
                    to="/try"
                    search={{ tool: `${server}__${tool.name}` }}
                    aria-label={t("Try {name}", { name: visible(tool.name) })}
                  >
                    {t("Try")}
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      {error !== undefined && (
        <p>
          <Plain>{error}</Plain>
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem}>
          <Plain>{problem}</Plain>
        </p>
      ))}
    </>
  );
}

/** Returns the servers that the user can use. Those the user can also test have their URL. */
async function rowsOf(operates: boolean, signal: AbortSignal): Promise<Row[]> {
  const query = { limit: ROWS };
  const [usable, own, gateway, connected] = await Promise.all([
    slice("servers.usable", { query }, signal),
    slice("servers.list", { query }, signal),
    operates ? slice("mcpServers.list", { query }, signal) : { items: [], next: null },
    slice("connections.list", { query }, signal),
  ]);
  const connections = byServer(connected.items);
  const connectionOf = (name: string, scope: Row["scope"], group: string | null): Connection | null =>
    connections.get(serverKey({ name, scope, group_name: group })) ?? null;
  const mine = own.items.map(
    ({ name, scope, group_name, url, enabled = true, down_since = null }): Row => ({
      ...{ name, scope, url },
      group: group_name ?? null,
      isOn: enabled,
      downSince: down_since,
      connection: connectionOf(name, scope, group_name ?? null),
      test: () =>
        call("servers.test", {
          path: { name },
          query: scope === "group" && group_name !== undefined ? { scope, group_name } : {},
        }),
    }),
  );
  const ours = gateway.items.map(
    ({ name, url, enabled = true, down_since = null }): Row => ({
      ...{ name, url },
      scope: "gateway",
      group: null,
      isOn: enabled,
      downSince: down_since,
      test: () => call("mcpServers.test", { path: { name } }),
      connection: connectionOf(name, "gateway", null),
    }),
  );
  const known = [...mine, ...ours];
  const others = usable.items
    .filter(
      ({ name, scope, group_name }) =>
        !known.some((row) => row.name === name && row.scope === scope && row.group === (group_name ?? null)),
    )
    .map(
      ({ name, scope, group_name }): Row => ({
        name,
        scope,
        group: group_name ?? null,
        url: null,
        isOn: true,
        downSince: null,
        test: null,
        connection: connectionOf(name, scope, group_name ?? null),
      }),
    );
  return [...known, ...others].slice(0, ROWS);
}
