// How a command ends when it does not end well: one sentence for the person at the keyboard, and an exit code for scripts.

/** Exit codes, in `docs/cli.md` too. */
export const EXIT = {
  done: 0,
  /** The skill has issues, a test failed, or the gateway refused what was sent. */
  refused: 1,
  /** The command was written wrongly. */
  usage: 2,
  /** No key, or one that may not. */
  key: 3,
  /** Nothing answers, or not to the end. */
  unreachable: 4,
  /** There is no such thing. */
  absent: 5,
  /** It does not go together with what is there. */
  conflict: 6,
  interrupted: 130,
} as const;

/** Something the person at the keyboard can mend: printed without a stack. */
export class Problem extends Error {
  override name = "Problem";

  constructor(
    readonly exit: number,
    message: string,
  ) {
    super(message);
  }
}

/** What was written wrongly, with how it is written. */
export function misused(message: string): Problem {
  return new Problem(EXIT.usage, message);
}
