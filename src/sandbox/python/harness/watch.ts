// Ends a run from inside its isolate. CPython checks for a signal here at jumps and in its longer built-ins.

const { now } = Date;
const later = setTimeout;

/** Signal numbers that the handlers in `_gateway.py` use. */
const SIGXCPU = 24;
const SIGUSR1 = 10;
/** Milliseconds for cleanup after a script received the timeout signal. */
const GRACE = 250;
/** The script yields after this number of checks: in a deployment, the clock does not advance and no message arrives while code runs. */
const BREATHE = (1 << 19) - 1;

/** Milliseconds before the host's deadline at which this timer fires, so that the results still arrive. */
const AHEAD = 500;

/** Thrown through Python code, which cannot catch it. */
export class Killed extends Error {}

/** The watch of one interpreter. A killed interpreter is never used again. */
export class Watch {
  #at = Number.POSITIVE_INFINITY;
  #checks = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #killed = Promise.withResolvers<null>();
  #isDead = false;
  /** Whether the script received the timeout signal. Its later result is ignored. */
  isOver = false;

  /** Starts to watch. Resolves when the caller must stop waiting. */
  begin(ms: number): Promise<null> {
    const own = ms - Math.min(AHEAD, ms / 4);
    this.#at = now() + own;
    this.#checks = 0;
    this.isOver = false;
    this.#killed = Promise.withResolvers();
    // No checks happen while the script waits.
    this.#timer = later(this.kill, own + GRACE + 50);
    return this.#killed.promise;
  }

  end(): void {
    this.#at = Number.POSITIVE_INFINITY;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  kill = (): void => {
    this.#isDead = this.isOver = true;
    this.#killed.resolve(null);
  };

  /**
   * Returns a signal number, or 0. A signal comes first, so that the script's cleanup runs and a traceback shows its position. The next
   * timeout throws `Killed`.
   */
  signal = (): number => {
    if (this.#isDead) throw new Killed("It did not stop.");
    if (now() <= this.#at) return (++this.#checks & BREATHE) === 0 ? SIGUSR1 : 0;
    if (this.isOver) {
      this.kill();
      throw new Killed("It did not stop.");
    }
    this.isOver = true;
    this.#at += GRACE;
    return SIGXCPU;
  };
}
