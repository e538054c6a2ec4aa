// Lists active sign-ins to the console: the user's own, and those of all users for an admin.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Session } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { SYSTEM_TABS } from "../shell/places";
import { t } from "../text/text";

const ROWS = 50;
const route = getRouteApi("/sessions");
const BY: Record<Session["signed_in_by"], string> = {
  key: t("with a key"),
  link: t("with a link"),
  issuer: t("with the identity provider"),
};

export function Sessions(): ReactNode {
  const me = useMe();
  const { cursor } = route.useSearch();
  const answer = useQuery({
    queryKey: ["sessions", cursor],
    queryFn: ({ signal }) =>
      slice("sessions.list", { query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  const [lost, setLost] = useState<Session | "others" | null>(null);
  const close = () => setLost(null);
  return (
    <Page
      title={t("System")}
      lead={t("Browsers that are signed in to this console. A session ends after 12 hours.")}
      tabs={SYSTEM_TABS}
      actions={
        <Button kind="danger" onPress={() => setLost("others")}>
          {t("End my other sessions")}
        </Button>
      }
    >
      <Answer of={answer} what={t("the sessions")}>
        {({ items, next }) => (
          <>
            <Table
              name={t("Sessions")}
              heads={[t("User"), t("Signed in"), t("Started"), t("Last used"), t("Expires"), ""]}
            >
              {items.map((one) => (
                <tr key={one.id}>
                  <td>
                    <Plain>{one.user_id}</Plain>
                    {one.current && <span className="tag good">{t("this browser")}</span>}
                  </td>
                  <td>{BY[one.signed_in_by]}</td>
                  <td>
                    <When at={one.created_at} />
                  </td>
                  <td>
                    <When at={one.last_used_at} />
                  </td>
                  <td>
                    <When at={one.expires_at} />
                  </td>
                  <td>
                    {!one.current && (
                      <Button
                        kind="danger"
                        aria-label={t("End the session of {user}", { user: visible(one.user_id) })}
                        onPress={() => setLost(one)}
                      >
                        {t("End")}
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
            <Pages cursor={cursor} next={next} />
          </>
        )}
      </Answer>
      {lost === "others" && (
        <Confirm
          title={t("End my other sessions?")}
          button={t("End")}
          done={t("Sessions ended.")}
          act={() => endOthers(me.user_id)}
          onClose={close}
        >
          {t("You are signed out in all other browsers. This browser stays signed in.")}
        </Confirm>
      )}
      {lost !== null && lost !== "others" && (
        <Confirm
          title={t("End the session of {user}?", { user: visible(lost.user_id) })}
          button={t("End")}
          done={t("Session ended.")}
          act={() => call("sessions.end", { path: { id: lost.id } })}
          onClose={close}
        >
          {t("That browser is signed out with its next request.")}
        </Confirm>
      )}
    </Page>
  );
}

/** Ends every sign-in of a user except the current one, page by page. */
async function endOthers(user: string): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { items, next }: Awaited<ReturnType<typeof slice<"sessions.list">>> = await slice("sessions.list", {
      query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) },
    });
    for (const { id, user_id, current } of items)
      if (user_id === user && !current) await call("sessions.end", { path: { id } });
    cursor = next;
  }
}
