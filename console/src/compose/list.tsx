// Lists the ghosts that the user can use: own, of groups, and public, page by page.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Ghost } from "../../../sdk/src/generated/operations";
import { slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Owner } from "../library/owner";
import { Choice } from "../parts/controls";
import { Pages } from "../parts/pages";
import { Search } from "../parts/search";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, When } from "../parts/text";
import { Title } from "../parts/title";

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
    <>
      <Title>Ghosts</Title>
      <p className="lead">
        Agents, ready to be used: a prompt, the skills that it may load, the servers that it brings.
      </p>
      <Filters />
      {mayMake && (
        <p>
          <Link className="button main" to="/ghosts/new">
            Compose a ghost
          </Link>
        </p>
      )}
      <Answer of={answer} what="the ghosts">
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
    </>
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
    ["", "All that I may use"],
    ["default", "My own"],
    ...groups.map((group): [string, string] => [group, `The group ${group}`]),
    ["public", "Public"],
  ];
  return (
    <search className="row">
      <Search label="Search by name" placeholder="A part of it" value={q} onSearch={(text) => set({ q: text })} />
      <Choice label="Show" value={from} options={places} onChange={(place) => set({ from: place })} />
    </search>
  );
}

function Rows({ items }: { items: readonly Ghost[] }): ReactNode {
  return (
    <Table name="Ghosts" heads={["Ghost", "Of", "Skills", "Model", "Changed"]}>
      {items.map(({ metadata: { name, namespace, labels }, spec: { skills = [], model }, status }) => (
        <tr key={labels.id}>
          <td>
            <Link to="/ghosts/$id" params={{ id: labels.id }}>
              <Plain>{name}</Plain>
            </Link>
            {status.warnings.length > 0 && <span className="tag bad">{status.warnings.length} warnings</span>}
          </td>
          <td>
            <Owner namespace={labels.scope === "user" ? "default" : namespace} isPublic={labels.scope === "public"} />
          </td>
          <td>{skills.includes("*") ? "all" : figure(skills.length)}</td>
          <td>{model !== undefined && <Plain>{model}</Plain>}</td>
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
      <Empty title="Nothing is found">
        <p>
          Try another part of the name, or <Link to="/ghosts">see all ghosts</Link>.
        </p>
      </Empty>
    );
  return (
    <Empty title={mayMake ? "Compose your first ghost" : "There is no ghost"}>
      <p>Write its prompt, choose its skills, and see what its model would be told before anything is saved.</p>
      {mayMake && (
        <p>
          <Link className="button main" to="/ghosts/new">
            Begin
          </Link>
        </p>
      )}
    </Empty>
  );
}
