// Selects an owner (the user, a group or the gateway) and converts it to and from an address.

import type { ReactNode } from "react";
import { useMe } from "../gateway/session";
import { Choice } from "../parts/controls";
import { visible } from "../parts/text";

/** An owner as API parameters. Without fields: the user. */
export interface OwnerAsked {
  scope?: "group" | "gateway";
  group_name?: string;
}

const GROUP = "group:";

/** Converts an owner to API parameters. `of` is empty, `gateway`, or `group:` and a name. */
export function ownerAsked(of: string | undefined): OwnerAsked {
  if (of === "gateway") return { scope: "gateway" };
  return of?.startsWith(GROUP) ? { scope: "group", group_name: of.slice(GROUP.length) } : {};
}

/** Selects one of the owners for which the user can store secrets, servers and models. */
export function Owners({ of = "", onChange }: { of: string | undefined; onChange: (of: string) => void }): ReactNode {
  const { rights } = useMe();
  const groups = rights.namespaces.filter(({ role, secrets }) => role !== null && secrets);
  const options: [string, string][] = [
    ["", "Mine"],
    ...groups.map(({ namespace }): [string, string] => [GROUP + namespace, `The group ${visible(namespace)}`]),
    ...(rights.operate ? [["gateway", "The gateway's"] satisfies [string, string]] : []),
  ];
  // An address can name an owner without permission. The gateway then rejects the request.
  const shown = options.some(([value]) => value === of)
    ? options
    : [...options, [of, visible(of)] satisfies [string, string]];
  return <Choice label="Whose" value={of} options={shown} onChange={onChange} />;
}
