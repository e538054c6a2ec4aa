import { setTimeout as sleep, setInterval as every } from "node:timers/promises";
console.log(await sleep(5, "slept"));
let n = 0; for await (const _ of every(2)) if (++n === 3) break;
const t = setInterval(() => {}, 1000); t.unref(); console.log(n, t.hasRef());
const c = new AbortController(); setTimeout(() => c.abort(), 3); await sleep(5000, null, { signal: c.signal }).catch((e) => console.log(e.name));
