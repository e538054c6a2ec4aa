// Repairs of frontmatter that other readers of skills do too: quoting `key: some text: more text` and `key: [one] [two]`.

/** Repaired text, and the lines (1-based) that were changed. */
export interface Repair {
  text: string;
  lines: number[];
}

/** `key: ` or `- key: `. The value is taken apart by hand: a pattern for it and its trailing blanks is quadratic. */
const KEY = /^\s*(?:- +)*[^\s:#"'[\]{},&*!|>%@`-][^:#"']*:[ \t]+/;
/** What begins a value that is not plain text. */
const NOT_PLAIN = /^["'[{|>&*!%@`#]/;
const BLOCK_SCALAR = /^[^#]*[:-][ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?\r?$/;

/** A list that goes on behind its end is none: hints of arguments are written so. */
const PAST_LIST = /^\[[^\][]{0,200}\][ \t]*[^ \t#,\]}]/;

/** Puts single quotes around unquoted values that contain `: `, end in `:` or go on behind a list. Block scalars stay as they are. */
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
