// Lists keys with their owner and last use, creates a key, which is shown once, and revokes keys.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { CreatedKey, Key } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { SecretOnce } from "../parts/secret-once";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { KEY_TABS } from "../shell/places";
import { rich, t } from "../text/text";
import { NewKey } from "./new-key";

const ROWS = 50;
const route = getRouteApi("/keys");

export function Keys(): ReactNode {
  const { rights } = useMe();
  const { cursor, new: isMaking } = route.useSearch();
  const navigate = useNavigate({ from: "/keys" });
  const setMaking = (next: boolean) =>
    void navigate({ search: ({ new: _, ...words }) => (next ? { ...words, new: "1" } : words) });
  const answer = useQuery({
    queryKey: ["keys", cursor],
    queryFn: ({ signal }) =>
      slice("keys.list", { query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  const [made, setMade] = useState<CreatedKey | null>(null);
  const [lost, setLost] = useState<Key | null>(null);
  return (
    <Page
      title={t("API keys")}
      tabs={KEY_TABS}
      lead={t("A key lets a program or a person use the gateway as one user, within its scopes.")}
      actions={
        rights.operate && (
          <Button kind="main" onPress={() => setMaking(true)}>
            {t("Create key")}
          </Button>
        )
      }
    >
      <Answer of={answer} what={t("the keys")}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty icon={KeyRound} title={t("No keys yet")}>
              <p>{t("The gateway's first admin key is a setting and is not listed here.")}</p>
            </Empty>
          ) : (
            <>
              <Table name={t("Keys")} heads={[t("Name"), t("User"), t("Scopes"), t("Expires"), t("Last used"), ""]}>
                {items.map((key) => (
                  <tr key={key.id}>
                    <td className="long">
                      {key.name === null ? <span className="soft">{t("unnamed")}</span> : <Plain>{key.name}</Plain>}
                      <div className="soft">
                        <Plain>{key.id}</Plain>
                      </div>
                    </td>
                    <td>
                      <Plain>{key.user_id}</Plain>
                      {key.role === "admin" && <span className="tag">{t("admin")}</span>}
                    </td>
                    <td>{key.scopes.length === 0 ? t("all") : key.scopes.join(", ")}</td>
                    <td>
                      <When at={key.expires_at} />
                    </td>
                    <td>
                      <When at={key.last_used_at} />
                    </td>
                    <td>
                      <Button
                        kind="danger"
                        aria-label={t("Revoke {id}", { id: visible(key.name ?? key.id) })}
                        onPress={() => setLost(key)}
                      >
                        {t("Revoke")}
                      </Button>
                    </td>
                  </tr>
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
      {rights.operate && isMaking !== undefined && (
        <NewKey
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false);
            setMade(key);
          }}
        />
      )}
      {made !== null && (
        <SecretOnce title={t("Copy the key")} secret={made.key} onClose={() => setMade(null)}>
          {rich("The key is shown only once. Anyone who has it can act as {user}.", {
            user: <Plain>{made.user_id}</Plain>,
          })}
        </SecretOnce>
      )}
      {lost !== null && (
        <Confirm
          title={t("Revoke {id}?", { id: visible(lost.name ?? lost.id) })}
          button={t("Revoke")}
          done={t("Key revoked.")}
          act={() => call("keys.revoke", { path: { id: lost.id } })}
          onClose={() => setLost(null)}
        >
          {t("Requests that use it fail immediately, and its console sessions end. You cannot undo this.")}
        </Confirm>
      )}
    </Page>
  );
}
