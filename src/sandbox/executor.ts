// Defines the interface of executors, which run scripts of any language. Input and output are plain data, so that an executor can also be
// remote.

import type { ScriptVerdict } from "../domain/code/check/verdict";
import type { Language } from "../domain/code/language";
import type { DroppedFile } from "../domain/code/script-files";
import type { JsonObject } from "../domain/json";
import type { PackageFile } from "../domain/package/skill";
import type { HostParts } from "./host";
import type { Isolates, RunFile } from "./isolate";

/** The information about the current call that code receives. */
export interface ToolContext {
  taskId: string;
  subtaskId: number;
  userId: string;
  userName: string;
  skillName: string;
}

/** A script of a package. */
export interface Script {
  /** Path in its package. */
  path: string;
  language: Language;
  /** Where publishing found that it runs. Absent if that is not known. */
  verdict?: ScriptVerdict["runs"];
  /** Python packages that its skill declares. An executor can install them. */
  requirements?: readonly string[];
}

/** One run of a script. */
export interface ScriptCall {
  script: Script;
  /** The package that contains the script. `digest` identifies its content. */
  digest: string;
  args: string[];
  /** Its standard input. */
  input: string;
  /** Files in `/workspace` and other folders at the start, in addition to the package in `/skill`. */
  files: readonly RunFile[];
  config: JsonObject;
  context: ToolContext;
  /** Time limit in milliseconds after the start. */
  ms: number;
  /** Set if the call is a part of another run: the code to run instead of a script of the package, and its environment. */
  part?: SubRun;
}

export interface SubRun {
  /** A file by its absolute path, or source text. */
  file?: string;
  text?: string;
  cwd: string;
  /** Existing folders, including empty ones. */
  folders: string[];
  /** Deleted files of the package. */
  gone: string[];
  /** Variables in addition to those of every run. */
  env: Record<string, string>;
}

export interface ScriptRun {
  exit_code: number;
  stdout: string;
  stderr: string;
  duration_ms: number;
  /** Ended from outside: by its deadline, a limit or a cancellation. */
  killed: boolean;
  /** New and changed files, ordered by path. */
  files: readonly RunFile[];
  /** Files that were not returned because of their size or number. */
  left: readonly DroppedFile[];
  /** Absolute paths of deleted files. Set for parts of a run only. */
  removed?: readonly string[];
  /** Why the run was ended from outside, or `null` if it ended by itself. `busy`: it never started. */
  reason: "timeout" | "cancelled" | "stopped" | "failed" | "busy" | null;
  /** Set if it did not run in an isolate of the gateway. */
  executor?: "remote";
}

/** Executors are checked in order. The first that supports a script runs it. */
export interface Executor {
  runs(script: Script): boolean;
  /** Never throws because of the script. */
  run(call: ScriptCall, signal: AbortSignal): Promise<ScriptRun>;
}

/** A package for executors: its canonical ZIP, in which files are not compressed. */
export interface StoredZip {
  zip: Uint8Array;
  files: readonly PackageFile[];
}

/** The dependencies of executors that use isolates. */
export interface IsolateParts extends Isolates {
  /** The static files, which include the harnesses. */
  assets: Pick<Fetcher, "fetch">;
  /** Called only if the package has no isolate yet. Returns a string with the reason if the ZIP is not available. */
  readZip(): Promise<StoredZip | string>;
  host: Omit<HostParts, "deadline">;
}

/** The exit code that shells report for a killed process. */
export const KILLED = 137;
