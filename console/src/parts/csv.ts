// Tables as CSV (RFC 4180), for whoever goes on with the numbers elsewhere.

/** The lines of a table as an address that a link can download. */
export const csvAddress = (lines: readonly (readonly (string | number)[])[]): string =>
  `data:text/csv;charset=utf-8,${encodeURIComponent(lines.map((line) => line.map(cell).join(",")).join("\r\n"))}`;

/** A text that a spreadsheet would take for a formula begins with an apostrophe: names are written by others. */
function cell(value: string | number): string {
  const text = typeof value === "number" ? String(value) : value.replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
