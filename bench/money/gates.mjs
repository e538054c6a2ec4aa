// Checks the guarantees of `npm run bench:money`. A failed check sets the exit code.

import { cheapest } from "./print.mjs";

/** Ratios within this margin count as equal. */
const MARGIN = 1.02;

/**
 * @param {object[]} whole cells of small skills
 * @param {object[]} ledgers the gateway's figures next to the simulated ones
 * @param {number} saved by the first conversation of Wegent's example
 * @param {{ catalog: string, format: string, model: string, billed: Record<string, number> }[]} formats the default in every format
 * @returns {{ gate: string, worst: string, ok: boolean }[]}
 */
export function gates(cells, whole, saved, ledgers, formats) {
  const of = (catalog) => cells.filter((cell) => cell.catalog === catalog);
  const two = (catalog) =>
    of(catalog).filter(({ load, talk, pause }) => load === "turns 4 and 11" && talk === 650 && pause === 0);
  const short = of("33 skills").filter(({ turns }) => turns <= 16);
  return [
    bound("auto against append-only, every cell", cells, "append", MARGIN),
    bound("auto against system, every cell", cells, "system", MARGIN),
    bound("auto against pasting, 33 skills, up to 16 turns", short, "paste", 1),
    bound("auto against pasting, 1 500 skills", of("1500 skills"), "paste", 1),
    bound("auto against pasting, two loads in 16 turns, 5 skills", two("5 skills"), "paste", 0.93),
    bound("auto against pasting, two loads in 16 turns, 33 skills", two("33 skills"), "paste", 0.17),
    {
      gate: "small skills are preloaded whole: no load in any cell",
      worst: "",
      ok: whole.every(({ append, paste }) => append.requests === paste.requests),
    },
    ledgerGate(ledgers),
    ...formatGates(formats),
    bound("auto against system, small skills", whole, "system", SMALL_MARGIN),
    {
      gate: "the first conversation of the predecessor's example saves money under auto",
      worst: `${(saved * 100).toFixed(1)} %`,
      ok: saved > 0,
    },
  ];
}

/** A catalog of small skills is sent whole, also to a conversation that loads one of them: docs/cost-of-prompts.md. */
const SMALL_MARGIN = 1.65;

/** The allowed difference between the gateway's own figures and the simulator's. The gateway does not receive the messages. */
const LEDGER = 0.1;

function ledgerGate(ledgers) {
  const off = ({ told, actual, paste }) =>
    Math.max(Math.abs(told.actual / actual - 1), Math.abs(told.paste / paste - 1));
  const worst = ledgers.toSorted((a, b) => off(b) - off(a))[0];
  const gate = `the gateway's own ledger, without reports, is within ${LEDGER * 100} % of this`;
  if (worst === undefined) return { gate, worst: "not measured", ok: true };
  const where = `${worst.catalog}, ${worst.model}, ${worst.delivery}`;
  return { gate, worst: `${(off(worst) * 100).toFixed(1)} % (${where})`, ok: off(worst) <= LEDGER };
}

/** Gemini does not cache prompts below 4 096 tokens, so there the length of a short prompt matters: docs/cost-of-prompts.md. */
const UNCACHED_MARGIN = 1.06;

/**
 * Checks that the default is never more expensive than the cheapest way that loads the same skills. docs/cost-of-prompts.md lists and
 * explains the exceptions.
 */
function formatGates(formats) {
  const isShort = ({ model }) => model.startsWith("gemini");
  return [
    formatGate(
      "every format and vendor but Gemini",
      formats.filter((cell) => !isShort(cell)),
      MARGIN,
    ),
    formatGate("every format, Gemini", formats.filter(isShort), UNCACHED_MARGIN),
  ];
}

function formatGate(which, cells, limit) {
  const gate = `the default against the cheapest way that loads the same skills, ${which} ≤ ${limit}`;
  if (cells.length === 0) return { gate, worst: "not measured", ok: true };
  const ratio = ({ billed }) => billed.default / cheapest(billed)[1];
  const worst = cells.reduce((a, b) => (ratio(b) > ratio(a) ? b : a));
  const where = `${worst.catalog}, ${worst.format}, ${worst.model}, against ${cheapest(worst.billed)[0]}`;
  return { gate, worst: `${ratio(worst).toFixed(3)} (${where})`, ok: ratio(worst) <= limit };
}

function bound(gate, cells, against, limit) {
  if (cells.length === 0) return { gate, worst: "not measured", ok: true };
  const ratio = (cell) => cell.auto.billed / cell[against].billed;
  const worst = cells.reduce((a, b) => (ratio(b) > ratio(a) ? b : a));
  const over = cells.filter((cell) => ratio(cell) > limit).length;
  const where = `${worst.model}, ${worst.catalog}, ${worst.turns} turns of ${worst.talk}, load ${worst.load}, pause ${worst.pause / 60} min`;
  return {
    gate: `${gate} ≤ ${limit}`,
    worst: `${ratio(worst).toFixed(3)} (${where})${over > 0 ? `; over in ${over} of ${cells.length}` : ""}`,
    ok: over === 0,
  };
}

export function printGates(held) {
  const line = ({ gate, worst, ok }) => `${ok ? "ok  " : "OVER"} ${gate}${worst === "" ? "" : `: ${worst}`}`;
  return `\n${held.map(line).join("\n")}`;
}
