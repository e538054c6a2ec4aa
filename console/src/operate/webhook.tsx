// Shows one webhook and its deliveries. Sends a test event, replaces the secret, and sends a delivery again.

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Webhook, WebhookDelivery } from "../../../sdk/src/generated/operations";
import { call, type Slice, slice } from "../gateway/call";
import { Card } from "../parts/card";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Facts } from "../parts/facts";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, visible, When } from "../parts/text";
import { toast } from "../parts/toast";
import { rich, t } from "../text/text";
import { type OwnerAsked, ownerAsked } from "./owners";
import { WebhookForm } from "./webhook-form";
import { eventsOf, NewSecret, WebhookState } from "./webhooks";

const ROWS = 50;
/** The interval of requests while a delivery waits, in milliseconds. */
const AGAIN = 3_000;
const route = getRouteApi("/webhooks/$name");

export function WebhookPage(): ReactNode {
  const { name } = route.useParams();
  const { of, cursor } = route.useSearch();
  const owner = ownerAsked(of);
  // A failed delivery can disable the webhook, so both are requested together.
  const answer = useQuery({
    queryKey: ["webhook", of, name, cursor],
    queryFn: async ({ signal }) => {
      const query = { ...owner, limit: ROWS, ...(cursor === undefined ? {} : { cursor }) };
      const deliveries = await slice("webhooks.deliveries", { path: { name }, query }, signal);
      return { webhook: await call("webhooks.get", { path: { name }, query: owner }, signal), deliveries };
    },
    refetchInterval: ({ state: { data } }) => (isWaiting(data?.deliveries) ? AGAIN : false),
    placeholderData: keepPreviousData,
  });
  return (
    <Answer of={answer} what={t("the webhook")}>
      {({ webhook, deliveries }) => (
        <Shown webhook={webhook} owner={owner} list={of === undefined ? {} : { of }}>
          <Deliveries name={name} owner={owner} page={deliveries} />
        </Shown>
      )}
    </Answer>
  );
}

/** `list`: the search parameters of the list that contains the webhook. `children`: its deliveries. */
function Shown({
  webhook,
  owner,
  list,
  children,
}: {
  webhook: Webhook;
  owner: OwnerAsked;
  list: { of?: string };
  children: ReactNode;
}): ReactNode {
  const navigate = useNavigate();
  const { name, url, created_at } = webhook;
  const [asked, ask] = useState<"edit" | "rotate" | "delete" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => ask(null);
  const request = { path: { name }, query: owner };
  return (
    <Page
      title={name}
      crumbs={[{ name: t("Webhooks"), to: "/webhooks", search: list }]}
      actions={
        <>
          <Button onPress={() => ask("edit")}>{t("Edit")}</Button>
          <Button onPress={() => ask("rotate")}>{t("Replace secret")}</Button>
          <Button kind="danger" onPress={() => ask("delete")}>
            {t("Delete")}
          </Button>
        </>
      }
    >
      <Facts
        of={[
          [t("URL"), <Plain key="url">{url}</Plain>],
          [t("Events"), eventsOf(webhook)],
          [t("State"), <WebhookState key="state" webhook={webhook} />],
          [t("Created"), <When key="created" at={created_at} />],
        ]}
      />
      {children}
      {asked === "edit" && <WebhookForm owner={owner} webhook={webhook} onClose={close} />}
      {asked === "rotate" && (
        <Confirm
          title={t("Replace the secret of {name}?", { name: visible(name) })}
          button={t("Replace")}
          done={t("Secret replaced.")}
          act={async () => setSecret((await call("webhooks.rotateSecret", request)).secret)}
          onClose={close}
        >
          {t("The receiver rejects requests until it has the new secret. Failed requests are sent again.")}
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={t("Delete {name}?", { name: visible(name) })}
          button={t("Delete")}
          done={t("Webhook deleted.")}
          act={() => call("webhooks.delete", request)}
          onClose={close}
          onDone={() => navigate({ to: "/webhooks", search: list })}
        >
          {t("Its deliveries are deleted, and events that wait are not sent.")}
        </Confirm>
      )}
      {secret !== null && <NewSecret secret={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}

const LOOKS: Record<WebhookDelivery["state"], string> = { pending: "", delivered: "good", failed: "bad" };
const STATES: Record<WebhookDelivery["state"], string> = {
  pending: t("waiting"),
  delivered: t("delivered"),
  failed: t("failed"),
};

function Deliveries({
  name,
  owner,
  page: { items, next },
}: {
  name: string;
  owner: OwnerAsked;
  page: Slice<WebhookDelivery>;
}): ReactNode {
  const { cursor } = route.useSearch();
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    // `null` sends a new test event.
    mutationFn: (id: string | null) =>
      id === null
        ? call("webhooks.test", { path: { name }, query: owner })
        : call("webhooks.resend", { path: { name, id }, query: owner }),
    onSuccess: async (_, id) => {
      toast(id === null ? t("Test event sent.") : t("Delivery sent again."));
      await client.invalidateQueries({ queryKey: ["webhook"] });
    },
  });
  return (
    <Card
      title={t("Deliveries")}
      aside={
        <Button isDisabled={isPending} onPress={() => mutate(null)}>
          {t("Send test event")}
        </Button>
      }
      isFlush
    >
      {error !== null && <Trouble error={error} />}
      {items.length === 0 ? (
        <p className="body soft">{t("No deliveries in the last 30 days.")}</p>
      ) : (
        <Table
          name={t("Deliveries")}
          heads={[t("Event"), t("Time"), t("State"), t("Response"), { num: t("Attempts") }, ""]}
        >
          {items.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} isBusy={isPending} onResend={() => mutate(delivery.id)} />
          ))}
        </Table>
      )}
      <Pages cursor={cursor} next={next} />
    </Card>
  );
}

/** Whether a delivery is sent in the next minute. A failed one can wait for hours. */
const isWaiting = (page: Slice<WebhookDelivery> | undefined): boolean =>
  page?.items.some(
    ({ state, next_attempt_at: at }) =>
      state === "pending" && (at === undefined || Date.parse(at) < Date.now() + 60_000),
  ) ?? false;

function Delivery({
  delivery: { type, data, timestamp, state, attempts, next_attempt_at: next, status, problem },
  isBusy,
  onResend,
}: {
  delivery: WebhookDelivery;
  isBusy: boolean;
  onResend: () => void;
}): ReactNode {
  const { name, version } = data;
  return (
    <tr>
      <td className="long">
        {type}
        {typeof name === "string" && (
          <div className="soft">
            <Plain>{typeof version === "string" ? `${name} ${version}` : name}</Plain>
          </div>
        )}
      </td>
      <td>
        <When at={timestamp} />
      </td>
      <td>
        <span className={`tag ${LOOKS[state]}`}>{STATES[state]}</span>
        {next !== undefined && attempts > 0 && (
          <div className="soft">{rich("again at {time}", { time: <When at={next} /> })}</div>
        )}
      </td>
      <td className="long">
        {problem !== null ? <Plain>{problem}</Plain> : status === null ? "–" : t("HTTP {status}", { status })}
      </td>
      <td className="num">{figure(attempts)}</td>
      <td>
        <Button isDisabled={isBusy} aria-label={t("Resend {event}", { event: type })} onPress={onResend}>
          {t("Resend")}
        </Button>
      </td>
    </tr>
  );
}
