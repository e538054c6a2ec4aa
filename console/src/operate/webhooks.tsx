// Lists the webhooks of the user, a group or the gateway, and creates one, whose secret is shown once.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Webhook as WebhookIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Webhook } from "../../../sdk/src/generated/operations";
import { slice } from "../gateway/call";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { SecretOnce } from "../parts/secret-once";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, When } from "../parts/text";
import { t } from "../text/text";
import { Owners, ownerAsked } from "./owners";
import { EVENTS, WebhookForm } from "./webhook-form";

/** More than the webhooks that an owner can have, so that one page contains all. */
const ROWS = 100;
const route = getRouteApi("/webhooks");

export function Webhooks(): ReactNode {
  const { of, new: isMaking } = route.useSearch();
  const navigate = useNavigate({ from: "/webhooks" });
  const setMaking = (next: boolean) =>
    void navigate({ search: ({ new: _, ...words }) => (next ? { ...words, new: "1" } : words) });
  const owner = ownerAsked(of);
  const answer = useQuery({
    queryKey: ["webhooks", of],
    queryFn: ({ signal }) => slice("webhooks.list", { query: { ...owner, limit: ROWS } }, signal),
  });
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page
      title={t("Webhooks")}
      lead={t("The gateway sends a signed request to a webhook when a skill is published, changed or deleted.")}
      actions={
        <Button kind="main" onPress={() => setMaking(true)}>
          {t("Create webhook")}
        </Button>
      }
    >
      <div className="row">
        <Owners of={of} onChange={(next) => void navigate({ search: next === "" ? {} : { of: next } })} />
      </div>
      <Answer of={answer} what={t("the webhooks")}>
        {({ items }) => (
          <>
            {items.length === 0 ? (
              <Empty icon={WebhookIcon} title={t("No webhooks yet")}>
                <p>{t("Create one to run a job of your own for each new version of a skill.")}</p>
              </Empty>
            ) : (
              <Table name={t("Webhooks")} heads={[t("Webhook"), t("Events"), t("State"), t("Updated")]}>
                {items.map((webhook) => (
                  <tr key={webhook.name}>
                    <td className="long">
                      <Link
                        to="/webhooks/$name"
                        params={{ name: webhook.name }}
                        search={of === undefined ? {} : { of }}
                      >
                        <Plain>{webhook.name}</Plain>
                      </Link>
                      <div className="soft">
                        <Plain>{webhook.url}</Plain>
                      </div>
                    </td>
                    <td className="long">{eventsOf(webhook)}</td>
                    <td>
                      <WebhookState webhook={webhook} />
                    </td>
                    <td>
                      <When at={webhook.updated_at} />
                    </td>
                  </tr>
                ))}
              </Table>
            )}
            {isMaking !== undefined && (
              <WebhookForm
                owner={owner}
                webhook={null}
                taken={items.map(({ name }) => name)}
                onClose={() => setMaking(false)}
                onCreated={setSecret}
              />
            )}
          </>
        )}
      </Answer>
      {secret !== null && <NewSecret secret={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}

/** Shows the signing secret of a new webhook, or one that replaces another. */
export function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }): ReactNode {
  return (
    <SecretOnce title={t("Copy the signing secret")} secret={secret} onClose={onClose}>
      {t("The secret is shown only once. The receiver verifies with it that a request is from this gateway.")}
    </SecretOnce>
  );
}

export function WebhookState({ webhook: { enabled, disabled_reason } }: { webhook: Webhook }): ReactNode {
  if (enabled) return <span className="tag good">{t("active")}</span>;
  return disabled_reason === undefined ? (
    <span className="tag">{t("off")}</span>
  ) : (
    <>
      <span className="tag bad">{t("disabled")}</span> <Plain>{disabled_reason}</Plain>
    </>
  );
}

export function eventsOf({ events }: Webhook): string {
  return events.length === EVENTS.length ? t("all") : events.join(", ");
}
