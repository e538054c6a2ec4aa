// The stream that a caller of the chat endpoint reads, from the side that writes it.

/** Pieces that wait for a reader at most. */
const WAITING = 16;

export class Outlet {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #isOver = false;
  #wake: () => void = () => undefined;
  readonly #onLeft: () => void;

  /** @param onLeft called when the reader is gone */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#wake(),
        cancel: () => this.leave(),
      },
      new CountQueuingStrategy({ highWaterMark: WAITING }),
    );
  }

  /** Writes once there is room. Throws where nobody reads any more. */
  async write(text: string): Promise<void> {
    if (text === "") return;
    while (!this.#isOver && (this.#controller?.desiredSize ?? 0) <= 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#isOver) throw new Error("nobody reads the answer any more");
    this.#controller?.enqueue(this.#encoder.encode(text));
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
    this.#controller?.close();
  }
}
