// Lists drafts: the user's own, and those that other users share with the user.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Draft } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Answer, Empty, Issues } from "../parts/state";
import { Table } from "../parts/table";
import { bytes, figure, Plain, visible, When } from "../parts/text";
import { Title } from "../parts/title";
import { Owner } from "./owner";

/** A user has fewer drafts; more can be shared with them. */
const ROWS = 100;

export function DraftList(): ReactNode {
  const { user_id } = useMe();
  const navigate = useNavigate();
  const answer = useQuery({ queryKey: ["drafts"], queryFn: ({ signal }) => call("drafts.list", {}, signal) });
  const [asked, ask] = useState<{ act: "promote" | "discard"; draft: Draft } | null>(null);
  const close = () => ask(null);
  let made = "";
  return (
    <>
      <Title>Drafts</Title>
      <p className="soft">
        A draft is tried by whoever chooses it by its reference. Nobody else sees it, and it ends by itself.
      </p>
      <Answer of={answer} what="the drafts">
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="There is no draft">
              <p>
                <Link to="/publish">Choose a package</Link>, and keep it as a draft in place of publishing it.
              </p>
            </Empty>
          ) : (
            <Table name="Drafts" heads={["Draft", "Meant for", "Costs", "Pushed", "Ends", "Findings", ""]}>
              {items.slice(0, ROWS).map((draft) => (
                <tr key={draft.reference}>
                  <td className="long">
                    <Plain>{draft.name}</Plain> {draft.version !== null && <Plain>{draft.version}</Plain>}
                    <div className="soft">
                      <code>
                        <Plain>{draft.reference}</Plain>
                      </code>
                    </div>
                    <Plain>{draft.description}</Plain>
                  </td>
                  <td>
                    <Owner namespace={draft.namespace} isPublic={draft.is_public} />
                    {draft.author !== user_id && <Plain>{`by ${draft.author}`}</Plain>}
                  </td>
                  <td>
                    {figure(draft.tokens)} tokens, {bytes(draft.size)}
                  </td>
                  <td>
                    <When at={draft.pushed_at} />
                  </td>
                  <td>
                    <When at={draft.expires_at} />
                  </td>
                  <td>
                    {draft.warnings.length === 0 ? (
                      "none"
                    ) : (
                      <details>
                        <summary>{draft.warnings.length}</summary>
                        <Issues issues={draft.warnings} />
                      </details>
                    )}
                  </td>
                  <td>
                    {draft.author === user_id && (
                      <div className="row tight">
                        <Button
                          aria-label={`Promote ${visible(draft.name)}`}
                          onPress={() => ask({ act: "promote", draft })}
                        >
                          Promote
                        </Button>
                        <Button
                          kind="danger"
                          aria-label={`Discard ${visible(draft.name)}`}
                          onPress={() => ask({ act: "discard", draft })}
                        >
                          Discard
                        </Button>
                      </div>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Answer>
      {asked?.act === "promote" && (
        <Confirm
          title={`Promote ${visible(asked.draft.name)}?`}
          button="Promote it"
          kind="main"
          act={async () => {
            const { metadata } = await call("drafts.promote", { path: { name: asked.draft.name } });
            made = metadata.labels.id;
          }}
          onClose={close}
          onDone={() => navigate({ to: "/skills/$id", params: { id: made } })}
        >
          It becomes a version of the skill, for everybody who may use that. The draft is gone.
        </Confirm>
      )}
      {asked?.act === "discard" && (
        <Confirm
          title={`Discard ${visible(asked.draft.name)}?`}
          button="Discard it"
          act={() => call("drafts.delete", { path: { name: asked.draft.name } })}
          onClose={close}
        >
          Whoever tries it loses it with the next turn. This cannot be taken back.
        </Confirm>
      )}
    </>
  );
}
