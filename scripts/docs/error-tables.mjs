// Writes the tables of docs/api/errors.md from the messages of the sources.

import { cell } from "./operations.mjs";

/** The tables by kind: title and columns. */
const TABLES = {
  http: [
    "API errors",
    "These messages are the `detail` of a problem document. The `code` is stable.",
    ["Status", "Code"],
  ],
  issue: [
    "Issues and warnings",
    "These messages are in `issues` of an error, or in `warnings` of a response.",
    ["Code"],
  ],
  tool: ["Tool results", "A failed tool call is a result with `isError`. The model reads these texts.", []],
  chat: ["Chat endpoint", "Errors have the shape of the vendor whose API is used.", ["Status", "Code"]],
  oauth: ["Sign-in", "Errors of the authorization server (RFC 6749).", ["Code"]],
  socket: [
    "WebSocket close reasons",
    "A connection that is rejected when it opens is closed with the message of the API error. The code is 4400 for 400, 409, 412 and 422, 4401 for 401, 4403 for 403, 4404 for 404, 4413 for 413, 4429 for 429, and 1013 for 503.",
    ["Code"],
  ],
  mcp: ["MCP errors", "JSON-RPC errors of `/mcp` and of the proxy. `data.code` has the code of the API.", ["Code"]],
};

/** @param {{ kind: string, code: string, status: string, message: string }[]} errors */
export function errorTables(errors) {
  return Object.entries(TABLES)
    .map(([kind, [title, about, columns]]) => {
      const rows = errors
        .filter((one) => one.kind === kind)
        .sort((a, b) => order(a).localeCompare(order(b), "en"))
        .map((one) => {
          const fields = columns.map((column) => (column === "Status" ? one.status : `\`${one.code}\``));
          const [message, action] = split(one.message);
          return `| ${[...fields, cell(message), cell(action)].join(" | ")} |`;
        });
      if (rows.length === 0) return "";
      const heads = [...columns, "Message", "What to do"];
      return [
        `## ${title}`,
        "",
        ...(about === "" ? [] : [about, ""]),
        `| ${heads.join(" | ")} |`,
        `|${"---|".repeat(heads.length)}`,
        ...rows,
      ].join("\n");
    })
    .filter((table) => table !== "")
    .join("\n\n");
}

const order = ({ code, status, message }) => [code, status, message].join(" ");

/** Splits a message into the sentence that names the error, and the rest. */
function split(message) {
  const text = message
    .trim()
    .replace(/`[^`]*`|</g, (part) => (part === "<" ? "&lt;" : part))
    .replace(/\n+/g, " ");
  const end = /[.!?](?= [\p{Lu}`{'])/u.exec(text.replace(/^Error: /, "       "));
  if (end === null) return [text, ""];
  return [text.slice(0, end.index + 1), text.slice(end.index + 2)];
}
