// In which language a file of a package is written, by its name.

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

/** Whether a file of a package may be run as a script. */
export function isScript(path: string): boolean {
  return languageOf(path) !== null;
}

/** Of a file whose name says nothing: a shell script says in its first line that it is one. */
export function shebangLanguage(beginning: string): Language | null {
  return /^#![ \t]*(?:\/\S*\/)?(?:env[ \t]+(?:-S[ \t]+)?)?(?:\/\S*\/)?(?:ba|da)?sh(?:\s|$)/.test(beginning)
    ? "shell"
    : null;
}

/** `null` for what is no script. Types alone are none either. */
export function languageOf(path: string): Language | null {
  if (/\.d\.[cm]?ts$/.test(path)) return null;
  return BY_ENDING.get(/\.\w+$/.exec(path)?.[0] ?? "") ?? null;
}
