// A run that its caller cancels ends at once, and its code stops, in each kind of isolate. No run here ends by itself.

import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { Host } from "../../src/sandbox/host";
import { runOne } from "../support/run-code";

/** Milliseconds that no test waits for. */
const FOREVER = 290_000;
vi.setConfig({ testTimeout: 120_000 });

/** Scripts that print and wait in turns, without an end, and scripts that do so 40 times. */
const SCRIPTS: Record<string, [file: string, endless: string, next: string]> = {
  JavaScript: [
    "main.mjs",
    "for (;;) { console.log('working'); await new Promise((go) => setTimeout(go, 5)); }",
    "for (let n = 0; n < 40; n++) { console.log(n); await new Promise((go) => setTimeout(go, 30)); }",
  ],
  "JavaScript that catches every error": [
    "main.mjs",
    `process.on("uncaughtException", () => {}); process.on("exit", () => { for (;;) console.log("working"); });
setInterval(() => console.log("working"), 5); setInterval(() => { throw new Error("x"); }, 50);`,
    "for (let n = 0; n < 40; n++) { console.log(n); await new Promise((go) => setTimeout(go, 30)); }",
  ],
  Python: [
    "main.py",
    "import time\nwhile True:\n    print('working', flush=True)\n    time.sleep(0.005)\n",
    "import time\nfor n in range(40):\n    print(n, flush=True)\n    time.sleep(0.03)\n",
  ],
  "Python that catches every exception": [
    "main.py",
    "import time\nwhile True:\n    try:\n        while True:\n            print('working', flush=True)\n            time.sleep(0.005)\n    except BaseException: pass\n",
    "import time\nfor n in range(40):\n    print(n, flush=True)\n    time.sleep(0.03)\n",
  ],
  shell: [
    "main.sh",
    "while true; do echo working; sleep 0.005; done\n",
    "for n in $(seq 40); do echo $n; sleep 0.03; done\n",
  ],
};

/** The hosts that were called, in order, with the name of the call. */
let calls: { host: unknown; name: string }[] = [];
let spies: MockInstance[] = [];
let begun = Promise.withResolvers<void>();
beforeEach(() => {
  calls = [];
  begun = Promise.withResolvers();
  spies = (["begin", "write", "put", "execute", "log"] as const).map((name) => {
    const real = Host.prototype[name] as (...given: unknown[]) => unknown;
    return vi.spyOn(Host.prototype, name).mockImplementation(function (this: Host, ...given: unknown[]) {
      calls.push({ host: this, name });
      if (name === "begin") begun.resolve();
      return real.apply(this, given) as never;
    });
  });
});
afterEach(() => {
  for (const spy of spies) spy.mockRestore();
});

describe.each(Object.entries(SCRIPTS))("a script in %s", (_, [file, endless, next]) => {
  it("ends when its caller cancels, and does nothing while the next one runs", async () => {
    const name = "cancelled";
    const files = { [`scripts/${file}`]: endless, [`scripts/next-${file}`]: next };
    const cancel = new AbortController();
    const running = runOne({ name, files }, `scripts/${file}`, { ms: FOREVER, signal: cancel.signal });
    await begun.promise;
    const [{ host } = { host: null }] = calls;
    cancel.abort();
    expect(await running).toMatchObject({ killed: true, reason: "cancelled", exit_code: 137 });
    const before = calls.filter((call) => call.host === host).length;
    const after = await runOne({ name, files }, `scripts/next-${file}`, { ms: FOREVER });
    expect(after).toMatchObject({ exit_code: 0, reason: null });
    expect(after.stdout.trim().split("\n")).toHaveLength(40);
    // Python sends its last output once more.
    expect(calls.filter((call) => call.host === host).length).toBeLessThanOrEqual(before + 1);
  });
});
