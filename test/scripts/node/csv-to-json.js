#!/usr/bin/env node
const fs = require("fs");
const path = require("path");
const [input, output = "out.json"] = process.argv.slice(2);
if (!input) { console.error("Usage: csv-to-json <file> [out]"); process.exit(2); }
const rows = fs.readFileSync(input, "utf8").trim().split("\n").map((line) => line.match(/("([^"]*)"|[^,]+)/g).map((cell) => cell.replace(/^"|"$/g, "")));
const [head, ...body] = rows;
const data = body.map((row) => Object.fromEntries(row.map((cell, i) => [head[i], isNaN(cell) ? cell : Number(cell)])));
fs.mkdirSync(path.dirname(path.resolve(output)), { recursive: true });
fs.writeFileSync(output, JSON.stringify(data, null, 2));
console.log(`Wrote ${data.length} rows to ${output}`);
console.table(data);
