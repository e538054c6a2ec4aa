"use strict";
const EventEmitter = require("events");
class Runner extends EventEmitter {
  #steps = [];
  step(name, run) { this.#steps.push({ name, run }); return this; }
  async run() { for (const { name, run } of this.#steps) { this.emit("start", name); try { await run(); this.emit("ok", name); } catch (error) { this.emit("fail", name, error.message); throw error; } } }
}
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const runner = new Runner().step("one", () => sleep(5)).step("two", async () => { throw new Error("no two"); });
for (const e of ["start", "ok", "fail"]) runner.on(e, (...a) => console.log(e, ...a));
runner.run().then(() => console.log("all"), () => { process.exitCode = 4; }).finally(() => console.log("finally"));
