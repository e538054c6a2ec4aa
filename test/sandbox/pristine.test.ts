// A script changes built-ins that all scripts of its isolate share: the next script finds them unchanged.

import { describe, expect, it } from "vitest";
import { runOne } from "../support/run-code";

const LOOK = `
const path = require("path"), Events = require("events");
const seen = [];
for (const key in {}) seen.push(key);
new Events().on("a", () => seen.push("heard")).emit("a");
console.log(JSON.stringify([seen, [1, 2].map((n) => n + 1), path.join("a", "b"), new Map([[1, 2]]).size, JSON.parse("[3]"), [..."ab"]]));
Promise.resolve(7).then(console.log);
`;
const SEEN = '[["heard"],[2,3],"a/b",1,[3],["a","b"]]\n7\n';

const BENDING: Record<string, string> = {
  "a property for every object": "Object.prototype.polluted = 1",
  "a method of arrays": "Array.prototype.map = () => 'bent'",
  "a method that is not there any more": "delete Array.prototype.map",
  JSON: "JSON.parse = () => 'bent'",
  "how its own answer is written": "JSON.stringify = () => 'bent'",
  "a global name": "globalThis.Map = class {}",
  "a module of Node": "require('path').join = () => 'bent'",
  "a class of a module of Node": "require('events').prototype.emit = () => 'bent'",
  "how texts are walked": "String.prototype[Symbol.iterator] = function* () { yield 'bent' }",
  "how anything is walked":
    "Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())).next = () => 'bent'; Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true })",
  "what arrays inherit": "Object.setPrototypeOf(Array.prototype, { bent: 1 })",
  "promises, so that nothing goes on": "Promise.prototype.then = undefined",
  "a timer's end": "setTimeout(() => { Object.prototype.late = 1 }, 5)",
  "what is caught at its deadline": "Object.prototype.polluted = 1; setInterval(() => {}, 50)",
};

describe("changes of shared objects by a script", () => {
  it.each(Object.entries(BENDING))("does not outlive it: %s", { tags: ["slow"] }, async (_, source) => {
    const skill = { name: "bending", files: { "scripts/bend.js": source, "scripts/look.js": LOOK } };
    await runOne(skill, "scripts/bend.js", { ms: 1_000 });
    expect(await runOne(skill, "scripts/look.js")).toMatchObject({ exit_code: 0, stderr: "", stdout: SEEN });
  });

  it("are absent if a script only uses existing objects: its isolate is kept", async () => {
    const source = `
      const mark = Array.prototype.map;
      for (const name of require("module").builtinModules) try { require(name) } catch {}
      globalThis.own = 1;
      process.exitCode = 0;
      process.on("exit", () => {});
      require("zlib").gzipSync("a"); require("crypto").createHash("sha256").update("a").digest("hex");
      new URL("https://example.com"); new TextDecoder().decode(new Uint8Array(2)); new Intl.NumberFormat("en").format(1);
      setTimeout(() => console.log(mark.visits = (mark.visits ?? 0) + 1), 5);
    `;
    const skill = { name: "plain", files: { "scripts/plain.js": source } };
    const visits = [];
    for (let n = 0; n < 3; n++) visits.push((await runOne(skill, "scripts/plain.js")).stdout);
    expect(visits).toEqual(["1\n", "2\n", "3\n"]);
  });
});
