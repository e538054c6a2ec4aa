// Writes the tables of docs/cost.md.

import { CHECKED, PRICES, SOURCES, WAITS } from "./prices.mjs";

const BEGIN = "<!-- bench:cost -->";
const END = "<!-- /bench:cost -->";

/** Returns a document with the text between its marks replaced. */
export function between(document, text) {
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error("the document has no marks of bench:cost");
  return `${before}${BEGIN}\n${text}\n${END}${after}`;
}

/** Returns the rows of each catalog, the first one with its units, the costs of hosts that only listen, and the rows of counts. */
export function tables(rows, sizes, listening, counts) {
  const of = (name, size) => rows.find((row) => row.name === name && row.size === size);
  const names = rows.filter(({ size }) => size === sizes[0]).map(({ name }) => name);
  const dollars = names.map((name) => [name, ...sizes.map((size) => money(of(name, size).cost.total))]);
  const largest = sizes.at(-1);
  const units = names.map((name) => {
    const { units: u, cost, ms } = of(name, largest);
    const calls = [
      u.objectRequests,
      `${u.objectRowsWritten}${u.alarmsSet > 0 ? ` + ${u.alarmsSet}` : ""}`,
      u.objectRowsRead,
    ];
    return [
      name,
      ...calls,
      u.d1RowsWritten,
      u.d1RowsRead,
      u.r2ClassA,
      u.r2ClassB,
      Math.round(cost.awake_ms),
      ms.toFixed(0),
    ];
  });
  const parts = names.map((name) => {
    const { cost } = of(name, largest);
    return [name, ...["requests", "awake", "object", "d1", "r2"].map((part) => money(cost[part]))];
  });
  const prices = Object.entries(SOURCES).map(([what, where]) => `${what}: ${where}`);
  return [
    `Counted on ${new Date().toISOString().slice(0, 10)}; prices of ${CHECKED}.`,
    "US dollars per million operations, by the number of skills that the caller can see:",
    table(["operation", ...sizes.map((size) => `${size.toLocaleString("en")} skills`)], dollars),
    `The same by billing item, with ${largest.toLocaleString("en")} skills:`,
    table(["operation", "requests", "awake time", "object rows", "D1", "R2"], parts),
    "The same in units. `written` counts rows of the object and, after the plus sign, alarms, which are billed as one row each. A and B are classes of R2 calls. `local ms` is the duration on the test machine and is not billed.",
    table(
      ["operation", "object requests", "written", "read", "D1 written", "D1 read", "A", "B", "awake ms", "local ms"],
      units,
    ),
    "**Rows with and without counts.** A conversation of 20 steps within an hour: 10 turns, each with one call, alternately `load_skill` and `find_skill`. It has 10 skills, and another conversation of the user ran on the same day. Its rows include those of the hourly alarm, which sends the counts. The hourly job adds the lists of both conversations.",
    table(
      ["rows written", "object", "D1", "per million steps", "hourly job"],
      Object.entries(counts).map(
        ([
          name,
          {
            steps,
            conversation: { object, d1 },
            hourly,
          },
        ]) => [
          `${name} counts`,
          object,
          d1,
          Math.round(((object + d1) / steps) * 1_000_000).toLocaleString("en"),
          hourly.object + hourly.d1,
        ],
      ),
    ),
    `**Listening hosts.** ${listening.hosts} MCP hosts that each listen to a conversation for an hour (\`subscriptions/listen\` at \`/mcp/{id}\`) without changes make ${listening.requests} requests to objects. ${listening.slept} of ${listening.hosts} objects sleep in the meantime. Each host keeps its object awake for ${Math.round(listening.awakeMs)} ms per hour, which is ${(listening.share * 100).toFixed(4)} % of an object that is always awake.`,
    `**List prices** in US dollars per million, above what the paid plan includes: request ${PRICES.request}, request to an object ${PRICES.objectRequest}, second of an object awake ${PRICES.awakeSecond.toFixed(2)}, row read ${PRICES.rowRead}, row written ${PRICES.rowWritten}, R2 class A ${PRICES.r2ClassA}, class B ${PRICES.r2ClassB}. ${prices.join("; ")}.`,
    `**Assumed waiting times** in milliseconds: ${Object.entries(WAITS)
      .map(([what, ms]) => `${what} ${ms}`)
      .join(", ")}.`,
  ].join("\n\n");
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

const money = (dollars) => (dollars >= 100 ? dollars.toFixed(0) : dollars.toFixed(2));
