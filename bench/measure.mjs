// Compares two paths: the path and its floor alternate in small blocks, so that other load on the machine affects both alike.

const BLOCK = 5;
/** The highest ratio between the floor's medians in the reported passes. Below it the machine counts as equally fast for all of them. */
const QUIET = 1.05;
/** Passes are repeated until enough of them are quiet. This is the highest number of passes per requested pass. */
const ATTEMPTS = 5;

/**
 * A side prepares its requests untimed (a fresh conversation, a ZIP), can act right before each one, and can check the responses.
 * @typedef {{ prepare(n: number): Promise<object>, before?(): Promise<unknown>, check?(text: string): void }} Side
 * @typedef {{ p50: number, p99: number, samples: number }} Times milliseconds
 */

/**
 * Measures `path` against `floor` until the requested number of passes have floors within 5 % of each other, and reports those. Every
 * figure is the median of the figures of the passes. On a machine that is never quiet, or after `until`, it reports the closest passes, and
 * `floorSpread` contains the distance between their floors.
 * @param {(request: object) => Promise<{ ms: number, text: string }>} send
 * @param {{ floor: Side, path: Side }} sides
 * @param {{ passes: number, seconds: number, until?: number, blocks?: number }} options `seconds`: duration of a side in a pass; `until`:
 * the time after which passes are no longer repeated, as of `performance.now()`; `blocks`: a pass consists of this number of blocks of five
 * samples instead of a duration and is not repeated, for paths that leave data behind
 * @returns {Promise<{ floor: Times, path: Times, ratio: number, spread: [number, number], floorSpread: number, passes: number }>} `spread`:
 * the lowest and highest ratio of a reported pass; `floorSpread`: the highest floor divided by the lowest; `passes`: the number of passes
 * that ran
 */
export async function compare(
  send,
  { floor, path },
  { passes, seconds, until = Number.POSITIVE_INFINITY, blocks = null },
) {
  const counters = { floor: 0, path: 0 };
  await pass(Math.min(1, seconds));
  const made = [];
  let measured = [];
  const isRepeated = () => blocks === null && performance.now() < until && made.length < ATTEMPTS * passes;
  while (made.length < passes || (floorSpreadOf(measured) > QUIET && isRepeated())) {
    made.push(await pass(seconds));
    measured = closest(made, passes);
  }
  const ratios = measured.map((times) => times.path.p50 / times.floor.p50);
  return {
    floor: summary(measured.map((times) => times.floor)),
    path: summary(measured.map((times) => times.path)),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    floorSpread: floorSpreadOf(measured),
    passes: made.length,
  };

  async function pass(duration) {
    const times = { floor: [], path: [] };
    const end = performance.now() + 2 * duration * 1000;
    const isOver = () => (blocks === null ? performance.now() >= end : times.path.length >= blocks * BLOCK);
    while (!isOver() || times.path.length < 2 * BLOCK) {
      await block("floor", floor, times.floor);
      await block("path", path, times.path);
    }
    return { floor: percentiles(times.floor), path: percentiles(times.path) };
  }

  async function block(name, side, times) {
    const requests = [];
    for (let n = 0; n < BLOCK; n++) requests.push(await side.prepare(counters[name]++));
    for (const request of requests) {
      await side.before?.();
      const { ms, text } = await send(request);
      side.check?.(text);
      times.push(ms);
    }
  }
}

const floorSpreadOf = (passes) => {
  const floors = passes.map((times) => times.floor.p50);
  return Math.max(...floors) / Math.min(...floors);
};

/** Returns the `count` passes whose floors are closest together. Only the floor decides; the times of the path do not. */
export function closest(passes, count) {
  const sorted = passes.toSorted((a, b) => a.floor.p50 - b.floor.p50);
  const windows = Array.from({ length: Math.max(1, sorted.length - count + 1) }, (_, n) => sorted.slice(n, n + count));
  return windows.reduce((best, window) => (floorSpreadOf(window) < floorSpreadOf(best) ? window : best));
}

/**
 * Measures several ways that alternate in blocks, each time in another order, in several passes. Figures are medians of the figures of the
 * passes.
 * @param {Record<string, (n: number) => Promise<number>>} ways each runs its operation once and returns its milliseconds
 * @param {{ passes: number, seconds: number }} options `seconds` per way and pass
 * @returns {Promise<Record<string, { times: Times, passes: number[] }>>} `passes`: the median of each pass
 */
export async function takeTurns(ways, { passes, seconds }) {
  const names = Object.keys(ways);
  const counters = Object.fromEntries(names.map((name) => [name, 0]));
  await pass(Math.min(1, seconds));
  const measured = [];
  for (let n = 0; n < passes; n++) measured.push(await pass(seconds));
  return Object.fromEntries(
    names.map((name) => {
      const own = measured.map((times) => times[name]);
      return [name, { times: summary(own), passes: own.map(({ p50 }) => p50) }];
    }),
  );

  async function pass(duration) {
    const times = Object.fromEntries(names.map((name) => [name, []]));
    const until = performance.now() + names.length * duration * 1000;
    for (let round = 0; performance.now() < until || round < 2; round++) {
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(round + turn) % names.length];
        for (let n = 0; n < BLOCK; n++) times[name].push(await ways[name](counters[name]++));
      }
    }
    return Object.fromEntries(names.map((name) => [name, percentiles(times[name])]));
  }
}

/** @param {number[]} times @returns {Times} */
export function percentiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { p50: at(0.5), p99: at(0.99), samples: sorted.length };
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

function summary(passes) {
  return {
    p50: median(passes.map((times) => times.p50)),
    p99: median(passes.map((times) => times.p99)),
    samples: passes.reduce((sum, times) => sum + times.samples, 0),
  };
}
