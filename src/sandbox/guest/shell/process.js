// Hooks for the start and end of a script. scripts/build/shell.mjs inserts the calls into just-bash.

import { ABSENT_PROGRAMS } from "../../../domain/code/shell-commands";

/** The key under which a trap's text is stored. No script variable can have this name. */
export const TRAP = "trap EXIT";

/** Variables that every shell sets itself and that are not inherited. */
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

/**
 * Starts a script as a separate process. It inherits files, working directory and exported variables from its caller.
 * @returns {string} its name
 */
export function beginScript(state, path) {
  const name = state.called_?.includes("/") ? state.called_ : path;
  state.called_ = undefined;
  state.currentSource = name;
  const exported = new Set([...state.exportedVars, ...(state.tempExportedVars ?? [])]);
  for (const each of [...state.env.keys()])
    if (each === TRAP || (/^[A-Za-z_]\w*$/.test(each) && !exported.has(each) && !OWN.has(each))) state.env.delete(each);
  state.exportedVars = exported;
  state.functions = new Map();
  state.arrays = new Map();
  state.sourceStack = [state.currentSource];
  state.funcNameStack = [];
  state.callLineStack = [];
  state.inCondition = false;
  state.errexitSafe = false;
  state.options = Object.fromEntries(Object.keys(state.options).map((option) => [option, false]));
  const { shoptOptions } = state;
  state.shoptOptions = Object.fromEntries(
    Object.keys(shoptOptions).map((option) => [option, option === "globskipdots"]),
  );
  return name;
}

/** Adds the location to an error of the shell. */
export function placed(result, state) {
  if (!result.stderr.includes("bash: ")) return result;
  const place = `${state.env.get("0") ?? "bash"}: line ${state.currentLine}: `;
  return { ...result, stderr: result.stderr.replace(/^bash: (?!line \d)/gm, place) };
}

export function placeError(error, state) {
  if (typeof error?.stderr === "string") error.stderr = placed({ stderr: error.stderr }, state).stderr;
}

/** Statements between two turns of the event loop. */
const STRETCH = 200;
let statements = 0;

/** Returns a promise if the next turn of the event loop is due. */
export function breathe() {
  if (++statements % STRETCH !== 0) return null;
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** Returns the text of the trap, if any. It runs once. */
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

/** Returns the message for a redirection to a file that cannot be written, or `null` if the error has another cause. */
export function fileFault(error) {
  const [, code, path] = /^(E[A-Z]+): [^,]*(?:, \w+ '([^']*)')?/.exec(error?.message ?? "") ?? [];
  if (code === undefined || !Object.hasOwn(FAULTS, code)) return null;
  return `bash: ${path === undefined ? "" : `${path}: `}${FAULTS[code]}\n`;
}

/**
 * Whether two adjacent opening parentheses are closed together: `(( … ))`, but not `((a); b)`. @param {number} at the position after them
 */
export function isArithmetic(text, at) {
  let level = 2;
  for (let quote = ""; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === "(") level++;
    else if (char === ")" && --level === 1) return text[at + 1] === ")";
  }
  return false;
}
