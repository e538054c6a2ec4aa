// What a model needs to mend a diagram that was not drawn: the message, the line with its neighbours, and what it often is.

const NEIGHBOURS = 2;

/** @returns facts for the model; only those that are known */
export function repairOf(code, message, type) {
  if (/No page is connected|No answer within|No time is left/.test(message)) {
    return {
      error: message,
      advice: "The diagram could not be shown. Give the code as a fenced mermaid block instead.",
    };
  }
  const lines = code.split("\n");
  const number = lineOf(message);
  const hints = hintsFor(number === null ? "" : (lines[number - 1] ?? ""), code);
  return {
    error: message,
    ...(number === null ? {} : { line: number, near: near(lines, number) }),
    ...(hints.length === 0 ? {} : { hints }),
    ...(type.reference === null ? {} : { reference: type.reference }),
    advice: "Change the smallest thing that explains the error and call render_mermaid again with the whole code.",
  };
}

function lineOf(message) {
  const found = /\bline:? (\d+)/i.exec(message);
  return found === null ? null : Number(found[1]);
}

function near(lines, number) {
  const from = Math.max(0, number - 1 - NEIGHBOURS);
  return lines.slice(from, number + NEIGHBOURS).map((line, index) => {
    const at = from + index + 1;
    return `${at === number ? ">" : " "} ${at} ${line}`;
  });
}

/** The usual reasons, where the code shows them. */
function hintsFor(line, code) {
  const hints = [];
  if (/^\s*(end|class|style|graph|subgraph)\s*(-|=|\[|\(|\{)/m.test(code))
    hints.push("A reserved word is used as an id: rename it.");
  if (/[[({][^"\])}]*[()[\]{}<>"][^\])}]*[\])}]/.test(line) && !/[[({]"/.test(line)) {
    hints.push('A label has brackets or quotes: write it in double quotes, like id["label (x)"].');
  }
  if (/^\s*(flowchart|graph)/.test(code) && /(^|[^-.=<ox])->(?!>)/m.test(code))
    hints.push("A flowchart's arrow is -->, not ->.");
  if (/^\s*sequenceDiagram/.test(code) && /-->(?!>)/.test(line)) hints.push("A sequence message is ->> or -->>.");
  const opened = (code.match(/^\s*(subgraph|loop|alt|opt|par|critical|rect|box)\b/gm) ?? []).length;
  const closed = (code.match(/^\s*end\s*$/gm) ?? []).length;
  if (opened > closed) hints.push(`${opened} blocks are opened and ${closed} are closed: write the missing 'end'.`);
  if ((line.match(/"/g) ?? []).length % 2 === 1)
    hints.push("A double quote is not closed; inside a label write #quot;.");
  return hints;
}
