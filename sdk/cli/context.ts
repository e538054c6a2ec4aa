// What a command works with: where it stands, what it says, and what is taken back when it is interrupted.

import { rmSync } from "node:fs";
import path from "node:path";
import { EXIT } from "./problem";

/** What a checkout of the gateway adds: its bench, and the key of the gateway that runs there. */
export interface Checkout {
  openBench(): Promise<Bench>;
  /** The gateway on this machine. */
  localUrl(): Promise<string>;
  /** Its key; refused for any other URL. */
  localKeyFor(url: string): Promise<string>;
}

/** The gateway's own reader, compiler and sandbox in a local isolate. */
export interface Bench {
  ask(name: string, zip: Uint8Array, asked: object): Promise<unknown>;
  close(): Promise<void>;
}

export interface Work {
  /** What the person types to run this. */
  program: string;
  /** The folder that relative paths are relative to. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  json: boolean;
  checkout: Checkout | null;
  /** Ends with Ctrl-C. */
  signal: AbortSignal;
}

/** A path that was typed. */
export function placeOf(work: Pick<Work, "folder">, typed: string): string {
  return path.resolve(work.folder, typed);
}

/** The answer for people; with `--json` nothing but the answer for programs goes to stdout. */
export function tell(work: Work, text: string): void {
  if (!work.json) process.stdout.write(`${shown(text)}\n`);
}

/**
 * A text as a terminal may be given it. Descriptions, files and errors come from other people, and what a terminal reads as a command
 * (escapes, a return over the line, letters that turn the direction) is written as the number that it is.
 */
export function shown(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|[\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What goes on meanwhile. */
export function note(text: string): void {
  process.stderr.write(`${shown(text)}\n`);
}

export function answer(work: Work, value: unknown): void {
  if (work.json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

const unfinished = new Set<string>();

/** Does something with a folder that is gone afterwards, however it ends: Ctrl-C included. */
export async function withScratch<T>(folder: string, use: () => Promise<T>): Promise<T> {
  unfinished.add(folder);
  try {
    return await use();
  } finally {
    rmSync(folder, { recursive: true, force: true });
    unfinished.delete(folder);
  }
}

/** Ends the process at Ctrl-C, with nothing half-written left behind; a second one does not wait for anything. */
export function endOnInterrupt(controller: AbortController): void {
  const end = () => {
    controller.abort();
    for (const folder of unfinished) rmSync(folder, { recursive: true, force: true });
    process.stderr.write("\nInterrupted: nothing was left half-done here.\n");
    process.exit(EXIT.interrupted);
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
}
