// The grid of `npm run bench:money`: the simulated conversations and the cells in which they are priced.

import { drive } from "./drive.mjs";
import { bill, pasting } from "./price.mjs";

const TURNS = [4, 16, 60];
const TALK = [650, 3_000];
const EVERY = [2, 5, 15];
/** Seconds between turns. */
const PAUSES = [0, 600];

/** The turns in which skills are loaded, and whether they are always the same skills. */
const LOADS = [
  ...EVERY.flatMap((every) =>
    [false, true].map((changing) => ({
      load: `every ${every}, ${changing ? "changing" : "same"}`,
      turns: TURNS,
      at: (turn) => (turn % every === 0 ? turn / every - 1 : null),
      changing,
    })),
  ),
  // Two loads in sixteen turns.
  { load: "turns 4 and 11", turns: [16], at: (turn) => ({ 4: 0, 11: 1 })[turn] ?? null, changing: true },
];

/** The ways of the grid. A conversation without a delivery setting uses `auto`. */
const WAYS = { auto: {}, system: { delivery: "system" } };

/** All ways of loading on demand. */
const ALL_WAYS = {
  default: {},
  auto: { delivery: "auto" },
  system: { delivery: "system" },
  message: { delivery: "message" },
  "tool_result, fixed tools": { delivery: "tool_result", tool_mode: "fixed" },
};

const ALL_FORMATS = ["openai", "openai-responses", "anthropic", "mcp"];

/** Two loads in sixteen turns of 650 tokens, without pauses. */
const EXAMPLE = { turns: 16, talk: 650, pause: 0 };

/** The models that are reported to the gateway. */
const NAMED = { openai: "gpt-5.4", anthropic: "claude-sonnet-5" };

/** Runs the conversations of a catalog: one for each way of loading, delivery and format, and for `auto` also one whose cache expires. */
export async function driveCatalog(gateway, { user, skills, only = {} }) {
  const shapes = new Map();
  for (const [n, { load, turns, at, changing }] of LOADS.entries()) {
    for (const format of ["openai", "anthropic"]) {
      for (const [delivery, settings] of Object.entries(WAYS)) {
        // Of the models that are priced, only the cache of Claude expires within ten minutes.
        for (const cold of delivery === "auto" && format === "anthropic" ? [false, true] : [false]) {
          const wanted = (turn) => {
            const which = at(turn);
            return which === null ? [] : [skills[changing ? which % skills.length : 0]];
          };
          const id = `${n}-${format}-${delivery}-${cold ? "cold" : "warm"}`;
          const model = NAMED[format];
          const plan = {
            user,
            id,
            format,
            model,
            settings: { ...settings, ...only },
            turns: Math.max(...turns),
            wanted,
            cold,
          };
          shapes.set([load, format, delivery, cold].join(), await drive(gateway, plan));
        }
      }
    }
  }
  return shapes;
}

/**
 * Returns the gateway's own cost estimates next to the bills of the simulator, for conversations of the reported length. The gateway does
 * not receive the messages.
 */
export function ledgersOf({ name }, shapes, prices, count) {
  const [example] = LOADS.filter(({ load }) => load === "turns 4 and 11");
  return Object.entries(NAMED).flatMap(([format, model]) =>
    Object.keys(WAYS).map((delivery) => {
      const shape = shapes.get([example.load, format, delivery, false].join());
      const { price } = prices.find((one) => one.model === model);
      const billed = (which) => bill(which, { ...EXAMPLE, price }, count).billed;
      return {
        catalog: name,
        model,
        delivery,
        told: shape.billed,
        actual: billed(shape),
        paste: billed(pasting(shape)),
      };
    }),
  );
}

/** Drives the example in every format and every way of loading. */
export async function driveFormats(gateway, { user, skills, only = {} }) {
  const [{ at }] = LOADS.filter(({ load }) => load === "turns 4 and 11");
  const wanted = (turn) => (at(turn) === null ? [] : [skills[at(turn)]]);
  const shapes = new Map();
  for (const format of ALL_FORMATS)
    for (const [way, settings] of Object.entries(ALL_WAYS)) {
      const id = `formats-${format}-${way.replaceAll(/[^a-z]+/g, "-")}`;
      const plan = { user, id, format, settings: { ...settings, ...only }, turns: EXAMPLE.turns, wanted };
      shapes.set([format, way].join(), await drive(gateway, plan));
    }
  return shapes;
}

/**
 * Returns the cost of the example in every format and way, by model.
 * @returns {{ catalog: string, format: string, model: string, billed: Record<string, number> }[]} `billed` by way, with `pasting`
 */
export function formatCells({ name }, shapes, prices, count) {
  return ALL_FORMATS.flatMap((format) =>
    prices.map(({ model, price }) => {
      const cost = (shape) => bill(shape, { ...EXAMPLE, price }, count).billed;
      const ways = Object.keys(ALL_WAYS).map((way) => [way, cost(shapes.get([format, way].join()))]);
      const paste = cost(pasting(shapes.get([format, "default"].join())));
      return { catalog: name, format, model, billed: { ...Object.fromEntries(ways), pasting: paste } };
    }),
  );
}

/**
 * Returns the cost of each cell in each way.
 * @returns {{ catalog: string, load: string, turns: number, talk: number, pause: number, model: string, paste: Bill, append: Bill, system:
 * Bill, auto: Bill }[]}
 */
export function cellsOf({ name }, shapes, prices, count) {
  const cells = [];
  for (const { load, turns: lengths } of LOADS)
    for (const turns of lengths)
      for (const talk of TALK)
        for (const pause of PAUSES)
          for (const { model, format, price } of prices) {
            const cold = pause > price.ttl_s;
            const shape = (delivery, isCold = false) => shapes.get([load, format, delivery, isCold].join());
            const cost = (which) => bill(which, { turns, talk, pause, price }, count);
            const append = shape("auto");
            cells.push({
              ...{ catalog: name, load, turns, talk, pause, model },
              paste: cost(pasting(append)),
              append: cost(append),
              system: cost(shape("system")),
              auto: cost(shape("auto", cold)),
            });
          }
  return cells;
}
