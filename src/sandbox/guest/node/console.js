// Implements `console` for a run in Node's format. The runtime's own console writes to the operator's log.

import { format, formatWithOptions, inspect } from "node:util";

export function makeConsole(run) {
  let indent = "";
  const counts = new Map();
  const times = new Map();
  const put = (name, text) => run.write(name, `${indent === "" ? text : text.replace(/^/gm, indent)}\n`);
  const out = (...values) => put("stdout", format(...values));
  const error = (...values) => put("stderr", format(...values));
  const elapsed = (label) => `${label}: ${Math.round((performance.now() - (times.get(label) ?? 0)) * 1000) / 1000}ms`;
  const group = (...values) => {
    if (values.length > 0) out(...values);
    indent += "  ";
  };
  const made = {
    ...{ log: out, info: out, debug: out, error, warn: error },
    dir: (value, options) => put("stdout", inspect(value, { customInspect: false, ...options })),
    dirxml: out,
    trace: (...values) => error(`Trace${values.length > 0 ? ": " : ""}${format(...values)}`),
    assert: (good, ...values) => {
      if (good) return;
      if (typeof values[0] === "string") values[0] = `Assertion failed: ${values[0]}`;
      else values.unshift("Assertion failed");
      error(...values);
    },
    table: (rows, columns) => (typeof rows === "object" && rows !== null ? out(tableOf(rows, columns)) : out(rows)),
    ...{ group, groupCollapsed: group },
    groupEnd: () => {
      indent = indent.slice(2);
    },
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      out(`${label}: ${counts.get(label)}`);
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void times.set(label, performance.now()),
    timeLog: (label = "default", ...values) => out(elapsed(label), ...values),
    timeEnd: (label = "default") => {
      out(elapsed(label));
      times.delete(label);
    },
    ...{ clear() {}, profile() {}, profileEnd() {}, timeStamp() {} },
  };
  made.Console = class Console {
    constructor(first, second) {
      const [stdout, stderr = stdout] = first?.stdout === undefined ? [first, second] : [first.stdout, first.stderr];
      const write =
        (stream) =>
        (...values) =>
          stream.write(`${format(...values)}\n`);
      Object.assign(this, made, {
        log: write(stdout),
        info: write(stdout),
        debug: write(stdout),
        error: write(stderr),
        warn: write(stderr),
      });
    }
  };
  return made;
}

/** Formats a table like Node. */
function tableOf(rows, only) {
  const cell = (value) =>
    formatWithOptions({ depth: 0, maxArrayLength: 3, breakLength: Number.POSITIVE_INFINITY }, "%O", value);
  const shown = (value) => (typeof value === "string" ? inspect(value) : cell(value));
  if (rows instanceof Map || rows instanceof Set) {
    const isMap = rows instanceof Map;
    const body = [...rows].map((row, n) => [String(n), ...(isMap ? row : [row]).map(shown)]);
    return drawn(["(iteration index)", ...(isMap ? ["Key"] : []), "Values"], body);
  }
  const entries = Object.entries(rows);
  const keys = [];
  let hasValues = false;
  for (const [, row] of entries) {
    if (typeof row !== "object" || row === null) hasValues = true;
    else for (const key of only ?? Object.keys(row)) if (!keys.includes(key)) keys.push(key);
  }
  const head = ["(index)", ...keys, ...(hasValues ? ["Values"] : [])];
  const body = entries.map(([index, row]) => {
    const isObject = typeof row === "object" && row !== null;
    const cells = keys.map((key) => (isObject && Object.hasOwn(row, key) ? shown(row[key]) : ""));
    return [String(index), ...cells, ...(hasValues ? [isObject ? "" : shown(row)] : [])];
  });
  return drawn(head, body);
}

function drawn(head, body) {
  const widths = head.map((title, n) => Math.max(title.length, ...body.map((row) => row[n].length)) + 2);
  const line = (cells) => `│${cells.map((text, n) => ` ${text.padEnd(widths[n] - 1)}`).join("│")}│`;
  const rule = (left, middle, right) => left + widths.map((width) => "─".repeat(width)).join(middle) + right;
  return [rule("┌", "┬", "┐"), line(head), rule("├", "┼", "┤"), ...body.map(line), rule("└", "┴", "┘")].join("\n");
}
