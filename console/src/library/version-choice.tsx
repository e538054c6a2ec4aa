// Selects the version that is shown.

import type { ReactNode } from "react";
import { Choice } from "../parts/controls";
import { visible } from "../parts/text";
import { t } from "../text/text";
import { nameOf, useVersions } from "./versions-of";

export function VersionChoice({
  id,
  label,
  value,
  onChange,
}: {
  id: string;
  label: string;
  value: string;
  onChange: (version: string) => void;
}): ReactNode {
  const { data } = useVersions(id);
  const known = (data?.items ?? []).map((version) => [version.version_id, visible(nameOf(version))] as const);
  const options = known.some(([version]) => version === value)
    ? known
    : [[value, t("version from the URL")] as const, ...known];
  return <Choice label={label} value={value} options={options} onChange={onChange} />;
}
