// Writes tables as CSV (RFC 4180), for use in other programs.

/** A value of a table. */
export type CsvValue = string | number | boolean | null;

/** Returns rows as CSV with a header. The columns are those of the first row, or `columns` without one. */
export function csvOf(rows: readonly Readonly<Record<string, CsvValue>>[], columns: readonly string[]): string {
  const lines = rows.map((row) => columns.map((column) => csvCell(row[column] ?? null)));
  return [columns.map(csvCell), ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}

/** Adds an apostrophe to a text that a spreadsheet would interpret as a formula, because other users choose the names. */
function csvCell(value: CsvValue): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = value.replace(/^[\s\p{Cf}]*[=+\-@＝＋－＠\t\r]/u, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
