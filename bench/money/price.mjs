// Calculates a provider's bill for the requests of a conversation. The prefix that a request has in common with an earlier one is read from
// the cache.

/** Seconds between the requests of one turn. */
const STEP_S = 10;
/** The share of a turn's message tokens that the user writes. The model writes the rest. */
const USER = 0.4;

/**
 * Returns the bill of the first turns of a shape, in tokens at the price of an ordinary input token. Answers cost the same in every way and
 * are left out.
 * @param {import("./drive.mjs").Shape} shape
 * @param {{ turns: number, talk: number, pause: number, price: object }} cell `talk`: tokens a turn; `pause`: seconds before a turn
 * @param {(text: string) => number} count
 * @returns {{ requests: number, billed: number, sent: number, read: number }}
 */
export function bill(shape, { turns, talk, pause, price }, count) {
  const facts = factsOf(shape, count);
  const requests = shape.requests.filter(({ turn }) => turn <= turns);
  const [write] = Object.values(price.write);
  const earlier = [];
  const sum = { requests: requests.length, billed: 0, sent: 0, read: 0 };
  let step = 0;
  let now = 0;
  for (const [n, { turn, parts }] of requests.entries()) {
    now += turn === step ? STEP_S : Math.max(pause, STEP_S);
    step = turn;
    const until = sums(parts, facts, talk);
    let best = { known: 0, request: null };
    for (const request of earlier) {
      // `null`: the vendor documents no lifetime. All requests of the bench are within an hour.
      if (now - request.used > (price.ttl_s ?? Number.POSITIVE_INFINITY)) continue;
      const { whole, more } = common(facts, shape, request.n, n);
      const known = until[whole] + more;
      if (known > best.known) best = { known, request };
    }
    const total = until[parts.length];
    const kept = price.step === undefined ? best.known : Math.floor(best.known / price.step) * price.step;
    const read = kept >= price.min_tokens ? kept : 0;
    if (read > 0) best.request.used = now;
    // A prompt that is too short to be cached is not billed as a cache write either.
    sum.billed += read * price.read + (total - read) * (total >= price.min_tokens ? write : 1);
    sum.sent += total;
    sum.read += read;
    earlier.push({ n, used: now });
  }
  return sum;
}

const pasted = new WeakMap();

/** Returns the same conversation without the gateway, with all instructions in its system prompt from the beginning. */
export function pasting(shape) {
  const known = pasted.get(shape);
  if (known !== undefined) return known;
  const turns = Math.max(...shape.requests.map(({ turn }) => turn));
  const requests = Array.from({ length: turns }, (_, index) => ({
    turn: index + 1,
    parts: [{ fixed: shape.static }, ...talkUntil(index + 1)],
  }));
  const made = { ...shape, requests };
  pasted.set(shape, made);
  return made;
}

function talkUntil(turn) {
  const before = Array.from({ length: turn - 1 }, (_, index) => [
    { talk: `user ${index + 1}` },
    { talk: `model ${index + 1}` },
  ]);
  return [...before.flat(), { talk: `user ${turn}` }];
}

/** Tokens of the first 0, 1, 2 … parts. */
function sums(parts, { sizes }, talk) {
  const user = Math.round(talk * USER);
  const until = [0];
  for (const [n, part] of parts.entries()) {
    const size =
      part.fixed ?? (part.talk === undefined ? sizes[part.text] : part.talk.startsWith("u") ? user : talk - user);
    until.push(until[n] + size);
  }
  return until;
}

/**
 * Returns the number of whole parts that two requests begin with, and the tokens they share of the next part. The sizes of messages do not
 * affect it.
 */
function common({ known, sizes, pieces, count }, { requests, texts }, before, after) {
  const key = before * requests.length + after;
  if (known.has(key)) return known.get(key);
  const [one, other] = [requests[before].parts, requests[after].parts];
  let whole = 0;
  while (whole < one.length && whole < other.length && isSame(one[whole], other[whole])) whole++;
  const [a, b] = [one[whole]?.text, other[whole]?.text];
  let more = 0;
  if (a !== undefined && b !== undefined) {
    const pair = `${Math.min(a, b)} ${Math.max(a, b)}`;
    if (!pieces.has(pair)) pieces.set(pair, begunAlike(texts[a], texts[b], count));
    more = Math.min(pieces.get(pair), sizes[a], sizes[b]);
  }
  const found = { whole, more };
  known.set(key, found);
  return found;
}

function isSame(a, b) {
  return a.text === b.text && a.talk === b.talk && a.fixed === b.fixed;
}

/** Returns the number of common tokens at the start of two texts. */
function begunAlike(one, other, count) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return Math.max(0, count(one.slice(0, at)) - 1);
}

const remembered = new WeakMap();

function factsOf(shape, count) {
  const facts = remembered.get(shape) ?? {
    sizes: shape.texts.map(count),
    known: new Map(),
    pieces: new Map(),
    count,
  };
  remembered.set(shape, facts);
  return facts;
}
