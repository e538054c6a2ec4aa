// Connects the user to an MCP server that requires a sign-in, shows the state of a connection, and disconnects.

import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Connection } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Trouble } from "../parts/state";
import { visible, When } from "../parts/text";
import { t } from "../text/text";

const STATES: Record<Connection["state"], { text: string; look: string }> = {
  active: { text: t("connected"), look: "good" },
  pending: { text: t("not confirmed"), look: "" },
  ended: { text: t("sign in again"), look: "bad" },
};

export function ConnectionState({ connection: { state, created_at } }: { connection: Connection }): ReactNode {
  const { text, look } = STATES[state];
  return (
    <>
      <span className={`tag ${look}`}>{text}</span>
      <div className="soft">
        <When at={created_at} />
      </div>
    </>
  );
}

/** Opens the gateway's page for connecting a server. `connection`: the user's connection to it, if there is one. */
export function Connect({ name, connection }: { name: string; connection: Connection | null }): ReactNode {
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("connections.create", { path: { name }, body: {} }),
    // The page continues at the issuer of the server.
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <>
      <Button isDisabled={isPending} aria-label={t("Connect {name}", { name: visible(name) })} onPress={() => mutate()}>
        {connection === null ? t("Connect") : t("Connect again")}
      </Button>
      {error !== null && <Trouble error={error} />}
    </>
  );
}

export function Disconnect({ connection, onClose }: { connection: Connection; onClose: () => void }): ReactNode {
  return (
    <Confirm
      title={t("Disconnect {server}?", { server: visible(connection.server) })}
      button={t("Disconnect")}
      done={t("Server disconnected.")}
      act={() => call("connections.delete", { path: { id: connection.id } })}
      onClose={onClose}
    >
      {t("Calls of its tools wait until you connect it again. The gateway deletes and revokes its tokens.")}
    </Confirm>
  );
}

/** Identifies a server among those of all owners. */
export const serverKey = ({ scope, group_name: group = null, name }: Owned): string =>
  JSON.stringify([scope, group, name]);

interface Owned {
  name: string;
  scope: Connection["scope"];
  group_name?: string | null | undefined;
}

/** Returns the user's connections by server. One that waits for its confirmation does not hide one in use. */
export function byServer(connections: readonly Connection[]): Map<string, Connection> {
  const found = new Map<string, Connection>();
  for (const connection of connections) {
    const key = serverKey({ ...connection, name: connection.server });
    if (connection.state !== "pending" || !found.has(key)) found.set(key, connection);
  }
  return found;
}
