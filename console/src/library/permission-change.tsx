// Lists the permissions that a version adds or removes, in words.

import type { ReactNode } from "react";
import type { SkillPermission } from "../../../sdk/src/generated/operations";
import { Plain } from "../parts/text";
import { t } from "../text/text";

/** A permission without a value is granted or not. */
const FLAGS: Record<string, string> = {
  runs_code: t("Runs code"),
  asks_pages: t("Asks the user"),
  model_invocation: t("Model can load it"),
  preload: t("Preloaded"),
};

const NAMES: Record<string, string> = {
  tools: t("Own tool"),
  allowed_tools: t("Allowed tool of the host"),
  scripts: t("Script"),
  servers: t("MCP server"),
  server_tools: t("Tools of a server"),
  network: t("Host called by code"),
  env: t("Variable for hosts"),
  hosts: t("Host of a server"),
  secrets: t("Secret"),
  variables: t("Variable"),
  commands: t("Command"),
  dependencies: t("Dependency"),
};

export function PermissionChanges({
  added,
  removed,
}: {
  added: readonly SkillPermission[];
  removed: readonly SkillPermission[];
}): ReactNode {
  if (added.length + removed.length === 0) return <p className="soft">{t("No difference.")}</p>;
  return (
    <ul className="plain-list">
      {added.map((one) => (
        <Permission key={`+${one.permission} ${one.value}`} isAdded {...one} />
      ))}
      {removed.map((one) => (
        <Permission key={`-${one.permission} ${one.value}`} isAdded={false} {...one} />
      ))}
    </ul>
  );
}

function Permission({ isAdded, permission, value }: SkillPermission & { isAdded: boolean }): ReactNode {
  const flag = FLAGS[permission];
  return (
    <li className={isAdded ? "added" : "removed"}>
      {isAdded ? t("Added") : t("Removed")}:{" "}
      {flag ?? (
        <>
          {NAMES[permission] ?? permission.replaceAll("_", " ")} <Plain>{value}</Plain>
        </>
      )}
    </li>
  );
}
