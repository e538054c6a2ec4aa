// Edits the MCP servers of a ghost as JSON, because an entry has more options than are worth separate fields.

import { type ReactNode, useState } from "react";
import type { Issue } from "../../../sdk/src/generated/operations";
import { Button, Field } from "../parts/controls";
import { t } from "../text/text";
import { fieldsOf, pretty } from "./draft";
import { Explained } from "./field";

export function ServersField({
  servers,
  onChange,
  issues,
}: {
  servers: string;
  onChange: (servers: string) => void;
  issues: readonly Issue[] | undefined;
}): ReactNode {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const known = read(servers);
  return (
    <fieldset>
      <legend>{t("MCP servers")}</legend>
      <div className="row">
        <Field label={t("Name")} value={name} onChange={setName} />
        <Field label={t("URL")} value={url} onChange={setUrl} placeholder="https://…" />
        <Button
          isDisabled={known === null || name.trim() === "" || url.trim() === ""}
          onPress={() => {
            onChange(pretty({ ...known, [name.trim()]: { url: url.trim() } }));
            setName("");
            setUrl("");
          }}
        >
          {t("Add server")}
        </Button>
      </div>
      <Explained label={t("As JSON")} of="mcpServers" issues={issues}>
        {(control) => (
          <textarea
            {...control}
            rows={Math.min(16, Math.max(3, servers.split("\n").length))}
            spellCheck={false}
            className="code"
            value={servers}
            placeholder="{}"
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Explained>
    </fieldset>
  );
}

/** `null` if the text is not JSON, which the field reports. */
function read(servers: string): Record<string, unknown> | null {
  try {
    return servers.trim() === "" ? {} : fieldsOf(JSON.parse(servers));
  } catch {
    return null;
  }
}
