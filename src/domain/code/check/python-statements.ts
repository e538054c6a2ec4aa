// Splits Python source into statements, to distinguish imports from similar text in strings and comments.

/** A statement or a block header. Strings are replaced by `""`, comments are removed, and continued lines are joined. */
export interface Statement {
  text: string;
  /** First line, counted from 1. */
  line: number;
  /** Indentation. A statement after the colon of a block header counts as indented further than the header. */
  indent: number;
}

const TAB = 8;
/** A block header whose block can follow on the same line. */
const HEAD = /^(?:async\s+)?(?:try|else|finally|if|elif|except|with|for|while|def|class)\b/;

/** Reads every character once. */
export function statementsOf(source: string): Statement[] {
  const found: Statement[] = [];
  let line = 1;
  let depth = 0;
  let indent = 0;
  let begun = 1;
  let isFresh = true;
  let text: string[] = [];
  const end = () => {
    const whole = text.join("").trim();
    text = [];
    if (whole !== "") found.push(...split({ text: whole, line: begun, indent }));
  };
  for (let at = 0; at < source.length; ) {
    if (isFresh) {
      const [blank = ""] = matchAt(/[ \t\f]*/y, source, at) ?? [];
      indent = widthOf(blank);
      at += blank.length;
      begun = line;
      isFresh = false;
      continue;
    }
    const char = source.charAt(at);
    if (char === "\n") {
      line++;
      at++;
      if (depth > 0) text.push(" ");
      else {
        end();
        isFresh = true;
      }
    } else if (char === "#") {
      at += (matchAt(/[^\n]*/y, source, at)?.[0] ?? "").length;
    } else if (char === "\\" && /\r?\n/y.test(source.slice(at + 1, at + 3))) {
      at = source.indexOf("\n", at) + 1;
      line++;
      text.push(" ");
    } else if (char === '"' || char === "'") {
      const past = pastText(source, at);
      for (let each = source.indexOf("\n", at); each !== -1 && each < past; each = source.indexOf("\n", each + 1))
        line++;
      at = past;
      text.push('""');
    } else if (char === ";" && depth === 0) {
      end();
      begun = line;
      at++;
    } else {
      if ("([{".includes(char)) depth++;
      else if (")]}".includes(char)) depth = Math.max(0, depth - 1);
      const [run = char] = matchAt(/[^\n#\\"'()[\]{};]+/y, source, at) ?? [char];
      text.push(run);
      at += run.length;
    }
  }
  end();
  return found;
}

/** Splits a line such as `try: import a` into the header and the statement in its block. */
function split({ text, line, indent }: Statement): Statement[] {
  if (!HEAD.test(text)) return [{ text, line, indent }];
  let depth = 0;
  for (const [at, char] of [...text].entries()) {
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (char === ":" && depth === 0 && text[at + 1] !== "=") {
      const rest = text.slice(at + 1).trim();
      const head = { text: text.slice(0, at + 1), line, indent };
      return rest === "" ? [head] : [head, { text: rest, line, indent: indent + 1 }];
    }
  }
  return [{ text, line, indent }];
}

function widthOf(blank: string): number {
  let width = 0;
  for (const char of blank) width = char === "\t" ? width - (width % TAB) + TAB : char === "\f" ? 0 : width + 1;
  return width;
}

/** Returns the end of the string that starts at `begin`. An unclosed single-line string ends with its line. */
function pastText(source: string, begin: number): number {
  const quote = source.charAt(begin);
  const isLong = source.startsWith(quote.repeat(3), begin);
  const plain = isLong ? (quote === '"' ? /[^\\"]+/y : /[^\\']+/y) : quote === '"' ? /[^\\"\n]+/y : /[^\\'\n]+/y;
  for (let at = begin + (isLong ? 3 : 1); at < source.length; ) {
    const run = matchAt(plain, source, at)?.[0].length ?? 0;
    at += run;
    if (source[at] === "\\") at += source.startsWith("\r\n", at + 1) ? 3 : 2;
    else if (source[at] === "\n") return at;
    else if (!isLong || source.startsWith(quote.repeat(3), at)) return Math.min(source.length, at + (isLong ? 3 : 1));
    else at++;
  }
  return source.length;
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}
