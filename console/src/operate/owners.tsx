// Selects an owner of stored data: the user, a group or the whole gateway, as written in the URL.

import type { ReactNode } from "react";
import { useMe } from "../gateway/session";
import { Choice } from "../parts/controls";
import { visible } from "../parts/text";
import { t } from "../text/text";

/** An owner as API parameters. Without fields: the user. */
export interface OwnerAsked {
  scope?: "group" | "gateway";
  group_name?: string;
}

const GROUP = "group:";

/** Returns the owner parameters of an API request: none, `gateway`, or `group:` and a name. */
export function ownerAsked(of: string | undefined): OwnerAsked {
  if (of === "gateway") return { scope: "gateway" };
  return of?.startsWith(GROUP) ? { scope: "group", group_name: of.slice(GROUP.length) } : {};
}

/** The owners for which the user can store secrets, servers and models. */
export function Owners({ of = "", onChange }: { of: string | undefined; onChange: (of: string) => void }): ReactNode {
  const { rights } = useMe();
  const groups = rights.namespaces.filter(({ role, secrets }) => role !== null && secrets);
  const options: [string, string][] = [
    ["", t("Me")],
    ...groups.map(({ namespace }): [string, string] => [
      GROUP + namespace,
      t("Group {name}", { name: visible(namespace) }),
    ]),
    ...(rights.operate ? [["gateway", t("Gateway")] satisfies [string, string]] : []),
  ];
  // The URL can name an owner without the necessary rights. The gateway then returns an error.
  const shown = options.some(([value]) => value === of)
    ? options
    : [...options, [of, visible(of)] satisfies [string, string]];
  return <Choice label={t("Owner")} value={of} options={shown} onChange={onChange} />;
}
