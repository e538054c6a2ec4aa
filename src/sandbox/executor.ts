// What runs a script, whatever its language: plain data in, plain data out, so that it may as well be done elsewhere.

import type { Language } from "../domain/code/language";
import type { DroppedFile } from "../domain/code/script-files";
import type { JsonObject } from "../domain/json";
import type { PackageFile } from "../domain/package/skill";
import type { HostParts } from "./host";
import type { Isolates, RunFile } from "./isolate";

/** What code gets to know about the call that it serves. */
export interface ToolContext {
  taskId: string;
  subtaskId: number;
  userId: string;
  userName: string;
  skillName: string;
}

/** A script of a package. */
export interface Script {
  /** In its package. */
  path: string;
  language: Language;
}

/** One run of a script. */
export interface ScriptCall {
  script: Script;
  /** The package whose script it is: the digest names its content. */
  digest: string;
  args: string[];
  /** What it reads from its standard input. */
  input: string;
  /** What lies in `/workspace` and elsewhere when it begins, beside the package in `/skill`. */
  files: readonly RunFile[];
  config: JsonObject;
  context: ToolContext;
  /** How long it may take, once it has begun. */
  ms: number;
  /** Where it is a part of another run: what is run instead of a script of the package, and where. */
  part?: SubRun;
}

export interface SubRun {
  /** A file by its full path, or a text that is none. */
  file?: string;
  text?: string;
  cwd: string;
  /** Those that are there, also without a file in them. */
  folders: string[];
  /** Files of the package that are not there any more. */
  gone: string[];
  /** Beside what every run has. */
  env: Record<string, string>;
}

export interface ScriptRun {
  exit_code: number;
  stdout: string;
  stderr: string;
  duration_ms: number;
  /** Ended from outside: at its deadline, by a limit, or by a cancellation. */
  killed: boolean;
  /** New and changed files, in the order of their paths. */
  files: readonly RunFile[];
  /** Files that are not among them, since they are too large or too many. */
  left: readonly DroppedFile[];
  /** Files that are gone, by full path. Told of parts of a run only. */
  removed?: readonly string[];
  /** Why it did not end by itself; `null` when it did. `busy`: it never began. */
  reason: "timeout" | "cancelled" | "stopped" | "failed" | "busy" | null;
}

/** Asked in order; the first that runs a script, runs it. */
export interface Executor {
  runs(script: Script): boolean;
  /** Never throws for what the script does. */
  run(call: ScriptCall, signal: AbortSignal): Promise<ScriptRun>;
}

/** A package as executors read it: its canonical ZIP, in which files are not compressed. */
export interface StoredZip {
  zip: Uint8Array;
  files: readonly PackageFile[];
}

/** What executors on isolates stand on. */
export interface IsolateParts extends Isolates {
  /** The static files, where harnesses lie. */
  assets: Pick<Fetcher, "fetch">;
  /** Called only when there is no isolate of the package yet. A text says why it cannot be had. */
  readZip(): Promise<StoredZip | string>;
  host: Omit<HostParts, "deadline">;
}

/** As a shell tells of a process that was killed. */
export const KILLED = 137;
