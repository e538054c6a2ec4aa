// Adds a server from the catalog of MCP servers.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { CatalogServer } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Button, Choice, Window } from "../parts/controls";
import { Search } from "../parts/search";
import { Answer, Trouble } from "../parts/state";
import { Plain, visible } from "../parts/text";
import { toast } from "../parts/toast";
import { rich, t } from "../text/text";

type Owner = "user" | "gateway";

/** `taken`: returns whether the owner has a server with this name. Adding would replace it. */
export function ServerCatalog({
  isTaken,
  onClose,
}: {
  isTaken: (owner: Owner, name: string) => boolean;
  onClose: () => void;
}): ReactNode {
  const { rights } = useMe();
  const [owner, setOwner] = useState<Owner>("user");
  const [words, setWords] = useState("");
  const answer = useQuery({
    queryKey: ["server-catalog", words],
    queryFn: ({ signal }) => call("mcpServers.searchCatalog", { query: words === "" ? {} : { q: words } }, signal),
  });
  return (
    <Window title={t("Add MCP server")} onClose={onClose}>
      {rights.operate && (
        <Choice
          label={t("Owner")}
          value={owner}
          options={[
            ["user", t("Me")],
            ["gateway", t("Gateway")],
          ]}
          onChange={setOwner}
        />
      )}
      <Search label={t("Search the catalog")} placeholder="github.com" value={words} onSearch={setWords} />
      <Answer of={answer} what={t("the catalog")}>
        {({ items, registry }) => (
          <>
            {registry === "unavailable" && (
              <p className="soft">{t("The registry is unavailable. These are known servers.")}</p>
            )}
            {items.length === 0 && <p>{t("No servers match.")}</p>}
            <ul className="plain-list">
              {items.map((server) => (
                <Offer key={server.name} server={server} owner={owner} isTaken={isTaken(owner, server.entry_name)} />
              ))}
            </ul>
          </>
        )}
      </Answer>
      <div className="buttons">
        <Button onPress={onClose}>{t("Close")}</Button>
      </div>
    </Window>
  );
}

function Offer({
  server: { name, title, description, entry_name: entryName, type, url, sign_in: signIn, headers, from, source },
  owner,
  isTaken,
}: {
  server: CatalogServer;
  owner: Owner;
  isTaken: boolean;
}): ReactNode {
  const client = useQueryClient();
  const required = headers.filter((header) => header.required).map((header) => header.name);
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (): Promise<void> => {
      const request = { path: { name: entryName }, body: { type, url } };
      await (owner === "gateway" ? call("mcpServers.set", request) : call("servers.set", request));
    },
    onSuccess: async () => {
      toast(t(signIn === "oauth" ? "Server added. Connect it to sign in." : "Server added."));
      await client.invalidateQueries({ queryKey: ["servers"] });
    },
  });
  return (
    <li className="row">
      <div className="long">
        <strong>
          <Plain>{title}</Plain>
        </strong>{" "}
        <span className="soft">
          <Plain>{name}</Plain>
        </span>
        <p>
          <Plain>{description}</Plain>
        </p>
        <p className="soft">
          <Plain>{url}</Plain> · {t(from === "curated" ? "known server" : "registry")}, <Plain>{source}</Plain>
          {required.length > 0 && (
            <> · {rich("needs the header {names}", { names: <Plain>{required.join(", ")}</Plain> })}</>
          )}
        </p>
        {error !== null && <Trouble error={error} />}
      </div>
      <Button
        isDisabled={isPending || isTaken}
        aria-label={t(isTaken ? "Added {name}" : "Add {name}", { name: visible(title) })}
        onPress={() => mutate()}
      >
        {t(isTaken ? "Added" : "Add")}
      </Button>
    </li>
  );
}
