// Lists the skills that the user can use, with filters in the address, or the results of a search, ranked as a model's search ranks them.

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Puzzle, SearchX } from "lucide-react";
import { type ReactNode, useDeferredValue, useEffect, useMemo } from "react";
import { type Somebody, useMe } from "../gateway/session";
import { Choice } from "../parts/controls";
import { Page } from "../parts/page";
import { RowLink } from "../parts/row-link";
import { Search } from "../parts/search";
import { Answer, Empty } from "../parts/state";
import { figure, Plain, visible, When } from "../parts/text";
import { VirtualTable } from "../parts/virtual-table";
import { Choose } from "../publish/choose";
import { canPublish, SKILL_TABS } from "../shell/places";
import { rich, t } from "../text/text";
import { Owner } from "./owner";
import {
  allSkills,
  countsOf,
  type Filters,
  filtered,
  foundSkills,
  MOST,
  partsOf,
  type Row,
  tagsOf,
  useOfSkills,
  withUse,
} from "./rows";

const route = getRouteApi("/skills");
/** The number of tags that can be selected. */
const TAGS = 30;
const PARTS = [
  ["scripts", "Scripts"],
  ["tools", "Tools"],
  ["servers", "MCP servers"],
  ["network", "Network"],
  ["findings", "Findings"],
  ["failing", "Failing"],
  ["unused", "Unused"],
] as const;

export function Library(): ReactNode {
  const me = useMe();
  const { q, ...filters } = route.useSearch();
  const all = useInfiniteQuery(allSkills);
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = all;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  const listed = useMemo(() => all.data?.pages.flatMap(({ rows }) => rows), [all.data]);
  const found = useQuery({ ...foundSkills(q ?? ""), enabled: q !== undefined, placeholderData: keepPreviousData });
  const known = useMemo(() => new Map(listed?.map((row) => [row.id, row])), [listed]);
  const { data: use } = useQuery(useOfSkills);
  const measured = useMemo(() => measuredBy(me), [me]);
  const rows = useMemo(() => {
    const shown = q === undefined ? listed : found.data?.map((row) => known.get(row.id) ?? row);
    return shown && withUse(shown, use, measured);
  }, [q, listed, found.data, known, use, measured]);
  const { data: _, error, refetch } = q === undefined ? all : found;
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
      <Bar rows={rows ?? []} />
      <Answer of={{ data: rows, error, refetch }} what={t("the skills")}>
        {(loaded) =>
          loaded.length === 0 && q === undefined ? (
            <First />
          ) : (
            <Rows rows={loaded} q={q} filters={filters} isPartial={q === undefined && hasNextPage} />
          )
        }
      </Answer>
    </Page>
  );
}

/** Returns the owners whose usage the user can see, as rows name them. */
function measuredBy({ rights }: Somebody): ReadonlySet<string> {
  const names = rights.namespaces.filter(({ measure }) => measure).map(({ namespace }) => namespace);
  return new Set(names.map((name) => (name === "default" || name === "public" ? name : `group:${name}`)));
}

function Bar({ rows }: { rows: readonly Row[] }): ReactNode {
  const search = route.useSearch();
  const { groups } = useMe();
  const navigate = useNavigate({ from: "/skills" });
  const set = (field: keyof typeof search, value: string) =>
    void navigate({
      search: ({ [field]: _, ...others }) => (value === "" ? others : { ...others, [field]: value }),
      replace: true,
    });
  const chosen = partsOf(search.has);
  const counts = useMemo(() => countsOf(rows), [rows]);
  const tags = useMemo(() => tagsOf(rows, TAGS), [rows]);
  const owners: [string, string][] = [
    ["", t("All skills")],
    ["default", t("Mine")],
    ...groups.map((group): [string, string] => [`group:${group}`, t("Group {name}", { name: visible(group) })]),
    ["public", t("Public")],
  ];
  return (
    <search className="stack">
      <div className="row">
        <Search
          label={t("Search skills")}
          placeholder={t("Ranked the way find_skill ranks them")}
          value={search.q}
          onSearch={(text) => set("q", text)}
        />
        <Choice label={t("Show")} value={search.from ?? ""} options={owners} onChange={(owner) => set("from", owner)} />
        {(tags.length > 0 || search.tag !== undefined) && (
          <Choice
            label={t("Tag")}
            value={search.tag ?? ""}
            options={[["", t("All tags")], ...withChosen(tags, search.tag).map((tag) => [tag, visible(tag)] as const)]}
            onChange={(tag) => set("tag", tag)}
          />
        )}
        {search.q === undefined && (
          <Choice
            label={t("Sort")}
            value={search.sort ?? ""}
            options={[
              ["", t("Name")],
              ["updated", t("Last updated")],
            ]}
            onChange={(sort) => set("sort", sort)}
          />
        )}
      </div>
      <fieldset className="row tight chips">
        <legend className="unseen">{t("Contents")}</legend>
        {PARTS.map(([part, name]) => {
          const isOn = chosen.includes(part);
          const isEmpty = !isOn && counts.get(part) === 0;
          return (
            <button
              key={part}
              type="button"
              className="chip"
              aria-pressed={isOn}
              // It keeps the focus, because on a phone the keyboard scrolls to it.
              aria-disabled={isEmpty}
              onClick={() => {
                if (isEmpty) return;
                set("has", (isOn ? chosen.filter((one) => one !== part) : [...chosen, part]).join(","));
              }}
            >
              {t(name)} <span>{figure(counts.get(part) ?? 0)}</span>
            </button>
          );
        })}
      </fieldset>
    </search>
  );
}

const withChosen = (tags: readonly string[], tag: string | undefined): readonly string[] =>
  tag === undefined || tags.includes(tag) ? tags : [tag, ...tags];

function Rows({
  rows,
  q,
  filters,
  isPartial,
}: {
  rows: readonly Row[];
  q: string | undefined;
  filters: Filters;
  isPartial: boolean;
}): ReactNode {
  const { from, has, tag, sort } = filters;
  const chosen = useMemo(
    () => ({ shown: filtered(rows, { from, has, tag, sort }), order: [q, from, has, tag, sort].join(" ") }),
    [rows, q, from, has, tag, sort],
  );
  // A click on a filter is shown before the rows are filtered.
  const { shown, order } = useDeferredValue(chosen);
  const all = `${figure(rows.length)}${isPartial ? "+" : ""}`;
  return shown.length === 0 ? (
    <Empty icon={SearchX} title={t("No matching skills")}>
      <p>{rich("Try other words, or {link}.", { link: <Link to="/skills">{t("show all skills")}</Link> })}</p>
    </Empty>
  ) : (
    <>
      <p className="soft" role="status">
        {shown.length === rows.length
          ? t(rows.length === 1 ? "{count} skill" : "{count} skills", { count: all })
          : t("{count} of {all} skills", { count: figure(shown.length), all })}
        {rows.length >= MOST && ` · ${t("Others are found by search.")}`}
      </p>
      <VirtualTable
        key={order}
        name={t("Skills")}
        heads={[t("Skill"), t("Description"), t("Owner"), t("Version"), t("Updated")]}
        rows={shown}
        keyOf={idOf}
        cells={cellsOf}
      />
    </>
  );
}

const idOf = ({ id }: Row): string => id;

function cellsOf({ id, name, owner, description, version, updatedAt, findings }: Row): ReactNode {
  return (
    <>
      <td>
        <RowLink path={`/skills/${encodeURIComponent(id)}`} title={visible(name)}>
          <Plain>{name}</Plain>
        </RowLink>
        {findings > 0 && (
          <>
            {" "}
            <span className="tag bad">{t("{count} findings", { count: findings })}</span>
          </>
        )}
      </td>
      <td title={visible(description)}>
        <div className="clamp">
          <Plain>{description}</Plain>
        </div>
      </td>
      <td>
        <Owner namespace={owner.replace(/^group:/, "")} isPublic={owner === "public"} />
      </td>
      <td>{version !== null && <Plain>{version}</Plain>}</td>
      <td>
        <When at={updatedAt} />
      </td>
    </>
  );
}

function First(): ReactNode {
  return (
    <Empty icon={Puzzle} title={t("Publish your first skill")}>
      <p>{t("Drag a skill folder or ZIP here, or choose one. You see a report before anything is published.")}</p>
      <Choose />
    </Empty>
  );
}
