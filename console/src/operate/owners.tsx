// Whose: what is stored for oneself, for a group or for the whole gateway, as it stands in an address.

import type { ReactNode } from "react";
import { useMe } from "../gateway/session";
import { Choice } from "../parts/controls";
import { visible } from "../parts/text";

/** As the API names an owner; nothing is oneself. */
export interface OwnerAsked {
  scope?: "group" | "gateway";
  group_name?: string;
}

const GROUP = "group:";

/** What the API is asked for an owner: nothing, `gateway`, or `group:` and a name. */
export function ownerAsked(of: string | undefined): OwnerAsked {
  if (of === "gateway") return { scope: "gateway" };
  return of?.startsWith(GROUP) ? { scope: "group", group_name: of.slice(GROUP.length) } : {};
}

/** The owners for whom one may store secrets, servers and models. */
export function Owners({ of = "", onChange }: { of: string | undefined; onChange: (of: string) => void }): ReactNode {
  const { rights } = useMe();
  const groups = rights.namespaces.filter(({ role, secrets }) => role !== null && secrets);
  const options: [string, string][] = [
    ["", "Mine"],
    ...groups.map(({ namespace }): [string, string] => [GROUP + namespace, `The group ${visible(namespace)}`]),
    ...(rights.operate ? [["gateway", "The gateway's"] satisfies [string, string]] : []),
  ];
  // An address may name one for whom one may not: the gateway says so.
  const shown = options.some(([value]) => value === of)
    ? options
    : [...options, [of, visible(of)] satisfies [string, string]];
  return <Choice label="Whose" value={of} options={shown} onChange={onChange} />;
}
