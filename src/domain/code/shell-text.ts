// Parses a shell text far enough to find its commands. It never fails: unparsable parts are skipped.

import { SHELL_BLANK, SHELL_META, type ShellWord, ShellWords } from "./shell-words";

interface ShellText {
  /** Words in command position with a fixed value, in order. */
  commands: { command: string; line: number }[];
  /** Functions and aliases defined in the text. */
  defined: ReadonlySet<string>;
  /** Whether it sources other files, which may define more. */
  sources: boolean;
  /** Files that it may run or source: the fixed ends of their paths, in order. */
  files: { end: string; line: number }[];
}

/** Commands whose first argument that is not an option is a file to run. */
const RUNNERS = new Set(["bash", "sh", "python", "python3", "node", "source", "."]);
/** Options whose argument is a program or a module instead of a file. */
const INLINE = /^-[A-Za-z]*[cemp]$/;

/** Words that another command can follow. */
const BEFORE = new Set(["then", "else", "elif", "if", "do", "while", "until", "!", "{", "time", "coproc"]);
const AFTER = new Set(["fi", "done", "}"]);
/** Commands whose first non-option argument is a command again, with their options that take a value. */
const WRAPPERS: Record<string, RegExp> = {
  builtin: /^$/,
  command: /^$/,
  env: /^-[uCS]$/,
  exec: /^-a$/,
  nice: /^-n$/,
  nohup: /^$/,
  sudo: /^-[ugCDhpRrTt]$/,
  time: /^-[fo]$/,
  timeout: /^-[ks]$/,
  xargs: /^-[adEIiLlnPs]$/,
};
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

export function readShell(text: string): ShellText {
  const reader = new Reader(text);
  reader.list(null);
  return reader;
}

type End = ")" | "`" | "esac" | null;

class Reader extends ShellWords implements ShellText {
  readonly commands: ShellText["commands"] = [];
  readonly defined = new Set<string>();
  sources = false;
  readonly files: ShellText["files"] = [];
  /** The fixed ends of the values of variables. */
  readonly #values = new Map<string, string>();

  /** Reads commands up to a terminator. Returns `more` if another pattern of a `case` follows. */
  override list(end: End): "more" | "end" {
    return this.deeper(() => this.#list(end));
  }

  #list(end: End): "more" | "end" {
    let isCommand = true;
    let wrapper: RegExp | null = null;
    let words: string[] = [];
    const begin = () => {
      isCommand = true;
      wrapper = null;
      words = [];
    };
    while (this.at < this.text.length) {
      const char = this.peek();
      if (SHELL_BLANK.test(char) || this.starts("\\\n")) this.at += char === "\\" ? 2 : 1;
      else if (char === "\n") {
        this.newline();
        begin();
      } else if (char === "#") this.toEndOfLine();
      else if (char === end || (char === ")" && end === "esac")) {
        this.at++;
        return "end";
      } else if (end === "esac" && /^;;&?|^;&/.test(this.text.slice(this.at, this.at + 3))) {
        this.at += this.starts(";;&") ? 3 : 2;
        return "more";
      } else if (char === ";" || char === "|" || (char === "&" && !this.starts("&>"))) {
        this.at++;
        begin();
      } else if (char === "(") {
        this.#open(isCommand);
        isCommand = false;
      } else if (char === ")") this.at++;
      else if (char === "<" || char === ">" || char === "&") this.redirect();
      else {
        const line = this.lineNow();
        const from = this.at;
        const word = this.word();
        this.#resolve(word, this.text.slice(from, this.at));
        if (/^\d+$/.test(word.text ?? "") && /[<>]/.test(this.peek())) continue;
        if (wrapper !== null) {
          const held: RegExp = wrapper;
          if (word.text !== null && /^-/.test(word.text)) {
            if (held.test(word.text)) this.skipWord();
            // `command -v` only looks a command up.
            if (words[0] === "command" && /^-[vV]/.test(word.text)) wrapper = null;
          } else if (
            word.text !== null &&
            (ASSIGNMENT.test(word.text) || (words[0] === "timeout" && /^\d/.test(word.text)))
          )
            continue;
          else {
            wrapper = this.#command(word, line);
            words = [word.text ?? ""];
          }
        } else if (!isCommand) this.#argument(words, word, line);
        else if (!word.isQuoted && word.text === "esac" && end === "esac") {
          return "end";
        } else {
          const next = this.#first(word, line);
          isCommand = next.isCommand;
          wrapper = next.wrapper;
          words = [word.text ?? ""];
        }
      }
    }
    return "end";
  }

  /** Reads a word in command position. */
  #first(word: ShellWord, line: number): { isCommand: boolean; wrapper: RegExp | null } {
    const { text } = word;
    const still = { isCommand: true, wrapper: null };
    const over = { isCommand: false, wrapper: null };
    if (text !== null && ASSIGNMENT.test(text)) {
      if (text.endsWith("=") && this.peek() === "(") this.#array();
      return still;
    }
    if (!word.isQuoted && text !== null) {
      if (BEFORE.has(text)) return still;
      if (AFTER.has(text)) return over;
      if (text === "for" || text === "select") {
        this.#forHead();
        return still;
      }
      if (text === "case") {
        this.#caseBody();
        return over;
      }
      if (text === "function") {
        this.blanks();
        this.#define(this.word().text);
        return still;
      }
      if (text === "[[") {
        this.#test();
        return over;
      }
      if (/^[ \t]*\([ \t]*\)/.test(this.text.slice(this.at, this.at + 80))) {
        this.#define(text);
        return still;
      }
    }
    return { isCommand: false, wrapper: this.#command(word, line) };
  }

  /** Completes the fixed end of a word that is only a variable, and stores that of an assignment. */
  #resolve(word: ShellWord, source: string): void {
    const variable = /^"?\$\{?(\w+)\}?"?$/.exec(source)?.[1];
    if (variable !== undefined) word.tail = this.#values.get(variable) ?? "";
    const assigned = /^([A-Za-z_]\w*)=/.exec(source)?.[1];
    if (assigned !== undefined) this.#values.set(assigned, word.tail.replace(`${assigned}=`, ""));
  }

  #command({ text, tail }: ShellWord, line: number): RegExp | null {
    if (tail.includes("/")) this.files.push({ end: tail, line });
    if (text === null) return null;
    this.commands.push({ command: text, line });
    if (text === "source" || text === ".") this.sources = true;
    return Object.hasOwn(WRAPPERS, text) ? (WRAPPERS[text] ?? null) : null;
  }

  #argument(words: string[], { text, tail }: ShellWord, line: number): void {
    const [command = ""] = words;
    // The name of an interpreter can be in a variable.
    const isRunner = command === "" || RUNNERS.has(command.replace(/^.*\//, ""));
    if (isRunner && words.slice(1).every((word) => word.startsWith("-") && !INLINE.test(word)))
      if (!(text ?? "").startsWith("-")) this.files.push({ end: tail, line });
    words.push(text ?? "");
    if (words[0] === "alias" && text !== null) this.defined.add(text.split("=")[0] ?? "");
    // The array in `X=( … )` after `local` and similar commands.
    if (text?.endsWith("=") && this.peek() === "(") this.#array();
  }

  #define(name: string | null): void {
    if (name !== null) this.defined.add(name);
    const [parentheses] = /^[ \t]*\([ \t]*\)/.exec(this.text.slice(this.at, this.at + 80)) ?? [""];
    this.at += parentheses.length;
  }

  #open(isCommand: boolean): void {
    if (isCommand && this.starts("((")) this.balanced("(", ")");
    else {
      this.at++;
      this.list(")");
    }
  }

  #array(): void {
    this.at++;
    while (this.at < this.text.length && this.peek() !== ")") {
      if (this.peek() === "#") this.toEndOfLine();
      else if (/\s/.test(this.peek())) this.at++;
      else this.skipWord();
    }
    this.at++;
  }

  #forHead(): void {
    this.blanks();
    if (this.starts("((")) {
      this.balanced("(", ")");
      return;
    }
    this.word();
    const next = /^\s*in\b/.exec(this.text.slice(this.at, this.at + 80));
    if (next === null) return;
    this.at += next[0].length;
    for (this.blanks(); this.at < this.text.length && !/[\n;]/.test(this.peek()); this.blanks()) this.skipWord();
  }

  #caseBody(): void {
    this.blanks();
    this.word();
    const next = /^\s*in\b/.exec(this.text.slice(this.at, this.at + 200));
    if (next === null) return;
    this.at += next[0].length;
    for (;;) {
      while (/\s|#/.test(this.peek())) {
        if (this.peek() === "#") this.toEndOfLine();
        else this.at++;
      }
      if (this.at >= this.text.length) return;
      const open = this.starts("(");
      if (open) this.at++;
      for (let first = true; this.at < this.text.length && this.peek() !== ")"; first = false) {
        if (/[\s|]/.test(this.peek())) this.at++;
        else if (SHELL_META.test(this.peek())) return;
        else if (this.word().text === "esac" && first && !open) return;
      }
      this.at++;
      if (this.list("esac") === "end") return;
    }
  }

  /** Reads `[[ … ]]`, in which parentheses and `<` have another meaning. */
  #test(): void {
    while (this.at < this.text.length) {
      if (this.starts("]]") && /\s/.test(this.text[this.at - 1] ?? "")) {
        this.at += 2;
        return;
      }
      if (/["'$`\\]/.test(this.peek())) this.piece({ text: "", tail: "", isQuoted: false });
      else this.at++;
    }
  }
}
