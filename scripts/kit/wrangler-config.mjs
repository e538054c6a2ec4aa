// Reads wrangler.toml, so that no name, id, date or flag stands in two places. Only the part of TOML that the file uses;
// anything else is refused with its line.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./files.mjs";
import { Refusal } from "./refusal.mjs";

export async function readWranglerConfig(file = path.join(root, "wrangler.toml")) {
  return parseToml(await readFile(file, "utf8"), path.basename(file));
}

/** @returns {Record<string, any>} */
export function parseToml(text, name) {
  const config = {};
  let table = config;
  const lines = text.split(/\r?\n/).map(withoutComment);
  for (let i = 0; i < lines.length; i++) {
    const where = `${name}:${i + 1}`;
    const line = lines[i].trim();
    if (line === "") continue;
    const header = /^(\[\[?)\s*([\w.-]+)\s*\]\]?$/.exec(line);
    if (header !== null) {
      table = openTable(config, header[2].split("."), header[1] === "[[");
      continue;
    }
    const pair = /^([\w-]+)\s*=\s*(.+)$/.exec(line);
    if (pair === null) throw new Refusal(`${where}: cannot read '${line}'.`);
    let value = pair[2];
    while (value.startsWith("[") && !value.endsWith("]") && i + 1 < lines.length) value += lines[++i].trim();
    table[pair[1]] = parseValue(value, where);
  }
  return config;
}

function openTable(config, keys, isListItem) {
  let table = config;
  for (const [i, key] of keys.entries()) {
    const isLast = i === keys.length - 1;
    if (isLast && isListItem) {
      table[key] ??= [];
      table[key].push({});
    }
    table[key] ??= {};
    table = Array.isArray(table[key]) ? table[key].at(-1) : table[key];
  }
  return table;
}

/** Numbers, booleans, "strings", lists and one-line tables of these are JSON but for `=` and a comma before the end. */
function parseValue(source, where) {
  const json = source.replace(/("(?:[^"\\]|\\.)*")|([\w-]+)\s*=|,\s*([\]}])/g, (_, string, key, end) =>
    string !== undefined ? string : key !== undefined ? `"${key}":` : end,
  );
  try {
    return JSON.parse(json);
  } catch {
    throw new Refusal(`${where}: cannot read the value ${source}`);
  }
}

function withoutComment(line) {
  return /^(?:[^"#]|"(?:[^"\\]|\\.)*")*/.exec(line)?.[0] ?? "";
}
