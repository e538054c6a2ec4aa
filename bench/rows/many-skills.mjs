// Measures five hundred skills with code, each called once. Every call creates an isolate that is never used again.

import { begin, isAnswered, isolateFloor, load, publishCode } from "../code.mjs";
import { median, percentiles } from "../measure.mjs";

const USER = "many";
const MANY = 500;
/** The number of them that a conversation loads. */
const EACH = 10;

/** One pass only: nothing in it can be warm, and its isolates are not freed soon. */
export async function run({ gateway }) {
  const floor = isolateFloor(gateway, USER, (n) => `many-${n}`);
  for (let n = 0; n < MANY; n++) await publishCode(gateway, `many-${String(n).padStart(4, "0")}`);
  const times = { floor: [], path: [] };
  for (let n = 0; n < MANY; n++) {
    times.floor.push((await gateway.send(await floor.prepare(n))).ms);
    const skill = `many-${String(n).padStart(4, "0")}`;
    const route = `/api/v1/conversations/many-${Math.floor(n / EACH)}`;
    if (n % EACH === 0) await begin(gateway, USER, route, skill);
    else await load(gateway, USER, route, skill);
    const name = n % EACH === 0 ? "answer" : `${skill}__answer`;
    const call = { id: `answer_${n}`, name, arguments: { question: "how much" } };
    const { ms, text } = await gateway.send(
      await gateway.request(USER, "POST", `${route}/tool-calls`, { calls: [call], etag: "none" }),
    );
    isAnswered(text);
    times.path.push(ms);
  }
  const [path, bare] = [percentiles(times.path), percentiles(times.floor)];
  const tenths = Array.from({ length: 10 }, (_, tenth) => {
    const part = (side) => median(times[side].slice((tenth * MANY) / 10, ((tenth + 1) * MANY) / 10));
    return part("path") / part("floor");
  });
  const row = {
    name: `${MANY} distinct skills, each called once`,
    budget: null,
    path,
    floor: bare,
    ratio: path.p50 / bare.p50,
    spread: [Math.min(...tenths), Math.max(...tenths)],
  };
  return [row];
}
