// Lists what an operator or author should look at: failures, findings, and things that expire or run out.

import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type AnswerOf, call, slice } from "../gateway/call";
import { ifReadable } from "../gateway/refusal";
import { type Somebody, useMe } from "../gateway/session";
import { isFailing } from "../library/rows";
import { Card } from "../parts/card";
import { Answer } from "../parts/state";
import { Plain, When } from "../parts/text";
import { t } from "../text/text";

const LIMIT = 100;
const DAY_MS = 24 * 60 * 60_000;
/** The share of a quota from which it is listed. */
const FULL = 0.8;
/** Keys and drafts are listed this long before they expire, in milliseconds. */
const SOON_MS = 7 * DAY_MS;
/** The number of items that are shown. */
const SHOWN = 8;

interface Item {
  id: string;
  look: "bad" | "warn" | "accent";
  /** The name of the thing, which another user can have chosen. */
  name: string;
  text: string;
  at?: string;
  link: Pick<LinkProps, "to" | "params" | "search">;
}

export function Attention({ usage }: { usage: AnswerOf<"skills.usageOfAll"> | undefined }): ReactNode {
  const me = useMe();
  const answer = useQuery({ queryKey: ["attention"], queryFn: ({ signal }) => itemsFor(me, signal) });
  const items = [...failing(usage), ...(answer.data ?? [])].sort(
    (a, b) => LOOKS.indexOf(a.look) - LOOKS.indexOf(b.look),
  );
  return (
    <Card title={t("Needs attention")} aside={answer.data === undefined ? undefined : items.length} isFlush>
      <Answer of={answer} what={t("the list")}>
        {() =>
          items.length === 0 ? (
            <p className="body soft">{t("Nothing needs attention.")}</p>
          ) : (
            <ul className="list">
              {items.slice(0, SHOWN).map(({ id, look, name, text, at, link }) => (
                <li key={id}>
                  <span className={`dot ${look}`} aria-hidden="true" />
                  <div>
                    <Link {...link}>
                      <Plain>{name}</Plain>
                    </Link>
                    <small>
                      {text}
                      {at !== undefined && (
                        <>
                          {" "}
                          <When at={at} />
                        </>
                      )}
                    </small>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}

const LOOKS: readonly Item["look"][] = ["bad", "warn", "accent"];

function failing(usage: AnswerOf<"skills.usageOfAll"> | undefined): Item[] {
  return (usage?.top ?? []).filter(isFailing).map(({ skill_id, skill_name, calls, failures }) => ({
    id: `failing ${skill_id}`,
    look: "warn",
    name: skill_name,
    text: t("{percent} % of {calls} tool calls failed.", { percent: Math.round((failures / calls) * 100), calls }),
    link: { to: "/skills/$id", params: { id: skill_id }, search: { view: "use" } },
  }));
}

/** Reads one page of each list. A list that the user's key cannot read adds nothing. */
async function itemsFor(me: Somebody, signal: AbortSignal): Promise<Item[]> {
  const query = { limit: LIMIT };
  const found = await Promise.all(
    [
      slice("servers.list", { query }, signal).then(({ items }) => items.flatMap(downServer)),
      call("insights.overview", {}, signal).then(({ failing }) => failing.map(failingVersion)),
      me.rights.operate
        ? slice("mcpServers.list", { query }, signal).then(({ items }) => items.flatMap(downServer))
        : Promise.resolve([]),
      slice("skills.unified", { query }, signal).then(({ items }) => items.flatMap(withFindings)),
      slice("keys.list", { query }, signal).then(({ items }) => items.flatMap(expiringKey)),
      call("drafts.list", {}, signal).then(({ items }) => items.flatMap((draft) => expiringDraft(draft, me.user_id))),
      slice("reviews.list", { query: { ...query, state: "open", mine: "false" } }, signal).then(({ items }) =>
        items.flatMap(waitingReview),
      ),
      call("me.get", {}, signal).then(({ quotas, today }) => [
        ...fullQuotas(t("in total"), quotas),
        ...fullQuotas("today", today),
      ]),
    ].map((asked) => ifReadable(asked, [])),
  );
  return found.flat();
}

function failingVersion(row: AnswerOf<"insights.overview">["failing"][number]): Item {
  const percentOf = ({ uses, failures }: { uses: number; failures: number }) =>
    ((failures / Math.max(1, uses)) * 100).toFixed(1);
  return {
    id: `version ${row.version_id}`,
    look: "bad",
    name: row.skill_name,
    text: t("Version {version} fails in {now} % of uses, the version before in {before} %.", {
      version: row.version ?? row.version_id,
      now: percentOf(row),
      before: percentOf(row.former),
    }),
    link: { to: "/skills/$id", params: { id: row.skill_id }, search: { view: "use" } },
  };
}

const isSoon = (at: string | null): at is string => at !== null && Date.parse(at) - Date.now() < SOON_MS;

const downServer = ({ name, down_since: at }: { name: string; down_since?: string | null }): Item[] =>
  at === null || at === undefined
    ? []
    : [
        {
          id: `server ${name}`,
          look: "bad",
          name,
          text: t("MCP server: calls have failed since"),
          at,
          link: { to: "/servers" },
        },
      ];

function withFindings({ id, name, findings: { high } }: AnswerOf<"skills.unified">[number]): Item[] {
  if (high === 0) return [];
  const text = t(high === 1 ? "{count} serious finding in this skill." : "{count} serious findings in this skill.", {
    count: high,
  });
  return [{ id: `findings ${id}`, look: "warn", name, text, link: { to: "/skills/$id", params: { id } } }];
}

function waitingReview({ id, name, state, updated_at: at }: AnswerOf<"reviews.list">["items"][number]): Item[] {
  // The author has the next move.
  if (state !== "pending") return [];
  const link = { to: "/review/$id", params: { id } } as const;
  return [{ id: `review ${id}`, look: "accent", name, text: t("Waiting for review since"), at, link }];
}

function expiringKey({ id, name, expires_at: at }: AnswerOf<"keys.list">["items"][number]): Item[] {
  if (!isSoon(at)) return [];
  return [{ id: `key ${id}`, look: "warn", name: name ?? id, text: t("API key expires"), at, link: { to: "/keys" } }];
}

function expiringDraft(draft: AnswerOf<"drafts.list">["items"][number], user: string): Item[] {
  const { reference, name, author, expires_at: at } = draft;
  if (author !== user || !isSoon(at)) return [];
  return [{ id: `draft ${reference}`, look: "accent", name, text: t("Draft expires"), at, link: { to: "/drafts" } }];
}

const QUOTAS: Readonly<Record<string, string>> = {
  skills: t("Skills"),
  versions: t("Versions"),
  bytes: t("Packages"),
  databaseBytes: t("Database"),
  ghosts: t("Agents"),
  keys: t("API keys"),
  files: t("Files written by scripts"),
  uploads: t("Uploads"),
  conversations: t("New conversations"),
  scripts: t("Scripts"),
};

function fullQuotas(when: string, quotas: Readonly<Record<string, { used: number; limit: number }>>): Item[] {
  return Object.entries(quotas)
    .filter(([, { used, limit }]) => limit > 0 && used / limit >= FULL)
    .map(([kind, { used, limit }]) => ({
      id: `quota ${when} ${kind}`,
      look: used >= limit ? "bad" : "warn",
      name: QUOTAS[kind] ?? kind,
      text: t("{percent} % of your quota is used {when}.", { percent: Math.round((used / limit) * 100), when }),
      link: { to: "/limits" },
    }));
}
