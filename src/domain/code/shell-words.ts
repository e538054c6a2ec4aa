// Splits a shell text into words: handles quotes, expansions, redirections and heredocs.

/** A word. `text` is its value if it is fixed, otherwise `null`. `tail` is the fixed text after its last expansion. */
export interface ShellWord {
  text: string | null;
  tail: string;
  isQuoted: boolean;
}

export const SHELL_BLANK = /[ \t\r]/;
export const SHELL_META = /[\s;&|()<>]/;
/** Limit on nesting, deeper than any real script, because the parser is recursive. */
const DEPTH = 200;

export abstract class ShellWords {
  protected readonly text: string;
  protected at = 0;
  #line = 1;
  #counted = 0;
  #depth = 0;
  /** Whether the parser is between backticks. The next one ends the substitution. */
  #inTicks = false;
  /** Heredocs whose bodies start after this line. */
  readonly #due: { end: string; tabs: boolean }[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** Reads the commands of a substitution. */
  protected abstract list(end: ")" | "`"): unknown;

  /** Parses one level deeper. Beyond the limit the text counts as ended. */
  protected deeper<T>(read: () => T): T {
    if (++this.#depth > DEPTH) this.at = this.text.length;
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }

  protected redirect(): void {
    const [operator] = /^(?:<<<|<<-?|&>>?|<&|>&|>>|>\||<>|[<>](?!\()|[<>]\()/.exec(
      this.text.slice(this.at, this.at + 3),
    ) ?? ["&"];
    this.at += operator.length;
    if (operator.endsWith("(")) {
      this.list(")");
      return;
    }
    this.blanks();
    const word = this.word();
    if (operator === "<<" || operator === "<<-") this.#due.push({ end: word.text ?? "", tabs: operator === "<<-" });
  }

  protected newline(): void {
    this.at++;
    for (const { end, tabs } of this.#due.splice(0)) {
      while (this.at < this.text.length) {
        const from = this.at;
        this.toEndOfLine();
        const line = this.text.slice(from, this.at).replace(/\r$/, "");
        this.at++;
        if ((tabs ? line.replace(/^\t+/, "") : line) === end) break;
      }
    }
  }

  protected skipWord(): void {
    this.blanks();
    const before = this.at;
    this.word();
    if (this.at !== before) return;
    if (this.peek() === "<" || this.peek() === ">") this.redirect();
    else if (this.peek() !== "\n") this.at++;
  }

  protected word(): ShellWord {
    const word: ShellWord = { text: "", tail: "", isQuoted: false };
    while (this.at < this.text.length) {
      const char = this.peek();
      // Extended patterns such as `!(a|b)`.
      if (char === "(" && /[?*+@!]$/.test(word.text ?? "")) this.balanced("(", ")");
      else if (SHELL_META.test(char) || (char === "`" && this.#inTicks)) break;
      else this.piece(word);
    }
    return word;
  }

  /** Reads one piece of a word: a character, a quoted part or an expansion. */
  protected piece(word: ShellWord): void {
    const char = this.peek();
    const add = (text: string | null) => {
      word.text = word.text === null || text === null ? null : word.text + text;
      word.tail = text === null ? "" : word.tail + text;
    };
    if (char === "\\") {
      if (!this.starts("\\\n")) add(this.text[this.at + 1] ?? "");
      this.at += 2;
    } else if (char === "'") {
      const close = this.text.indexOf("'", this.at + 1);
      const end = close < 0 ? this.text.length : close;
      add(this.text.slice(this.at + 1, end));
      word.isQuoted = true;
      this.at = end + 1;
    } else if (char === '"') {
      word.isQuoted = true;
      this.at++;
      while (this.at < this.text.length && this.peek() !== '"') {
        if (this.peek() === "$" || this.peek() === "`" || this.peek() === "\\") this.piece(word);
        else {
          add(this.peek());
          this.at++;
        }
      }
      this.at++;
    } else if (char === "`") {
      add(null);
      this.at++;
      this.#substitute("`");
    } else if (char === "$") {
      this.#expansion(add);
    } else {
      add(char);
      this.at++;
    }
  }

  #substitute(end: ")" | "`"): void {
    const outer = this.#inTicks;
    this.#inTicks = end === "`";
    this.list(end);
    this.#inTicks = outer;
  }

  #expansion(add: (text: string | null) => void): void {
    const next = this.text[this.at + 1] ?? "";
    if (next === "'") {
      const [quoted] = /^\$'(?:\\[\s\S]|[^'\\])*'?/.exec(this.text.slice(this.at)) ?? ["$"];
      this.at += quoted.length;
      add(null);
      return;
    }
    if (!/[({\w@*#?$!-]/.test(next)) {
      add("$");
      this.at++;
      return;
    }
    add(null);
    this.at++;
    if (this.starts("((")) this.balanced("(", ")");
    else if (next === "(") {
      this.at++;
      this.#substitute(")");
    } else if (next === "{") this.balanced("{", "}");
    else this.at += /^\w+/.exec(this.text.slice(this.at, this.at + 200))?.[0].length ?? 1;
  }

  /** Reads from an opening character to its closing one, including the commands inside. */
  protected balanced(open: string, close: string): void {
    this.deeper(() => this.#inside(open, close));
  }

  #inside(open: string, close: string): void {
    let level = 0;
    const inside: ShellWord = { text: "", tail: "", isQuoted: false };
    while (this.at < this.text.length) {
      const char = this.peek();
      if (char === open) level++;
      if (char === close) level--;
      if (/["'$`\\]/.test(char) && !(char === "'" && open === "(")) this.piece(inside);
      else this.at++;
      if (level === 0) break;
    }
  }

  protected blanks(): void {
    while (SHELL_BLANK.test(this.peek()) || this.starts("\\\n")) this.at += this.peek() === "\\" ? 2 : 1;
  }

  protected toEndOfLine(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  protected starts(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  protected peek(): string {
    return this.text[this.at] ?? "";
  }

  protected lineNow(): number {
    for (; this.#counted < this.at; this.#counted++) if (this.text[this.#counted] === "\n") this.#line++;
    return this.#line;
  }
}
