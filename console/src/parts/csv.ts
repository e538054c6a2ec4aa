// Exports tables as CSV (RFC 4180).

/** Returns a data URL that downloads the rows as CSV. */
export const csvAddress = (lines: readonly (readonly (string | number)[])[]): string =>
  `data:text/csv;charset=utf-8,${encodeURIComponent(lines.map((line) => line.map(cell).join(",")).join("\r\n"))}`;

/** Prefixes text that a spreadsheet would execute as a formula with an apostrophe, because names come from other users. */
function cell(value: string | number): string {
  const text = typeof value === "number" ? String(value) : value.replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
