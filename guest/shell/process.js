// What the shell asks of us where it begins and ends a script; scripts/build/shell.mjs writes the calls into it.

import { ABSENT_PROGRAMS } from "../../src/domain/code/shell-commands";

/** Where the text of a trap is kept: no variable of a script can have this name. */
export const TRAP = "trap EXIT";

/** What a shell has of itself, and no parent exports. */
const OWN = new Set([
  "IFS",
  "OSTYPE",
  "MACHTYPE",
  "HOSTTYPE",
  "HOSTNAME",
  "OPTIND",
  "SHELLOPTS",
  "BASHOPTS",
  "PWD",
  "OLDPWD",
]);

/** A script is a process of its own: of who calls it, it has the files, the folder and what was exported. */
export function beginScript(state) {
  const exported = new Set([...state.exportedVars, ...(state.tempExportedVars ?? [])]);
  for (const name of [...state.env.keys()])
    if (name === TRAP || (/^[A-Za-z_]\w*$/.test(name) && !exported.has(name) && !OWN.has(name))) state.env.delete(name);
  state.exportedVars = exported;
  state.functions = new Map();
  state.arrays = new Map();
  state.sourceStack = [state.currentSource];
  state.funcNameStack = [];
  state.callLineStack = [];
  state.inCondition = false;
  state.errexitSafe = false;
  state.options = Object.fromEntries(Object.keys(state.options).map((name) => [name, false]));
  state.shoptOptions = Object.fromEntries(
    Object.keys(state.shoptOptions).map((name) => [name, name === "globskipdots"]),
  );
}

/** Statements between two turns of the event loop. */
const STRETCH = 200;
let statements = 0;

/** A promise when it is time to wait for the next turn. */
export function breathe() {
  if (++statements % STRETCH !== 0) return null;
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** The text of the trap, if any, which runs once. */
export function takeTrap(state, exitCode) {
  const text = state.env.get(TRAP);
  state.env.delete(TRAP);
  state.lastExitCode = exitCode;
  state.env.set("?", String(exitCode));
  state.options.errexit = false;
  return text;
}

export function notFound(name) {
  return ABSENT_PROGRAMS.has(name)
    ? `bash: ${name}: command not found (${name} is not here: a skill's script has no network and no other programs)\n`
    : `bash: ${name}: command not found\n`;
}

const FAULTS = {
  EEXIST: "File exists",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  EROFS: "Read-only file system",
};

/** What a redirection to a file says that cannot be written; `null` for what is no fault of a file. */
export function fileFault(error) {
  const [, code, path] = /^(E[A-Z]+): [^,]*(?:, \w+ '([^']*)')?/.exec(error?.message ?? "") ?? [];
  if (code === undefined || !Object.hasOwn(FAULTS, code)) return null;
  return `bash: ${path === undefined ? "" : `${path}: `}${FAULTS[code]}\n`;
}
