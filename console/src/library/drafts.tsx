// Lists drafts: the user's own, and those that other users share with the user.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FilePen } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Draft } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Answer, Empty, Issues } from "../parts/state";
import { Table } from "../parts/table";
import { bytes, figure, Plain, visible, When } from "../parts/text";
import { SubmitWindow } from "../review/decide";
import { SKILL_TABS } from "../shell/places";
import { rich, t } from "../text/text";
import { Owner } from "./owner";
import { withWarning } from "./regressed";

/** A user has fewer drafts; more can be shared with them. */
const ROWS = 100;

export function DraftList(): ReactNode {
  const { user_id } = useMe();
  const navigate = useNavigate();
  const answer = useQuery({ queryKey: ["drafts"], queryFn: ({ signal }) => call("drafts.list", {}, signal) });
  const [asked, ask] = useState<{ act: "promote" | "submit" | "discard"; draft: Draft } | null>(null);
  const close = () => ask(null);
  let made = "";
  return (
    <Page
      title={t("Skills")}
      lead={t("Drafts are private. Only people who select a draft can try it.")}
      tabs={SKILL_TABS}
      actions={
        <Link className="button main" to="/publish">
          {t("Publish a skill")}
        </Link>
      }
    >
      <Answer of={answer} what={t("the drafts")}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={FilePen} title={t("No drafts yet")}>
              <p>
                {rich("{link} and save it as a draft to try it before others see it.", {
                  link: <Link to="/publish">{t("Choose a package")}</Link>,
                })}
              </p>
            </Empty>
          ) : (
            <Table
              name={t("Drafts")}
              heads={[t("Draft"), t("Scope"), t("Size"), t("Saved"), t("Expires"), t("Findings"), ""]}
            >
              {items.slice(0, ROWS).map((draft) => (
                <tr key={draft.reference}>
                  <td className="long">
                    <Plain>{draft.name}</Plain> {draft.version !== null && <Plain>{draft.version}</Plain>}
                    <div className="soft">
                      <code>
                        <Plain>{draft.reference}</Plain>
                      </code>
                    </div>
                    <div className="clamp">
                      <Plain>{draft.description}</Plain>
                    </div>
                  </td>
                  <td>
                    <Owner namespace={draft.namespace} isPublic={draft.is_public} />
                    {draft.author !== user_id && <Plain>{t("by {author}", { author: draft.author })}</Plain>}
                  </td>
                  <td>{t("{tokens} tokens, {size}", { tokens: figure(draft.tokens), size: bytes(draft.size) })}</td>
                  <td>
                    <When at={draft.pushed_at} />
                  </td>
                  <td>
                    <When at={draft.expires_at} />
                  </td>
                  <td>
                    {draft.warnings.length === 0 ? (
                      t("none")
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
                          aria-label={t("Publish {name}", { name: visible(draft.name) })}
                          onPress={() => ask({ act: "promote", draft })}
                        >
                          {t("Publish")}
                        </Button>
                        <Button
                          aria-label={t("Submit {name}", { name: visible(draft.name) })}
                          onPress={() => ask({ act: "submit", draft })}
                        >
                          {t("Submit")}
                        </Button>
                        <Button
                          kind="danger"
                          aria-label={t("Discard {name}", { name: visible(draft.name) })}
                          onPress={() => ask({ act: "discard", draft })}
                        >
                          {t("Discard")}
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
          title={t("Publish {name}?", { name: visible(asked.draft.name) })}
          button={t("Publish")}
          done={t("Draft published.")}
          kind="main"
          act={async () => {
            const { metadata } = withWarning(await call("drafts.promote", { path: { name: asked.draft.name } }));
            made = metadata.labels.id;
          }}
          onClose={close}
          onDone={() => navigate({ to: "/skills/$id", params: { id: made } })}
        >
          {t("The draft becomes a version of the skill for everyone with access to it.")}
        </Confirm>
      )}
      {asked?.act === "submit" && <SubmitWindow draft={asked.draft} onClose={close} />}
      {asked?.act === "discard" && (
        <Confirm
          title={t("Discard {name}?", { name: visible(asked.draft.name) })}
          button={t("Discard")}
          done={t("Draft discarded.")}
          act={() => call("drafts.delete", { path: { name: asked.draft.name } })}
          onClose={close}
        >
          {t("Conversations that use the draft lose it in their next turn. You cannot undo this.")}
        </Confirm>
      )}
    </Page>
  );
}
