// Finds Python containers whose members have changed, by comparing the interpreter's memory. Comparing them in Python takes 50 times as long.

/**
 * Positions in CPython's objects, in words of 4 bytes (CPython 3.14, wasm32, release build; `Include/cpython/dictobject.h`,
 * `Include/internal/pycore_dict.h`, `setobject.h` and `listobject.h`). Pyodide's version is pinned, and
 * `_gateway_snapshot.py` checks them at the start.
 */
const TYPE = 1;
const DICT = { used: 2, keys: 6, values: 7 } as const;
const KEYS = { shape: 1, count: 4, indices: 5 } as const;
const LIST = { size: 2, items: 3 } as const;
const SET = { fill: 2, used: 3, mask: 4, table: 5 } as const;
/** `dk_kind` of tables whose keys are not all text. Their entries contain the hash, too. */
const GENERAL = 0;

/** The types of the containers, by the address of the type. */
type Kind = "dict" | "list" | "set";

/**
 * Containers and their content when they were saved. A trace consists of addresses, so the caller must reference the saved members: while
 * they exist, no other object has their address. Equal memory then means identical members in the same order. Different memory can also
 * have other causes, so the caller compares the reported containers itself.
 */
export class Containers {
  readonly #heap: () => Uint32Array;
  readonly #kinds = new Map<number, Kind>();
  readonly #indexes = new Map<number, number>();
  /** The traces of all containers, one after another. A trace is a sequence of: first word, number of words, these words. */
  #traces = new Uint32Array();
  /** Where the trace of each container ends. */
  #ends: number[] = [];
  /** Containers of other types, which are always reported. */
  readonly #unknown = new Set<number>();

  /** `heap` returns the current view: growing memory replaces it. */
  constructor(heap: () => Uint32Array) {
    this.#heap = heap;
  }

  /** Sets the address of a container type. Subclasses that only add fields at the end have the same kind. */
  define(kind: Kind, type: number): void {
    this.#kinds.set(type, kind);
  }

  /** Saves the content of all containers in a Python list, given by its address. New ones get the next indexes, in this order. */
  save(list: number): void {
    const heap = this.#heap();
    const saved = new Map<number, readonly number[]>();
    for (const address of itemsOf(heap, list)) {
      const index = this.#indexes.get(address) ?? this.#indexes.size;
      this.#indexes.set(address, index);
      const trace = this.#traceOf(heap, address >>> 2);
      if (trace === null) this.#unknown.add(index);
      saved.set(index, trace ?? []);
    }
    const isInPlace = [...saved].every(([index, { length }]) => this.#start(index) + length === this.#ends[index]);
    if (isInPlace) for (const [index, trace] of saved) this.#traces.set(trace, this.#start(index));
    else this.#rebuild(saved);
  }

  /** Returns the indexes of the containers that may have changed since they were saved, separated by commas. */
  changed(): string {
    const heap = this.#heap();
    const found = [...this.#unknown];
    let start = 0;
    for (let index = 0; index < this.#ends.length; index++) {
      const end = this.#ends[index] ?? 0;
      if (!isSame(heap, this.#traces, start, end)) found.push(index);
      start = end;
    }
    return found.join();
  }

  #start(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] ?? Number.NaN);
  }

  #rebuild(saved: ReadonlyMap<number, readonly number[]>): void {
    const parts = Array.from(
      { length: this.#indexes.size },
      (_, index) => saved.get(index) ?? this.#traces.subarray(this.#start(index), this.#ends[index]),
    );
    let end = 0;
    const ends = parts.map(({ length }) => {
      end += length;
      return end;
    });
    const traces = new Uint32Array(end);
    for (const [index, part] of parts.entries()) traces.set(part, (ends[index] ?? 0) - part.length);
    this.#traces = traces;
    this.#ends = ends;
  }

  #traceOf(heap: Uint32Array, object: number): readonly number[] | null {
    const kind = this.#kinds.get(heap[object + TYPE] ?? 0);
    const words: number[] = [];
    const add = (first: number, count: number) => words.push(first, count, ...heap.subarray(first, first + count));
    if (kind === "dict") traceDict(heap, object, add);
    else if (kind === "list") {
      add(object + LIST.size, 2);
      add(wordAt(heap, object + LIST.items), heap[object + LIST.size] ?? 0);
    } else if (kind === "set") {
      add(object + SET.fill, SET.table - SET.fill + 1);
      add(wordAt(heap, object + SET.table), 2 * ((heap[object + SET.mask] ?? 0) + 1));
    } else return null;
    return words;
  }
}

/** Pointers come before the memory that they point to, so that a comparison ends at a pointer that has changed. */
function traceDict(heap: Uint32Array, object: number, add: (first: number, count: number) => void): void {
  const keys = wordAt(heap, object + DICT.keys);
  const values = wordAt(heap, object + DICT.values);
  const shape = heap[keys + KEYS.shape] ?? 0;
  const [indexBytes, kind] = [(shape >>> 8) & 255, (shape >>> 16) & 255];
  const count = heap[keys + KEYS.count] ?? 0;
  const entries = keys + KEYS.indices + (1 << indexBytes) / 4;
  add(object + DICT.used, 1);
  add(object + DICT.keys, 2);
  add(keys + KEYS.shape, 1);
  // Objects of a class share a table, in which another object can add a key.
  if (values === 0) add(keys + KEYS.count, 1);
  add(entries, count * (kind === GENERAL ? 3 : 2));
  if (values === 0) return;
  const [capacity, size] = [(heap[values] ?? 0) & 255, ((heap[values] ?? 0) >>> 8) & 255];
  // The order of insertion, in bytes, follows the values.
  add(values, 1 + capacity + Math.ceil(size / 4));
}

const wordAt = (heap: Uint32Array, at: number): number => (heap[at] ?? 0) >>> 2;

function itemsOf(heap: Uint32Array, list: number): Uint32Array {
  const first = wordAt(heap, (list >>> 2) + LIST.items);
  return heap.slice(first, first + (heap[(list >>> 2) + LIST.size] ?? 0));
}

/** Whether memory contains the words of the trace between two positions. */
function isSame(heap: Uint32Array, traces: Uint32Array, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    let word = traces[at] ?? 0;
    const last = at + 2 + (traces[at + 1] ?? 0);
    for (at += 2; at < last; at++, word++) if (heap[word] !== traces[at]) return false;
  }
  return true;
}
