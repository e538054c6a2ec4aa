// Defines errors that end a command: one message for the user and an exit code for scripts.

/** Exit codes, also listed in `docs/cli.md`. */
export const EXIT = {
  done: 0,
  /** The skill has issues, a test failed, or the gateway rejected the request. */
  refused: 1,
  /** The command line is invalid. */
  usage: 2,
  /** No key, or a key without the required permission. */
  key: 3,
  /** The gateway or source cannot be reached, or the response is incomplete. */
  unreachable: 4,
  /** The requested object was not found. */
  absent: 5,
  /** The request conflicts with existing data. */
  conflict: 6,
  interrupted: 130,
} as const;

/** An error that the user can fix. It is printed without a stack. */
export class Problem extends Error {
  override name = "Problem";

  constructor(
    readonly exit: number,
    message: string,
  ) {
    super(message);
  }
}

/** Returns the error for an invalid command line. */
export function misused(message: string): Problem {
  return new Problem(EXIT.usage, message);
}
