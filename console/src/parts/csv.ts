// Writes tables as CSV (RFC 4180), for use in other programs.

/** Returns a data URL that downloads the rows as CSV. */
export const csvAddress = (lines: readonly (readonly (string | number)[])[]): string =>
  `data:text/csv;charset=utf-8,${encodeURIComponent(lines.map((line) => line.map(cell).join(",")).join("\r\n"))}`;

/** Adds an apostrophe to a text that a spreadsheet would interpret as a formula, because other users choose the names. */
function cell(value: string | number): string {
  const text = typeof value === "number" ? String(value) : value.replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
