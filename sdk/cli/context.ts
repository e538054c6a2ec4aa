// The environment of a command: folder, streams, and cleanup after an interruption.

import { rmSync } from "node:fs";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

/** Additions of a checkout of the gateway: its bench, and the key of its local gateway. */
export interface Checkout {
  openBench(): Promise<Bench>;
  /** Returns the URL of the local gateway. */
  localUrl(): Promise<string>;
  /** Returns the key of the local gateway. Rejects for any other URL. */
  localKeyFor(url: string): Promise<string>;
}

/** The gateway's own parser, compiler and sandbox in a local isolate. */
export interface Bench {
  ask(name: string, zip: Uint8Array, asked: object): Promise<unknown>;
  close(): Promise<void>;
}

/** The standard streams of a command. `isTTY` is true in a terminal. */
export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
}

export interface Work extends Streams {
  /** Name of the program as the user starts it, for messages. */
  program: string;
  /** Base of relative paths. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  json: boolean;
  checkout: Checkout | null;
  /** Aborts on Ctrl-C. */
  signal: AbortSignal;
}

/** Resolves a path from the command line. */
export function placeOf(work: Pick<Work, "folder">, typed: string): string {
  return path.resolve(work.folder, typed);
}

/** Prints text for people to stdout. With `--json` it prints nothing, because stdout contains only the JSON then. */
export function tell(work: Work, text: string): void {
  if (!work.json) work.stdout.write(`${shown(text)}\n`);
}

/**
 * Escapes characters that a terminal interprets: escape sequences, carriage returns, bidirectional controls. Descriptions, file names and
 * errors come from other people.
 */
export function shown(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|[\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Prints a progress message or a warning to stderr. */
export function note({ stderr }: Pick<Streams, "stderr">, text: string): void {
  stderr.write(`${shown(text)}\n`);
}

export function answer(work: Work, value: unknown): void {
  if (work.json) work.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

const unfinished = new Set<string>();

/** Runs `use` and deletes the folder afterwards, also after an error or Ctrl-C. */
export async function withScratch<T>(folder: string, use: () => Promise<T>): Promise<T> {
  unfinished.add(folder);
  try {
    return await use();
  } finally {
    rmSync(folder, { recursive: true, force: true });
    unfinished.delete(folder);
  }
}

/** Deletes the folders of `withScratch` that are still in use. */
export function deleteUnfinished(): void {
  for (const folder of unfinished) rmSync(folder, { recursive: true, force: true });
}
