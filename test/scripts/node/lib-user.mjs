import text, { slug } from "../lib/text.js";
import * as esm from "../lib/esm.mjs";
import config from "../lib/config.json" with { type: "json" };
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const { pad } = require("../lib/text");
console.log(slug("A B"), text.pad(3), pad(4), config.name, esm.default, esm.count, esm.up(), esm.count, Object.keys(esm));
const lazy = await import("../lib/esm.mjs");
console.log(lazy === esm, lazy.count);
