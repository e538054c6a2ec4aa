// What ends a run from inside its isolate. CPython asks here at jumps and in its longer built-ins whether a signal has come.

const { now } = Date;
const later = setTimeout;

/** Signals, as the handlers in `_gateway.py` know them. */
const SIGXCPU = 24;
const SIGUSR1 = 10;
/** What a script has to clean up, once it was told that its time is over. */
const GRACE = 250;
/** After so many questions the script steps aside for a moment: deployed, no clock moves while code runs, and no message arrives. */
const BREATHE = (1 << 19) - 1;

/** The host's clock ends the run. This one is so much ahead of it that what there is to tell still arrives. */
const AHEAD = 500;

/** Thrown through Python, which cannot catch it. */
export class Killed extends Error {}

/** Of one interpreter. One that was killed never goes on. */
export class Watch {
  #at = Number.POSITIVE_INFINITY;
  #checks = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #killed = Promise.withResolvers<null>();
  #isDead = false;
  /** Whether the script was told that its time is over: what it says then does not count. */
  isOver = false;

  /** Begins to watch; the answer resolves when there is nothing to wait for any more. */
  begin(ms: number): Promise<null> {
    const own = ms - Math.min(AHEAD, ms / 4);
    this.#at = now() + own;
    this.#checks = 0;
    this.isOver = false;
    this.#killed = Promise.withResolvers();
    // While the script waits nobody asks.
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

  /** The number of a signal, or 0. First a signal, so that the script's own cleaning-up runs and a traceback says where it was. */
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
