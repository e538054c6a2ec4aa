// Shows dependencies: a graph, the same data as an accessible table, and as CSV.

import type { ReactNode } from "react";
import { t } from "../text/text";
import { csvAddress } from "./csv";
import { type Edge, layersOf, type Spot } from "./layers";
import { Table } from "./table";
import { Plain, visible } from "./text";

export interface Node {
  id: string;
  name: string;
  kind: "ghost" | "skill" | "missing" | "server" | "tool";
  /** A short note, such as a version. */
  note?: string;
  /** Another node has the same name. */
  meets?: boolean;
}

export interface Tie extends Edge {
  /** The relation of the first node to the second. */
  what: "has" | "needs" | "brings" | "uses";
}

/** Maximum number of nodes in the picture and of rows in the table. */
const DRAWN = 200;
const ROWS = 100;
/** The size of a node and the distances between two, in units of the picture. */
const [WIDTH, HEIGHT, ASIDE, BELOW] = [180, 34, 70, 12];
const LETTERS = 22;

const KINDS: Record<Node["kind"], string> = {
  ghost: t("agent"),
  skill: t("skill"),
  missing: t("not found"),
  server: t("MCP server"),
  tool: t("tool"),
};

export function Graph({
  name,
  nodes,
  ties,
}: {
  name: string;
  nodes: readonly Node[];
  ties: readonly Tie[];
}): ReactNode {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const { spots, edges, leftOut } = layersOf(
    nodes.map(({ id }) => id),
    ties,
    DRAWN,
  );
  const at = new Map(spots.map((spot) => [spot.id, spot]));
  const width = Math.max(...spots.map((spot) => left(spot) + WIDTH), WIDTH) + 2;
  const height = Math.max(...spots.map((spot) => top(spot) + HEIGHT), HEIGHT) + 2;
  const kinds = [...new Set(nodes.map(({ kind }) => kind))];
  return (
    <figure>
      <figcaption>{name}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
      <section className="scrolls graph" aria-label={t("{name}: graph", { name })} tabIndex={0}>
        <svg aria-hidden="true" viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
          {edges.map(({ from, to, what, isBack }) => (
            <path
              key={`${from} ${what} ${to}`}
              className={isBack ? "tie back" : "tie"}
              d={way(at.get(from), at.get(to))}
            />
          ))}
          {spots.map((spot) => {
            const node = known.get(spot.id);
            return node === undefined ? null : <Box key={spot.id} node={node} spot={spot} />;
          })}
        </svg>
      </section>
      {leftOut > 0 && <p className="soft">{t("{count} more are not shown.", { count: leftOut })}</p>}
      <p className="row tight">
        {kinds.map((kind) => (
          <span key={kind}>
            <span className={`dot node ${kind}`} aria-hidden="true" /> {KINDS[kind]}
          </span>
        ))}
        <a download="graph.csv" href={csvAddress(rows(known, ties))}>
          {t("Download CSV")}
        </a>
      </p>
      <details>
        <summary>{t("Table")}</summary>
        <Table name={name} heads={[t("From"), t("Relation"), t("To"), t("Kind")]}>
          {ties.slice(0, ROWS).map(({ from, to, what }) => (
            <tr key={`${from} ${what} ${to}`}>
              <th scope="row">
                <Plain>{known.get(from)?.name ?? from}</Plain>
              </th>
              <td>{t(what)}</td>
              <td>
                <Plain>{known.get(to)?.name ?? to}</Plain>
              </td>
              <td>{told(known.get(to))}</td>
            </tr>
          ))}
        </Table>
        {ties.length > ROWS && (
          <p className="soft">{t("{count} more rows are in the CSV.", { count: ties.length - ROWS })}</p>
        )}
      </details>
    </figure>
  );
}

function Box({ node: { name, kind, note, meets = false }, spot }: { node: Node; spot: Spot }): ReactNode {
  const text = visible(note === undefined ? name : `${name} ${note}`);
  return (
    <g className={`node ${kind}${meets ? " meets" : ""}`}>
      <title>{text}</title>
      <rect x={left(spot)} y={top(spot)} width={WIDTH} height={HEIGHT} rx={8} />
      <text x={left(spot) + WIDTH / 2} y={top(spot) + HEIGHT / 2}>
        {text.length > LETTERS ? `${text.slice(0, LETTERS - 1)}…` : text}
      </text>
    </g>
  );
}

const left = ({ layer }: Spot) => 1 + layer * (WIDTH + ASIDE);
const top = ({ place }: Spot) => 1 + place * (HEIGHT + BELOW);

/** Returns the SVG path from the end of one node to the start of another. */
function way(from: Spot | undefined, to: Spot | undefined): string {
  if (from === undefined || to === undefined) return "";
  const [x, y] = [left(from) + WIDTH, top(from) + HEIGHT / 2];
  const [toX, toY] = [left(to), top(to) + HEIGHT / 2];
  return `M${x} ${y}C${x + ASIDE / 2} ${y} ${toX - ASIDE / 2} ${toY} ${toX} ${toY}`;
}

function told(node: Node | undefined): string {
  if (node === undefined) return "";
  return [KINDS[node.kind], node.note, node.meets ? t("name conflict") : undefined].filter(Boolean).join(", ");
}

function rows(known: ReadonlyMap<string, Node>, ties: readonly Tie[]): string[][] {
  const lines = ties.map(({ from, to, what }) => [
    known.get(from)?.name ?? from,
    what,
    known.get(to)?.name ?? to,
    told(known.get(to)),
  ]);
  return [["from", "relation", "to", "kind"], ...lines];
}
