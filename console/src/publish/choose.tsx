// Selects a package with a file dialog, as an alternative to drag and drop.

import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { Button } from "../parts/controls";
import { Trouble } from "../parts/state";
import { t } from "../text/text";
import { take } from "./drop";
import type { Dropped } from "./packing";

/** Two buttons that lead to the report on what was chosen. */
export function Choose(): ReactNode {
  const [error, setError] = useState<Error | null>(null);
  const navigate = useNavigate();
  const choose = (list: FileList | null) => {
    if (list === null || list.length === 0) return;
    const files: Dropped[] = [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    setError(null);
    take(files)
      .then(() => navigate({ to: "/publish" }))
      .catch((reason: unknown) => setError(reason instanceof Error ? reason : new Error(String(reason))));
  };
  return (
    <div className="row">
      <FileTrigger acceptedFileTypes={[".zip", ".skill", ".md"]} onSelect={choose}>
        <Button kind="main">{t("Choose a ZIP or SKILL.md")}</Button>
      </FileTrigger>
      <FileTrigger acceptDirectory onSelect={choose}>
        <Button>{t("Choose a folder")}</Button>
      </FileTrigger>
      {error !== null && <Trouble error={error} />}
    </div>
  );
}
