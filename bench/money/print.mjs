// The figures of `npm run bench:money` as tables, for the terminal and for docs/cost-of-prompts.md alike.

const WAYS = { paste: "pasting", append: "append-only", system: "`system`", auto: "`auto`" };

/** Two loads in sixteen turns: tokens sent and billed in each way. */
export function examples(cells) {
  const chosen = cells.filter(({ load, talk, pause }) => load === "turns 4 and 11" && talk === 650 && pause === 0);
  const models = [...new Set(chosen.map(({ model }) => model))];
  const catalogs = [...new Set(chosen.map(({ catalog }) => catalog))];
  const rows = catalogs.flatMap((catalog) =>
    Object.entries(WAYS).map(([way, title]) => {
      const of = (model) => chosen.find((cell) => cell.catalog === catalog && cell.model === model);
      const sent = Math.round(of(models[0])[way].sent);
      return [catalog, title, `${thousands(sent)}`, ...models.map((model) => billed(of(model), way))];
    }),
  );
  return titled(
    "16 turns of 650 tokens, a skill loaded in turns 4 and 11: tokens sent, and billed at the price of an ordinary one",
    ["catalog", "way", "sent", ...models],
    rows,
  );
}

/** The lowest and highest ratio of `auto` to each other method, over all cells of a catalog and length. */
export function ranges(cells) {
  const groups = grouped(cells, ({ catalog, turns }) => `${catalog}|${turns}`);
  const rows = [...groups].map(([key, members]) => [
    ...key.split("|"),
    `${members.length}`,
    ...["paste", "append", "system"].map((way) => range(members.map((cell) => cell.auto.billed / cell[way].billed))),
  ]);
  return titled(
    "Billed under `auto`, as a part of what another way is billed: the least and the most",
    [...["catalog", "turns", "cells", "of pasting", "of append-only", "of `system`"]],
    rows,
  );
}

/** The bill of the example as the gateway reports it, next to the simulator's. */
export function ledgerTable(ledgers) {
  const rows = ledgers.map(({ catalog, model, delivery, told: billedText, actual, paste }) => [
    ...[catalog, model, `\`${delivery}\``],
    ...[billedText.actual, actual, billedText.paste, paste].map(thousands),
  ]);
  const head = ["catalog", "model", "delivery", "ledger: actual", "here", "ledger: paste", "here"];
  return titled("What `tokens.billed` says of the same conversations, where nobody reports anything", head, rows);
}

/** The example under the default, in every format, against the cheapest way that loads the same skills, and against pasting. */
export function formatTable(cells) {
  const models = [...new Set(cells.map(({ model }) => model))];
  const groups = grouped(cells, ({ catalog, format }) => `${catalog}|${format}`);
  const rows = [...groups].map(([key, members]) => {
    const billedText = ({ billed }) => {
      const [way, least] = cheapest(billed);
      const paste = Math.round((billed.default / billed.pasting - 1) * 100);
      return `${thousands(billed.default)} (${(billed.default / least).toFixed(3)} of ${way}, ${paste > 0 ? "+" : ""}${paste} %)`;
    };
    return [...key.split("|"), ...models.map((model) => billedText(members.find((cell) => cell.model === model)))];
  });
  return titled(
    "Billed under the default, in each format: as a part of the cheapest way that loads the same skills, and against pasting",
    ["catalog", "format", ...models],
    rows,
  );
}

/** The way that is billed least among those that load the same skills. */
export function cheapest(billed) {
  const others = Object.entries(billed).filter(([way]) => way !== "default" && way !== "pasting");
  return others.reduce((a, b) => (b[1] < a[1] ? b : a));
}

/** Returns where pasting is cheaper: in which conversations, in how many of their cells, and by how much. */
export function cheaperToPaste(cells) {
  const groups = grouped(cells, ({ catalog, load }) => `${catalog}|${load}`);
  const rows = [...groups].flatMap(([key, members]) => {
    const over = members.filter(({ auto, paste }) => auto.billed > paste.billed);
    if (over.length === 0) return [];
    const turns = [...new Set(over.map((cell) => cell.turns))].join(", ");
    const ratios = over.map(({ auto, paste }) => auto.billed / paste.billed);
    return [[...key.split("|"), turns, `${over.length} of ${members.length}`, range(ratios)]];
  });
  return titled(
    "Where pasting is cheaper: what `auto` is billed as a part of it",
    ["catalog", "loads", "in turns", "cells", "`auto` of pasting"],
    rows,
  );
}

function grouped(all, keyOf) {
  const groups = new Map();
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}

export function titled(title, head, rows) {
  const widths = head.map((cell, n) => Math.max(cell.length, ...rows.map((row) => row[n].length)));
  const line = (row) => `| ${row.map((cell, n) => cell.padEnd(widths[n])).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return `\n${title}\n\n${[line(head), rule, ...rows.map(line)].join("\n")}`;
}

export function thousands(value) {
  return `${Math.round(value)}`.replaceAll(/\B(?=(\d{3})+$)/g, " ");
}

function billed(cell, way) {
  const share = Math.round((cell[way].billed / cell.paste.billed - 1) * 100);
  return `${thousands(cell[way].billed)}${way === "paste" ? "" : ` (${share > 0 ? "+" : ""}${share} %)`}`;
}

function range(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(2));
  return least === most ? least : `${least} to ${most}`;
}
