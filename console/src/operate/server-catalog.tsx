// Adds a server from the catalog of MCP servers, or any other by its URL.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Form } from "react-aria-components";
import type { CatalogServer } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Button, Choice, Field, Window } from "../parts/controls";
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
  const url = urlIn(words);
  const answer = useQuery({
    queryKey: ["server-catalog", words],
    enabled: url === null,
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
      <Search
        label={t("Name or URL")}
        placeholder={t("Search the catalog, or enter the URL of a server")}
        value={words}
        onSearch={setWords}
      />
      {url !== null ? (
        <ByUrl key={words} url={url} owner={owner} isTaken={isTaken} onDone={onClose} />
      ) : (
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
      )}
      <div className="buttons">
        <Button onPress={onClose}>{t("Close")}</Button>
      </div>
    </Window>
  );
}

/** Returns the URL that a user has entered instead of words. */
function urlIn(words: string): URL | null {
  return /^https?:\/\//i.test(words) && URL.canParse(words) ? new URL(words) : null;
}

/** Parts of a host name that do not tell servers apart. */
const COMMON = /^(?:mcp|api|www|app|\d+)$/;

/** Returns a name for a server from its host: `https://mcp.linear.app/mcp` becomes `linear`. */
function nameOf({ hostname }: URL): string {
  const labels = hostname.replace(/[^a-z0-9.-]/gi, "").split(".");
  const found = labels.slice(0, -1).find((label) => label !== "" && !COMMON.test(label));
  return (found ?? labels.find((label) => /[a-z]/i.test(label)) ?? "server").replace(/^-+/, "").slice(0, 64);
}

function ByUrl({
  url,
  owner,
  isTaken,
  onDone,
}: {
  url: URL;
  owner: Owner;
  isTaken: (owner: Owner, name: string) => boolean;
  onDone: () => void;
}): ReactNode {
  const [name, setName] = useState(() => {
    const first = nameOf(url);
    return isTaken(owner, first) ? `${first}-2` : first;
  });
  const { mutate, error, isPending } = useAdding(owner, onDone);
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ name: name.trim(), url: url.href });
      }}
    >
      <Field
        label={t("Name")}
        value={name}
        onChange={setName}
        isRequired
        help={t("Tools of the server begin with this name.")}
      />
      {isTaken(owner, name.trim()) && <p className="bad">{t("A server has this name. Enter another.")}</p>}
      {error !== null && <Trouble error={error} />}
      <div className="buttons">
        <Button type="submit" kind="main" isDisabled={isPending || name.trim() === "" || isTaken(owner, name.trim())}>
          {t("Add server")}
        </Button>
      </div>
    </Form>
  );
}

interface Added {
  name: string;
  url: string;
  type?: CatalogServer["type"];
  signIn?: CatalogServer["sign_in"];
}

/** Stores a server for the owner. */
function useAdding(owner: Owner, onDone?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, url, type }: Added): Promise<void> => {
      const request = { path: { name }, body: { url, ...(type === undefined ? {} : { type }) } };
      await (owner === "gateway" ? call("mcpServers.set", request) : call("servers.set", request));
    },
    onSuccess: async (_, { signIn }) => {
      toast(t(signIn === "oauth" ? "Server added. Connect it to sign in." : "Server added."));
      onDone?.();
      await client.invalidateQueries({ queryKey: ["servers"] });
    },
  });
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
  const required = headers.filter((header) => header.required).map((header) => header.name);
  const { mutate, error, isPending } = useAdding(owner);
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
        onPress={() => mutate({ name: entryName, url, type, signIn })}
      >
        {t(isTaken ? "Added" : "Add")}
      </Button>
    </li>
  );
}
