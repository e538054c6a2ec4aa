// Determines the language of a file from its name.

const ENDINGS = {
  javascript: [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"],
  python: [".py"],
  shell: [".sh", ".bash"],
} as const;

export type Language = keyof typeof ENDINGS;
export const LANGUAGES = ["javascript", "python", "shell"] as const satisfies readonly Language[];

const BY_ENDING = new Map<string, Language>(
  Object.entries(ENDINGS).flatMap(([language, endings]) => endings.map((ending) => [ending, language as Language])),
);

/** Whether a file of a package can run as a script. */
export function isScript(path: string): boolean {
  return languageOf(path) !== null;
}

/** Returns the language in the first line of a file without a known extension: shell scripts declare themselves there. */
export function shebangLanguage(beginning: string): Language | null {
  return /^#![ \t]*(?:\/\S*\/)?(?:env[ \t]+(?:-S[ \t]+)?)?(?:\/\S*\/)?(?:ba|da)?sh(?:\s|$)/.test(beginning)
    ? "shell"
    : null;
}

/** Returns the language, or `null` if the file is not a script. Type declarations are not scripts. */
export function languageOf(path: string): Language | null {
  if (/\.d\.[cm]?ts$/.test(path)) return null;
  return BY_ENDING.get(/\.\w+$/.exec(path)?.[0] ?? "") ?? null;
}
