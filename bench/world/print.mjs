// The tables of `npm run bench:world`, for the terminal.

import { DATED, HOMES, REGIONS } from "./places.mjs";
import { timeOf, tripsOf } from "./time.mjs";

const tripsText = (journeys) => {
  const { primary, replica, object, r2 } = tripsOf(journeys);
  return `${primary} primary, ${replica} replica, ${object} object${r2 > 0 ? `, ${r2} R2` : ""}`;
};

export function tripTable(journeys, before, commit) {
  const rows = Object.keys(journeys).map((name) => [
    name,
    tripsText(journeys[name]),
    tripsText(before[name]),
    later(journeys[name]),
  ]);
  return table(["operation", "waits for", `at ${commit}`, "left for later"], rows);
}

function later(journeys) {
  const left = journeys.flatMap(({ background = [] }) => background);
  return left.length === 0 ? "" : `${left.length} (${[...new Set(left)].join(", ")})`;
}

/** Returns one table for each location of D1 and the object; values of the previous commit are in brackets. */
export function timeTables(journeys, before, commit) {
  const names = Object.keys(journeys);
  return Object.keys(HOMES).flatMap((home) =>
    ["near", "far"].map((object) => {
      const cell = (of, name, region) => timeOf(of[name], region, home, object).map(Math.round).join("–");
      const rows = Object.keys(REGIONS).map((region) => [
        region,
        ...names.map((name) => `${cell(journeys, name, region)} (${cell(before, name, region)})`),
      ]);
      const place = object === "near" ? "in the caller's city" : "on the other continent";
      const title = `D1's primary in ${home} (${HOMES[home]}), the object ${place}: milliseconds of distance, low–high (at ${commit})`;
      return `${title}\n\n${table(["caller", ...names], rows)}`;
    }),
  );
}

export const UNSEEN = `Round trips: ${DATED} (bench/world/places.mjs).
What this cannot see: making an object and waking it, D1's own hops and its time for a query, where R2 keeps a package, the caller's way to
the nearest Worker, the model's time, and how far a replica really lags.`;

function table(columns, rows) {
  const widths = columns.map((column, n) => Math.max(column.length, ...rows.map((row) => row[n].length)));
  const line = (cells) => `| ${cells.map((cell, n) => cell.padEnd(widths[n])).join(" | ")} |`;
  return [line(columns), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n");
}
