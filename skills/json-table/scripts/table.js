#!/usr/bin/env node
// JSON on standard input becomes a Markdown table, by the rules of this skill's SKILL.md: nothing lost, nothing invented.
// usage: table.js [--rows <path>] [--columns a,b.c] [--limit 20]

const LONG = 60;
const options = readOptions(process.argv.slice(2));
let text = "";
for await (const chunk of process.stdin) text += chunk;

let data;
try {
  data = JSON.parse(text);
} catch (error) {
  console.error(`The input is not valid JSON: ${error.message}`);
  process.exit(2);
}
const rows = rowsOf(at(data, options.rows));
if (rows === null) {
  console.error(
    "There are no rows here: give an array of objects or arrays, an object, or --rows with the path to one.",
  );
  process.exit(3);
}
const notes = [];
const table = tableOf(rows, options);
console.log(table);
for (const note of notes) console.log(`\n${note}`);

function readOptions(args) {
  const found = { rows: "", columns: null, limit: 20 };
  for (let n = 0; n < args.length; n += 2) {
    const [name, value] = [args[n], args[n + 1]];
    if (value === undefined) fail(`${name} needs a value.`);
    if (name === "--rows") found.rows = value;
    else if (name === "--columns") found.columns = value.split(",").map((column) => column.trim());
    else if (name === "--limit" && /^[1-9]\d*$/.test(value)) found.limit = Number(value);
    else fail(`'${name} ${value}' is not understood. usage: table.js [--rows path] [--columns a,b.c] [--limit 20]`);
  }
  return found;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** The value at a path such as `data.items`; the empty path is the value itself. */
function at(value, path) {
  return path === "" ? value : path.split(".").reduce((inner, key) => inner?.[key], value);
}

/** Objects, one a row; `null` when there are none to be found. */
function rowsOf(value) {
  if (Array.isArray(value)) {
    if (value.length === 0) return null;
    if (value.every(isObject)) return value;
    if (value.every(Array.isArray)) return rowsOfArrays(value);
    return null;
  }
  if (!isObject(value)) return null;
  const inner = Object.values(value).filter((list) => Array.isArray(list) && list.length > 0 && list.every(isObject));
  if (inner.length > 0) return inner.reduce((longest, list) => (list.length > longest.length ? list : longest));
  const entries = Object.entries(value);
  if (entries.length > 0 && entries.every(([, each]) => isObject(each)))
    return entries.map(([key, each]) => ({ key, ...each }));
  return entries.map(([Field, Value]) => ({ Field, Value }));
}

function rowsOfArrays([first, ...rest]) {
  const isHeader =
    first.every((name) => typeof name === "string" && name !== "") && new Set(first).size === first.length;
  const names = isHeader ? first : first.map((_, n) => `Column ${n + 1}`);
  return (isHeader ? rest : [first, ...rest]).map((row) => Object.fromEntries(names.map((name, n) => [name, row[n]])));
}

function tableOf(objects, { columns: wanted, limit }) {
  const flat = objects.map(flatten);
  const identifying = ["id", "name", "key"];
  const all = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  const first = all
    .filter((key) => identifying.includes(key))
    .sort((a, b) => identifying.indexOf(a) - identifying.indexOf(b));
  const columns = wanted ?? [...first, ...all.filter((key) => !first.includes(key))];
  const missing = columns.filter((column) => !all.includes(column));
  if (missing.length > 0) fail(`No row has: ${missing.join(", ")}. There are: ${all.join(", ")}.`);
  const shown = flat.slice(0, limit);
  if (shown.length < flat.length) notes.push(`${shown.length} of ${flat.length} rows are shown.`);
  const numbers = columns.map((column) => flat.every((row) => !row.has(column) || typeof row.get(column) === "number"));
  let cut = false;
  const cell = (row, column) => {
    const written = cellOf(row, column);
    if ([...written].length <= LONG) return written;
    cut = true;
    return `${[...written].slice(0, LONG).join("")}...`;
  };
  const lines = [
    `| ${columns.map(inCell).join(" | ")} |`,
    `|${numbers.map((isNumber) => (isNumber ? "---:" : "---")).join("|")}|`,
    ...shown.map((row) => `| ${columns.map((column) => cell(row, column)).join(" | ")} |`),
  ];
  if (cut) notes.push(`Texts longer than ${LONG} characters are cut.`);
  return lines.join("\n");
}

/** One level of small nested objects becomes columns of their own. */
function flatten(row) {
  const flat = new Map();
  for (const [key, value] of Object.entries(row)) {
    const inner = isObject(value) ? Object.entries(value) : [];
    if (inner.length > 0 && inner.length <= 3) for (const [name, each] of inner) flat.set(`${key}.${name}`, each);
    else flat.set(key, value);
  }
  return flat;
}

function cellOf(row, column) {
  if (!row.has(column)) return "-";
  const value = row.get(column);
  if (value === null || value === "") return `\`${JSON.stringify(value)}\``;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    if (value.length === 0) return "`[]`";
    return value.some((item) => typeof item === "object" && item !== null)
      ? `${value.length} items`
      : inCell(value.join(", "));
  }
  if (isObject(value)) return Object.keys(value).length === 0 ? "`{}`" : `${Object.keys(value).length} fields`;
  return inCell(String(value));
}

function inCell(value) {
  return value.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
