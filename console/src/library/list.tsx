// Lists the skills that the user can use, page by page, or the results of a search, ranked as a model's search ranks them.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Puzzle, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import type { Skill, SkillItem } from "../../../sdk/src/generated/operations";
import { type Slice, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Choice } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Search } from "../parts/search";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, When } from "../parts/text";
import { Choose } from "../publish/choose";
import { canPublish, SKILL_TABS } from "../shell/places";
import { rich, t } from "../text/text";
import { Owner } from "./owner";

/** The number of rows that are shown and requested at once. */
const ROWS = 50;
const route = getRouteApi("/skills");

/** A skill as the list shows it, from the list or a search. */
interface Row {
  id: string;
  name: string;
  namespace: string;
  isPublic: boolean;
  description: string;
  version: string | null;
  updatedAt: string;
  findings: number;
}

export function Library(): ReactNode {
  const me = useMe();
  const { q, from = "all", cursor } = route.useSearch();
  const answer = useQuery({
    queryKey: ["skills", q, from, cursor],
    queryFn: ({ signal }) => rowsOf(q, from, cursor, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={t("Skills")}
      lead={canPublish(me) && t("Drag a skill folder or ZIP onto any page to check and publish it.")}
      tabs={SKILL_TABS}
      actions={
        canPublish(me) && (
          <Link className="button main" to="/publish">
            {t("Publish a skill")}
          </Link>
        )
      }
    >
      <Filters />
      <Answer of={answer} what={t("the skills")}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Nothing isFirst={q === undefined && cursor === undefined && (from === "all" || from === "default")} />
          ) : (
            <>
              <Rows items={items} />
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
    </Page>
  );
}

function Filters(): ReactNode {
  const { q, from = "all" } = route.useSearch();
  const { groups } = useMe();
  const navigate = useNavigate({ from: "/skills" });
  const set = (words: { q?: string; from?: string }) => {
    const { q: text, from: place } = { q, from, ...words };
    void navigate({ search: { ...(text ? { q: text } : {}), ...(place === "all" ? {} : { from: place }) } });
  };
  const places: [string, string][] = [
    ["all", t("All skills")],
    ["default", t("Mine")],
    ...groups.map((group): [string, string] => [`group:${group}`, t("Group {name}", { name: group })]),
    ["public", t("Public")],
  ];
  return (
    <search className="row">
      <Search
        label={t("Search skills")}
        placeholder={t("Ranked the way find_skill ranks them")}
        value={q}
        onSearch={(text) => set({ q: text })}
      />
      <Choice label={t("Show")} value={from} options={places} onChange={(place) => set({ from: place })} />
    </search>
  );
}

function Rows({ items }: { items: readonly Row[] }): ReactNode {
  return (
    <Table name={t("Skills")} heads={[t("Skill"), t("Description"), t("Owner"), t("Version"), t("Updated")]}>
      {items.map(({ id, name, namespace, isPublic, description, version, updatedAt, findings }) => (
        <tr key={id}>
          <td className="name">
            <Link to="/skills/$id" params={{ id }}>
              <Plain>{name}</Plain>
            </Link>
            {findings > 0 && (
              <>
                {" "}
                <span className="tag bad">{t("{count} findings", { count: findings })}</span>
              </>
            )}
          </td>
          <td className="long">
            <div className="clamp">
              <Plain>{description}</Plain>
            </div>
          </td>
          <td>
            <Owner namespace={namespace} isPublic={isPublic} />
          </td>
          <td>{version !== null && <Plain>{version}</Plain>}</td>
          <td>
            <When at={updatedAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Nothing({ isFirst }: { isFirst: boolean }): ReactNode {
  return isFirst ? (
    <Empty icon={Puzzle} title={t("Publish your first skill")}>
      <p>{t("Drag a skill folder or ZIP here, or choose one. You see a report before anything is published.")}</p>
      <Choose />
    </Empty>
  ) : (
    <Empty icon={SearchX} title={t("No matching skills")}>
      <p>{rich("Try other words, or {link}.", { link: <Link to="/skills">{t("show all skills")}</Link> })}</p>
    </Empty>
  );
}

async function rowsOf(
  q: string | undefined,
  from: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Slice<Row>> {
  const page = { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) };
  const group = from.startsWith("group:") ? from.slice("group:".length) : undefined;
  const namespace = group ?? (from === "default" ? "default" : undefined);
  if (from === "public" && q === undefined)
    return rows(await slice("skills.listPublic", { query: page }, signal), ofItem);
  if (q === undefined && namespace === undefined)
    return rows(await slice("skills.unified", { query: page }, signal), ofItem);
  const query = { ...page, ...(q === undefined ? {} : { q }), ...(namespace === undefined ? {} : { namespace }) };
  return rows(await slice("skills.list", { query }, signal), ofSkill);
}

const rows = <T,>({ items, next }: Slice<T>, row: (item: T) => Row): Slice<Row> => ({ items: items.map(row), next });

const ofItem = ({ id, name, namespace, is_public, description, version, updated_at, findings }: SkillItem): Row => ({
  ...{ id, name, namespace, description, version },
  isPublic: is_public,
  updatedAt: updated_at,
  findings: findings.high,
});

const ofSkill = ({ metadata, spec, status }: Skill): Row => ({
  id: metadata.labels.id,
  name: metadata.name,
  namespace: metadata.namespace,
  isPublic: metadata.labels.user_id === "0",
  description: spec.description,
  version: spec.version ?? null,
  updatedAt: status.updated_at,
  findings: status.warnings.filter(({ severity }) => severity === "high").length,
});
