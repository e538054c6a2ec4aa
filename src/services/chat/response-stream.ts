// The response stream of the chat endpoint, from the writing side.

/** Maximum characters buffered for a slow reader, besides the last chunk. */
const WAITING = 65_536;

export class ResponseStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #onLeft: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Text written while the reader was busy is sent as one chunk, because a chunk costs more than its text. */
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

  /** Writes when there is room. Throws if the reader is gone. */
  async write(text: string): Promise<void> {
    if (text === "") return;
    while (!this.#isOver && this.#waiting.length >= WAITING)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#isOver) throw new Error("the client disconnected");
    this.#waiting += text;
    if (this.#isWanted) this.#handOut();
  }

  /** Reports that the reader is gone. The runtime does not always cancel the stream when it detects that. */
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
