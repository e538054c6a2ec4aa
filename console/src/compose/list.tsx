// Lists the ghosts that the user can use: own, of groups, and public, page by page.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Bot, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import type { Ghost } from "../../../sdk/src/generated/operations";
import { slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Owner } from "../library/owner";
import { Choice } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Search } from "../parts/search";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, When } from "../parts/text";
import { rich, t } from "../text/text";

/** The number of rows that are shown and requested at once. */
const ROWS = 50;
const route = getRouteApi("/ghosts");

export function Ghosts(): ReactNode {
  const { rights } = useMe();
  const { q, from, cursor } = route.useSearch();
  const answer = useQuery({
    queryKey: ["ghosts", q, from, cursor],
    queryFn: ({ signal }) =>
      slice(
        "ghosts.list",
        {
          query: {
            limit: ROWS,
            ...(q === undefined ? {} : { q }),
            ...(from === undefined ? {} : { namespace: from }),
            ...(cursor === undefined ? {} : { cursor }),
          },
        },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
  const mayMake = rights.namespaces.some(({ define }) => define);
  return (
    <Page
      title={t("Agents")}
      lead={t("An agent definition (ghost) has a prompt, the skills that its model can load, and MCP servers.")}
      actions={
        mayMake && (
          <Link className="button main" to="/ghosts/new">
            {t("Create agent")}
          </Link>
        )
      }
    >
      <Filters />
      <Answer of={answer} what={t("the agents")}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Nothing isFirst={q === undefined && cursor === undefined} mayMake={mayMake} />
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
  const { q = "", from = "" } = route.useSearch();
  const { groups } = useMe();
  const navigate = useNavigate({ from: "/ghosts" });
  const set = (words: { q?: string; from?: string }) => {
    const { q: text, from: place } = { q, from, ...words };
    void navigate({ search: { ...(text === "" ? {} : { q: text }), ...(place === "" ? {} : { from: place }) } });
  };
  const places: [string, string][] = [
    ["", t("All agents")],
    ["default", t("Mine")],
    ...groups.map((group): [string, string] => [group, t("Group {name}", { name: group })]),
    ["public", t("Public")],
  ];
  return (
    <search className="row">
      <Search
        label={t("Search agents")}
        placeholder={t("Part of the name")}
        value={q}
        onSearch={(text) => set({ q: text })}
      />
      <Choice label={t("Show")} value={from} options={places} onChange={(place) => set({ from: place })} />
    </search>
  );
}

function Rows({ items }: { items: readonly Ghost[] }): ReactNode {
  return (
    <Table name={t("Agents")} heads={[t("Agent"), t("Owner"), { num: t("Skills") }, t("Model"), t("Updated")]}>
      {items.map(({ metadata: { name, namespace, labels }, spec: { skills = [], model }, status }) => (
        <tr key={labels.id}>
          <td>
            <Link to="/ghosts/$id" params={{ id: labels.id }}>
              <Plain>{name}</Plain>
            </Link>
            {status.warnings.length > 0 && (
              <span className="tag bad">{t("{count} warnings", { count: status.warnings.length })}</span>
            )}
          </td>
          <td>
            <Owner namespace={labels.scope === "user" ? "default" : namespace} isPublic={labels.scope === "public"} />
          </td>
          <td className="num">{skills.includes("*") ? t("all") : figure(skills.length)}</td>
          <td>{model === undefined ? "–" : <Plain>{model}</Plain>}</td>
          <td>
            <When at={status.updated_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Nothing({ isFirst, mayMake }: { isFirst: boolean; mayMake: boolean }): ReactNode {
  if (!isFirst)
    return (
      <Empty icon={SearchX} title={t("No matching agents")}>
        <p>
          {rich("Try another part of the name, or {link}.", { link: <Link to="/ghosts">{t("show all agents")}</Link> })}
        </p>
      </Empty>
    );
  return (
    <Empty icon={Bot} title={mayMake ? t("Create your first agent") : t("No agents")}>
      <p>{t("Write a prompt, choose skills, and preview what the model receives before you save.")}</p>
      {mayMake && (
        <Link className="button main" to="/ghosts/new">
          {t("Start")}
        </Link>
      )}
    </Empty>
  );
}
