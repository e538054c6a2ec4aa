// The stream that a caller of the chat endpoint reads, from the side that writes it.

/** Characters that wait for a reader at most, but for one piece. */
const WAITING = 65_536;

export class ResponseStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #onLeft: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** What was written while the reader was busy goes out as one piece: a piece costs more than the words in it. */
  #waiting = "";
  #isWanted = false;
  #isOver = false;
  #wake: () => void = () => undefined;

  /** @param onLeft called when the reader is gone */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#isWanted = true;
          this.#handOut();
        },
        cancel: () => this.leave(),
      },
      new CountQueuingStrategy({ highWaterMark: 0 }),
    );
  }

  /** Writes once there is room. Throws where nobody reads any more. */
  async write(text: string): Promise<void> {
    if (text === "") return;
    while (!this.#isOver && this.#waiting.length >= WAITING)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#isOver) throw new Error("nobody reads the answer any more");
    this.#waiting += text;
    if (this.#isWanted) this.#handOut();
  }

  /** Says that nobody reads any more. The runtime does not always cancel the stream where it knows that. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake();
    this.#onLeft();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#waiting !== "") this.#handOut();
    this.#controller?.close();
  }

  #handOut(): void {
    const text = this.#waiting;
    if (text === "") return;
    this.#waiting = "";
    this.#isWanted = false;
    this.#controller?.enqueue(this.#encoder.encode(text));
    this.#wake();
  }
}
