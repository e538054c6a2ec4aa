// Runs many clients at once. Each sends its next request after the response to its last one.

import { percentiles } from "./measure.mjs";

/**
 * @param {(request: object) => Promise<{ ms: number, text: string }>} send
 * @param {{ clients: number, seconds: number, prepare(client: number, n: number): Promise<object> }} options `prepare`: the next
 *   request of a client, which has sent `n`
 * @returns {Promise<{ perSecond: number, p50: number, p99: number, samples: number }>}
 */
export async function crowd(send, { clients, seconds, prepare }) {
  const times = [];
  const began = performance.now();
  const until = began + seconds * 1_000;
  await Promise.all(Array.from({ length: clients }, (_, client) => client).map(goOn));
  return { perSecond: (times.length * 1_000) / (performance.now() - began), ...percentiles(times) };

  async function goOn(client) {
    for (let n = 0; performance.now() < until; n++) {
      const { ms } = await send(await prepare(client, n));
      times.push(ms);
    }
  }
}
