// Implements `readline`, because the runtime's is a stub.

import EventEmitter from "node:events";
import { begin, callbackOf } from "./loop.js";

const soon = queueMicrotask;

export function makeReadline(run) {
  const createInterface = (first, second) => {
    const options = first?.input === undefined ? { input: first, output: second } : first;
    return new Interface(run, options);
  };
  const promises = {
    createInterface: (...args) => {
      const lines = createInterface(...args);
      const { question } = lines;
      lines.question = (text) => new Promise((resolve) => question.call(lines, text, resolve));
      return lines;
    },
    Interface,
  };
  const moved = () => true;
  return {
    createInterface,
    Interface,
    promises,
    clearLine: moved,
    cursorTo: moved,
    moveCursor: moved,
    clearScreenDown: moved,
    emitKeypressEvents() {},
  };
}

class Interface extends EventEmitter {
  #run;
  #rest = "";
  #lines = [];
  #waiting = [];
  #hasEnded = false;
  #end;
  #prompt;
  closed = false;
  terminal = false;
  line = "";

  constructor(run, { input, output, prompt = "> " }) {
    super();
    this.#run = run;
    this.#prompt = prompt;
    this.input = input;
    this.output = output;
    this.#end = begin(run);
    const decoder = new TextDecoder();
    input?.on("data", (chunk) =>
      this.#take(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })),
    );
    input?.on("end", () => this.#finish());
    input?.on("error", (error) => this.emit("error", error));
  }

  #take(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#give(line);
  }

  #finish() {
    if (this.#rest !== "") this.#give(this.#rest);
    this.#rest = "";
    this.#hasEnded = true;
    if (this.#lines.length === 0) this.close();
  }

  #give(line) {
    if (this.closed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) next(line);
    else if (this.listenerCount("line") > 0) this.emit("line", line);
    else this.#lines.push(line);
  }

  /** Emits lines that arrived before the first listener. */
  #flush() {
    while (this.#lines.length > 0 && this.listenerCount("line") > 0) this.emit("line", this.#lines.shift());
    if (this.#hasEnded && this.#lines.length === 0) this.close();
  }

  on(event, listener) {
    super.on(event, listener);
    if (event === "line") soon(callbackOf(this.#run, () => this.#flush()));
    return this;
  }

  addListener(event, listener) {
    return this.on(event, listener);
  }

  #next() {
    if (this.#lines.length > 0) {
      const line = this.#lines.shift();
      if (this.#hasEnded && this.#lines.length === 0) soon(callbackOf(this.#run, () => this.close()));
      return Promise.resolve(line);
    }
    if (this.closed || this.#hasEnded) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  question(text, options, callback) {
    if (this.closed) throw Object.assign(new Error("readline was closed"), { code: "ERR_USE_AFTER_CLOSE" });
    this.output?.write(text);
    const answer = typeof options === "function" ? options : callback;
    this.#next().then((line) => {
      if (line !== null) callbackOf(this.#run, answer)(line);
    });
  }

  setPrompt(prompt) {
    this.#prompt = prompt;
  }

  getPrompt() {
    return this.#prompt;
  }

  prompt() {
    this.output?.write(this.#prompt);
  }

  write() {}

  pause() {
    return this;
  }

  resume() {
    return this;
  }

  close() {
    if (this.closed) return;
    this.closed = true;
    this.#end();
    for (const waiting of this.#waiting.splice(0)) waiting(null);
    this.emit("close");
  }

  [Symbol.dispose]() {
    this.close();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      const line = await this.#next();
      if (line === null) return;
      yield line;
    }
  }
}
