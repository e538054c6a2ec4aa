// Repairs frontmatter the way other readers of skills do: quotes `key: some text: more text` and `key: [one] [two]`.

/** The repaired text and the changed lines (1-based). */
export interface Repair {
  text: string;
  lines: number[];
}

/** `key: ` or `- key: `. The value is parsed by hand, because a pattern for it and its trailing blanks takes quadratic time. */
const KEY = /^\s*(?:- +)*[^\s:#"'[\]{},&*!|>%@`-][^:#"']*:[ \t]+/;
/** The start of a value that is not plain text. */
const NOT_PLAIN = /^["'[{|>&*!%@`#]/;
const BLOCK_SCALAR = /^[^#]*[:-][ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?\r?$/;

/** A bracket followed by more text is not a list: argument hints are written this way. */
const PAST_LIST = /^\[[^\][]{0,200}\][ \t]*[^ \t#,\]}]/;

/** Adds single quotes around unquoted values that contain `: `, end with `:` or continue after a list. Block scalars are unchanged. */
export function quoteValues(text: string): Repair {
  const lines: number[] = [];
  let block: number | null = null;
  const repaired = text.split("\n").map((line, index) => {
    const indent = line.length - line.trimStart().length;
    if (block !== null && (line.trim() === "" || indent > block)) return line;
    block = BLOCK_SCALAR.test(line) ? indent : null;
    const head = KEY.exec(line)?.[0] ?? "";
    const value = line.slice(head.length).trimEnd();
    if (head === "" || !(PAST_LIST.test(value) || (!NOT_PLAIN.test(value) && /:(?:\s|$)/.test(value)))) return line;
    lines.push(index + 1);
    return `${head}'${value.replaceAll("'", "''")}'`;
  });
  return { text: repaired.join("\n"), lines };
}
