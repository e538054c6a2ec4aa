// Writes a recorded request and its response as Markdown.

/** Objects and lists that fit are written in one line of this length. */
const WIDTH = 120;

/**
 * @typedef {{ operation: string, request: { method: string, path: string, headers?: Record<string, string>, body?: unknown, form?: Record<string, string> }, status: number, body?: unknown, shortened?: string[] }} Example
 */

/** @param {Example} example */
export function exampleText({ request, status, body, shortened = [] }) {
  const head = `Example request${body === undefined ? `. The response is \`${status}\`.` : ":"}`;
  const parts = [head, requestText(request)];
  if (body !== undefined)
    parts.push(
      `Response \`${status}\`${shortened.length === 0 ? "" : ` (shortened: ${shortened.join(", ")})`}:`,
      fenced("json", compact(body)),
    );
  return parts.join("\n\n");
}

function requestText({ method, path, headers = {}, body, form }) {
  const lines = [`${method} ${path}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  if (form !== undefined)
    lines.push(
      "Content-Type: multipart/form-data",
      "",
      ...Object.entries(form).map(([name, value]) => `${name}: ${value}`),
    );
  if (body !== undefined) lines.push("", compact(body));
  return fenced("http", lines.join("\n"));
}

const fenced = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;

/** Returns JSON text with short objects and lists in one line. */
export function compact(value, indent = "", lead = 0) {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || indent.length + lead + line.length <= WIDTH) return line;
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => deeper + compact(one, deeper))
    : Object.entries(value).map(([name, one]) => {
        const key = `${JSON.stringify(name)}: `;
        return deeper + key + compact(one, deeper, key.length);
      });
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

function oneLine(value) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  const parts = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${oneLine(one)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}
